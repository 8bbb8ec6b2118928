import { batch } from '@preact/signals'
import { type Noun, PATHS } from '../../lib/pure/nouns.ts'
import type { RecordStore } from './record-store.ts'
import type { StreamEvent } from './stream-types.ts'
import type { Fields, Kind, Rec } from './types.ts'
import type { WriteQueue } from './write-queue.ts'

/** The kind of what an event is about; undefined for what no page holds, such as transcripts. */
export function kindOf(type: string): Kind | undefined {
  const noun = type.slice(0, type.indexOf('.')) as Noun
  return noun === 'transcript' ? undefined : (PATHS[noun] as Kind | undefined)
}

type Parts = {
  store: RecordStore
  queue: WriteQueue
  /** Whether answers are on their way, which may be older than this event. */
  isReading: () => boolean
}

export type EventApplier = ReturnType<typeof eventApplier>

/** Takes events into the store, however late and however often they come. */
export function eventApplier({ store, queue, isReading }: Parts) {
  const listeners = new Set<(event: StreamEvent, kind: Kind) => void>()

  function apply(events: readonly StreamEvent[]): void {
    batch(() => {
      for (const event of events) {
        const kind = kindOf(event.type)
        if (kind) applyOne(event, kind)
      }
    })
  }

  function applyOne(event: StreamEvent, kind: Kind): void {
    const { type, key, actor, at, data } = event
    const { id } = data.object
    const author = { by: actor.id, at }
    const isDeletion = type.endsWith('.deleted')
    if (isDeletion) store.remove(kind, id, { ...author, eventId: event.id })
    else if (store.find(kind, id)) {
      store.accept(kind, objectOf(kind, event), { author, isCreation: type.endsWith('.created') })
    } else if (isReading()) store.remember(kind, objectOf(kind, event))
    else store.forgetRemembered()
    if (key !== null) queue.echo(key, kind, isDeletion ? undefined : objectOf(kind, event))
    for (const listener of listeners) listener(event, kind)
  }

  /** Events leave out what may need another scope: of lists the number of members, which stays as it was known. */
  function objectOf(kind: Kind, { data }: StreamEvent): Rec {
    if (kind !== 'lists') return data.object
    const known = store.find(kind, data.object.id)?.base as Fields | null | undefined
    return { ...data.object, member_count: data.object.member_count ?? known?.member_count ?? null }
  }

  /** Called after the store has taken the event. */
  function onEvent(listener: (event: StreamEvent, kind: Kind) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  return { apply, onEvent }
}
