import type { KeyedEvent } from '../../events/reading.ts'
import { rfc3339 } from '../../lib/time.ts'

// The messages of the stream, as server-sent events.

/** An event of the organisation; its id is the seq from which a client continues. */
export function eventFrame({ seq, type, id, at, actor_type, actor_id, request_key, data }: KeyedEvent): string {
  const actor = `{"type":"${actor_type}","id":${actor_id === null ? 'null' : `"${actor_id}"`}}`
  const key = JSON.stringify(request_key)
  return `id: ${seq}\ndata: {"seq":${seq},"type":"${type}","id":"${id}","at":"${rfc3339(at)}","actor":${actor},"key":${key},"data":${data}}\n\n`
}

/** What has no place in the sequence: JSON has no line breaks, which would end the line. */
export const namedFrame = (name: 'hello' | 'notice' | 'reset', data: object): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** By which both sides see that the connection is alive. */
export const COMMENT = ':\n\n'
