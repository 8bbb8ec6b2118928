import { rfc3339 } from '../lib/time.ts'

/** A row of the outbox. */
export type StoredEvent = {
  seq: number
  id: string
  type: string
  object_id: string
  at: number
  actor_type: string
  actor_id: string | null
  /** JSON {object, changed_fields, previous}. */
  data: string
}

/** A test of a webhook has the form of an event, but no place in the stream. */
type SentEvent = Omit<StoredEvent, 'object_id' | 'seq'> & { seq: number | null }

export const EVENT_COLUMNS = 'seq, id, type, object_id, at, actor_type, actor_id, data'

/**
 * The wire form of an event, for webhooks and the event stream: JSON text built from the stored text without parsing,
 * so that each delivery of it has the same bytes, and so the same signature.
 */
export function eventJson({ id, seq, type, at, actor_type, actor_id, data }: SentEvent): string {
  const actor = `{"type":"${actor_type}","id":${actor_id === null ? 'null' : `"${actor_id}"`}}`
  return `{"id":"${id}","seq":${seq},"type":"${type}","timestamp":"${rfc3339(at)}","actor":${actor},"data":${data}}`
}
