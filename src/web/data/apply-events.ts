import { batch, signal } from '@preact/signals'
import type { RecordStore } from './record-store.ts'
import type { StreamEvent } from './stream-types.ts'
import type { Fields, Kind, Rec } from './types.ts'
import type { WriteQueue } from './write-queue.ts'

/** A change that I made, as the server has written it: what undo is for. */
export type OwnChange = { eventId: string; seq: number; type: string; kind: Kind; id: string; at: string }

const KINDS: Record<string, Kind> = {
  deal: 'deals',
  contact: 'contacts',
  company: 'companies',
  task: 'tasks',
  note: 'notes',
  tag: 'tags',
  list: 'lists',
  custom_field: 'custom-fields',
  meeting: 'meetings',
  conversation: 'conversations',
  message: 'messages',
  enrollment: 'enrollments',
}

export const kindOf = (type: string): Kind | undefined => KINDS[type.slice(0, type.indexOf('.'))]

const MAX_CHANGES = 50

type Parts = {
  store: RecordStore
  queue: WriteQueue
  member: string
  /** Whether the key is one of this tab, and whether this tab has just deleted the record: deletions have no key. */
  isMine: (key: string) => boolean
  wasRemoved: (kind: Kind, id: string) => boolean
  /** Whether answers are on their way, which may be older than this event. */
  isReading: () => boolean
}

export type EventApplier = ReturnType<typeof eventApplier>

/** Takes events into the store, however late and however often they come. */
export function eventApplier({ store, queue, member, isMine, wasRemoved, isReading }: Parts) {
  const listeners = new Set<(event: StreamEvent, kind: Kind) => void>()
  const changes = signal<readonly OwnChange[]>([])

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
    if (key !== null) queue.echo(key, isDeletion ? undefined : data.object)
    if (key !== null ? isMine(key) : isDeletion && actor.id === member && wasRemoved(kind, id)) {
      const change = { eventId: event.id, seq: event.seq, type, kind, id, at }
      changes.value = [...changes.peek(), change].slice(-MAX_CHANGES)
    }
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

  function takeLastChange(): OwnChange | undefined {
    const last = changes.peek().at(-1)
    if (last) changes.value = changes.peek().slice(0, -1)
    return last
  }

  /** For a change that could not be undone yet. */
  function putBack(change: OwnChange): void {
    changes.value = [...changes.peek(), change].sort((one, other) => one.seq - other.seq)
  }

  return { apply, onEvent, changes, takeLastChange, putBack }
}
