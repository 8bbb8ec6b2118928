import { type Signal, signal } from '@preact/signals'
import type { Fields, Kind, Rec } from './types.ts'
import { changedPaths, patched } from './values.ts'

// What this browser knows of the records: the newest state that the server sent (base), and my own changes that it has not
// confirmed, laid over. A base is only ever replaced by a newer version, whichever way it came.

export type Author = { by: string | null; at: string }
export type Deletion = Author & { eventId: string | null }

/** My unconfirmed change, as far as it is shown. */
export type Overlay = { key: string; fields: Fields }

export type Entry = {
  readonly kind: Kind
  readonly id: string
  /** undefined: not loaded; null: deleted. */
  base: Rec | null | undefined
  /** Only some fields are known, for example those of the board. */
  isPartial: boolean
  overlays: readonly Overlay[]
  /** What is shown: the base with the overlays. */
  readonly view: Signal<Rec | null | undefined>
  readonly deletion: Signal<Deletion | undefined>
  /** Who set a field last, as far as events have said so. */
  authors: Map<string, Author>
  /** The number of lists and boards that hold on to it. */
  pins: number
  isWatched: boolean
}

export type Change = { kind: Kind; id: string; before: Rec | null | undefined; after: Rec | null | undefined }

/** `since` is what `moment` returned before the request: a record deleted after that is not brought back. */
export type Known = { since?: number; isPartial?: boolean; author?: Author; isCreation?: boolean }

export type RecordStore = ReturnType<typeof recordStore>

/** Records that nothing shows are kept for a quick return to them, up to this number. */
const MAX_IDLE = 2000
const MAX_DELETIONS = 1000

export function recordStore({ maxIdle = MAX_IDLE }: { maxIdle?: number } = {}) {
  const entries = new Map<string, Entry>()
  /** Entries in `entries` that may be dropped, the least recently used first. */
  const idle = new Map<string, Entry>()
  /** Dropped ones, in case somebody still has their signal. */
  const dropped = new Map<string, WeakRef<Entry>>()
  const collected = new FinalizationRegistry<string>((name) => {
    if (!dropped.get(name)?.deref()) dropped.delete(name)
  })
  const deletions = new Map<string, number>()
  /** States of records that nothing has loaded, which are newer than answers that are on their way. */
  const remembered = new Map<string, Rec>()
  const listeners = new Set<(change: Change) => void>()
  let moments = 0
  /** When the page was read anew. */
  let renewed = 0

  const nameOf = (kind: Kind, id: string): string => `${kind}/${id}`

  function find(kind: Kind, id: string): Entry | undefined {
    const name = nameOf(kind, id)
    return entries.get(name) ?? dropped.get(name)?.deref()
  }

  function entry(kind: Kind, id: string): Entry {
    const found = find(kind, id) ?? make(kind, id)
    keep(found)
    return found
  }

  function make(kind: Kind, id: string): Entry {
    const made: Entry = {
      kind,
      id,
      base: undefined,
      isPartial: false,
      overlays: [],
      view: signal<Rec | null | undefined>(undefined, {
        watched: () => watch(made, true),
        unwatched: () => watch(made, false),
      }),
      deletion: signal(undefined),
      authors: new Map(),
      pins: 0,
      isWatched: false,
    }
    return made
  }

  function watch(found: Entry, isWatched: boolean): void {
    found.isWatched = isWatched
    keep(found)
  }

  const isNeeded = ({ isWatched, pins, overlays }: Entry): boolean => isWatched || pins > 0 || overlays.length > 0

  /** Keeps the entry, at least until others have been used more recently. */
  function keep(found: Entry): void {
    const name = nameOf(found.kind, found.id)
    entries.set(name, found)
    dropped.delete(name)
    idle.delete(name)
    if (isNeeded(found)) return
    idle.set(name, found)
    if (idle.size > maxIdle) drop()
  }

  function drop(): void {
    const [name, oldest] = idle.entries().next().value as [string, Entry]
    idle.delete(name)
    entries.delete(name)
    dropped.set(name, new WeakRef(oldest))
    collected.register(oldest, name)
  }

  /** Takes a state of the record that the server sent. Returns whether it was news. */
  function accept(kind: Kind, given: Rec, known: Known = {}): boolean {
    const { since, author, isCreation } = known
    const newer = remembered.get(nameOf(kind, given.id))
    const isNewer = newer !== undefined && newer.version > given.version
    const record = isNewer ? newer : given
    const isPartial = known.isPartial === true && !isNewer
    if (since !== undefined && (deletions.get(nameOf(kind, record.id)) ?? -1) >= since) return false
    if (since !== undefined && !isCurrent(since) && find(kind, record.id)?.base === undefined) return false
    const found = entry(kind, record.id)
    const { base } = found
    if (base === null && since === undefined && !isCreation) return false
    if (base && base.version > record.version) return false
    if (base && base.version === record.version && (isPartial || !found.isPartial)) return false
    if (base && author) for (const path of changedPaths(base, record)) found.authors.set(path, author)
    found.base = isPartial && base ? { ...base, ...record } : record
    found.isPartial = isPartial
    found.deletion.value = undefined
    show(found)
    return true
  }

  function remove(kind: Kind, id: string, deletion: Deletion): void {
    const name = nameOf(kind, id)
    deletions.delete(name)
    deletions.set(name, ++moments)
    if (deletions.size > MAX_DELETIONS) deletions.delete(deletions.keys().next().value as string)
    const found = find(kind, id)
    if (!found) {
      for (const listener of listeners) listener({ kind, id, before: undefined, after: null })
      return
    }
    found.base = null
    if (!found.deletion.peek()?.eventId) found.deletion.value = deletion
    show(found)
  }

  /** Lays the overlays over the base, instead of those before. */
  function lay(kind: Kind, id: string, overlays: readonly Overlay[]): void {
    const found = entry(kind, id)
    found.overlays = overlays
    show(found)
    keep(found)
  }

  function show(found: Entry): void {
    const before = found.view.peek()
    let after = found.base
    if (after) for (const { fields } of found.overlays) after = patched(after, fields)
    found.view.value = after
    if (after === before) return
    const { kind, id } = found
    for (const listener of listeners) listener({ kind, id, before, after })
  }

  /** Keeps a record while something shows it as one of many, without watching its signal. */
  function pin(kind: Kind, id: string): void {
    const found = entry(kind, id)
    found.pins++
    keep(found)
  }

  function unpin(kind: Kind, id: string): void {
    const found = find(kind, id)
    if (!found || found.pins === 0) return
    found.pins--
    keep(found)
  }

  function onChange(listener: (change: Change) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  const remember = (kind: Kind, record: Rec): void => void remembered.set(nameOf(kind, record.id), record)

  /** All records that must not be dropped. */
  const needed = (): Entry[] => [...entries.values()].filter(isNeeded)

  /** All records that are on the screen or have changes of mine. */
  const shown = (): Entry[] =>
    [...entries.values()].filter(({ isWatched, overlays }) => isWatched || overlays.length > 0)

  /** The page is read anew: events before that are not sent again. Call this when the server has answered. */
  function renew(): void {
    renewed = ++moments
  }

  /** Whether an answer to a request of that moment is followed by events: else it may be older than what they skip. */
  const isCurrent = (since: number): boolean => since > renewed

  /** Drops what nothing shows: it may be outdated. */
  function forgetIdle(): void {
    while (idle.size > 0) drop()
    for (const entry of dropped.values()) {
      const found = entry.deref()
      if (found) found.base = undefined
    }
  }

  return {
    find,
    entry,
    forgetIdle,
    remember,
    forgetRemembered: () => remembered.clear(),
    accept,
    remove,
    lay,
    pin,
    unpin,
    onChange,
    needed,
    /** All that are known, for searching in them. */
    all: () => entries.values(),
    shown,
    moment: () => moments + 1,
    renew,
    isCurrent,
    size: () => entries.size,
  }
}
