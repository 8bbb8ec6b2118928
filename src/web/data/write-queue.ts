import { signal } from '@preact/signals'
import { ApiProblem, InFront, LetGo } from './api.ts'
import { changedProblem, conflictsIn, deletedProblem, follow, isDone, isTyped, part, refusals } from './conflicts.ts'
import { decisions } from './decisions.ts'
import {
  entered,
  isOpen,
  isReplaceable,
  type Lane,
  laterThan,
  newQueued,
  overlaysOf,
  type Parked,
  type Queued,
  seenIn,
  type Ticket,
  unconfirmed,
  without,
} from './lanes.ts'
import { quiet } from './quiet.ts'
import { isFinal, isForgotten, KEPT_WAITING, type QueueParts, retryDelay, sending } from './sending.ts'
import type { Fields, Kind, Rec } from './types.ts'
import type { Write } from './write-storage.ts'

// My changes on their way to the server, each record's in order. A change is shown at once, kept in the browser until the
// server has answered, and sent with one key however often that takes.

export type WriteQueue = ReturnType<typeof writeQueue>

const SILENT_REBASES = 3
const SAVED_MS = 2000

export function writeQueue({ api, store, storage, timers, newKey, member, tab, isRefused }: QueueParts) {
  const lanes = new Map<string, Lane>()
  /** Changes with every change of a lane: what is derived from lanes reads it. */
  const revision = signal(0)
  const { request, fetchRecord, canFetch, noteDeleted } = sending({ api, store, timers, member })
  let isPaused = false
  /** Whoever takes writes over has them in this order, also where the clock was put right in between. */
  let newestAt = 0

  /** Resolves when the server has confirmed it, with the record; rejects with ApiProblem when it refuses. */
  function enqueue(given: Pick<Write, 'verb' | 'kind' | 'id' | 'body' | 'shown' | 'seen'> & { action?: string }) {
    const version = given.id === '' ? undefined : (store.find(given.kind, given.id)?.base?.version ?? undefined)
    const at = Math.max(timers.now(), newestAt + 1)
    const write: Write = { ...given, key: newKey(), version, isUnsure: false, at, member, tab }
    return quiet(new Promise<Rec | undefined>((resolve, reject) => add(write, { parts: 1, resolve, reject })))
  }

  function add(write: Write, ticket: Ticket): void {
    const [lane, queued] = entered(lanes, write, ticket)
    newestAt = Math.max(newestAt, write.at)
    void keep(queued)
    refresh(lane)
    pump(lane)
  }

  /** `from` is the record as its author saw it when they began to type, if that was not just now. */
  function patch(kind: Kind, id: string, fields: Fields, from?: Fields): Promise<Rec | undefined> {
    const entry = store.entry(kind, id)
    const seen = seenIn(from ?? entry.view.peek(), fields)
    const lane = lanes.get(`${kind}/${id}`)
    if (lane) Object.assign(seen, takeParked(lane, Object.keys(seen), entry.base))
    return enqueue({ verb: 'patch', kind, id, body: fields, shown: fields, seen })
  }

  /** Withdraws parked writes of these fields, which a new one replaces. Returns what its author has seen of them. */
  function takeParked(lane: Lane, paths: readonly string[], base: Rec | null | undefined): Fields {
    const seen: Fields = {}
    for (const queued of lane.queued.filter(isReplaceable)) {
      const taken = paths.filter((path) => path in queued.write.seen)
      if (taken.length === 0) continue
      const now = queued.parked?.why === 'conflict' ? seenIn(base, queued.write.shown) : queued.write.seen
      for (const path of taken) seen[path] = now[path]
      replace(lane, queued, without(queued.write, taken))
    }
    return seen
  }

  function replace(lane: Lane, queued: Queued, write: Write | undefined): void {
    if (!write) {
      forget(lane, queued)
      if (isOpen(queued)) queued.ticket.resolve(undefined) // a newer value is on its way
      return
    }
    void storage.remove(queued.write.key)
    queued.write = { ...write, key: newKey(write.key) }
    void keep(queued)
  }

  async function keep(queued: Queued, write = queued.write): Promise<void> {
    queued.isKept = await storage.put(write)
  }

  /** Shows what the lane holds now. */
  function refresh(lane: Lane): void {
    if (lanes.get(lane.name) !== lane) return
    const [kind, id] = lane.name.split('/') as [Kind, string]
    if (id !== 'new') store.lay(kind, id, overlaysOf(lane))
    if (lane.queued.length === 0 && lane.saved.size === 0) lanes.delete(lane.name)
    revision.value++
  }

  function pump(lane: Lane): void {
    const next = lane.queued.find(({ parked }) => parked === undefined)
    if (!next || next.isSending || isPaused || lane.stopTimer) return
    next.isSending = true
    void send(lane, next)
      .catch((error: unknown) => failed(lane, next, error))
      .finally(() => {
        next.isSending = false
        refresh(lane)
        pump(lane)
      })
  }

  async function send(lane: Lane, next: Queued): Promise<void> {
    if (next.failures > 0) {
      if (!next.isKept) await keep(next)
      else if (!(await storage.claim(next.write, tab, tab))) return leave(lane, next)
    }
    if (!next.isWanted && isForgotten(next.write, timers.now())) return park(lane, next, { why: 'old' })
    if (!next.write.isUnsure && !(await prepare(lane, next))) return
    const { write } = next
    const wasUnsure = write.isUnsure
    write.isUnsure = true
    try {
      done(lane, next, await request(write))
    } catch (error) {
      if (error instanceof ApiProblem) write.isUnsure = wasUnsure && KEPT_WAITING.includes(error.status)
      throw error
    }
  }

  /** Compares with the newest known state. Returns false if there is nothing to send. */
  async function prepare(lane: Lane, next: Queued): Promise<boolean> {
    const { verb, kind, id } = next.write
    if (verb === 'create' || verb === 'remove') return true
    const entry = store.entry(kind, id)
    if (entry.base === undefined) await fetchRecord(kind, id)
    const { base } = entry
    if (!lane.queued.includes(next)) return false
    if (!base) throw deletedProblem()
    const conflicts = conflictsIn(next.write, base)
    if (conflicts.length > 0 && verb === 'act') throw changedProblem(409)
    if (conflicts.length > 0) {
      divide(lane, next, conflicts, { why: 'conflict' }, changedProblem(412))
      return false
    }
    if (verb === 'patch' && isDone(next.write, base)) {
      done(lane, next, base)
      return false
    }
    next.write.version = Object.keys(next.write.seen).length > 0 ? base.version : undefined
    // Kept as sent: a browser that ends now does not know whether it was.
    await keep(next, { ...next.write, isUnsure: true })
    return lane.queued.includes(next)
  }

  async function failed(lane: Lane, next: Queued, error: unknown): Promise<void> {
    if (error instanceof InFront && (await isRefused(next)))
      return park(lane, next, { why: 'front', status: error.status })
    if (!lane.queued.includes(next)) return // its event came before
    if (!(error instanceof ApiProblem)) return wait(lane, next)
    const { verb, kind, id } = next.write
    const { status } = error
    if (status === 401) {
      isPaused = true
      next.isWaiting = true
      return
    }
    if (!isFinal(error, next.failures)) return wait(lane, next, error.retryAfterMs)
    if (status === 412) {
      if (!(await canFetch(kind, id)) || ++next.rebases > SILENT_REBASES) wait(lane, next)
      return
    }
    if (status === 404 && verb === 'remove') return done(lane, next, undefined)
    if (status === 404 && id !== '') {
      noteDeleted(kind, id, null)
      return park(lane, next, { why: 'deleted' }, error)
    }
    if (verb === 'patch') {
      const messages = refusals(error, Object.keys(next.write.seen))
      const isShown = status === 422 && Object.keys(messages).every(isTyped)
      return divide(lane, next, Object.keys(messages), { why: 'refused', messages, isShown }, error)
    }
    forget(lane, next)
    refresh(lane)
    next.ticket.reject(error)
  }

  /** Tries again later, each time after twice as long. */
  function wait(lane: Lane, next: Queued, afterMs?: number): void {
    next.isWaiting = true
    next.failures++
    lane.stopTimer = timers.after(afterMs ?? retryDelay(next.failures - 1), () => {
      lane.stopTimer = undefined
      pump(lane)
    })
  }

  /** Parks the write as far as it is about these fields; the rest goes on as a request of its own. */
  function divide(lane: Lane, next: Queued, paths: readonly string[], why: Parked, problem: ApiProblem): void {
    const rest = Object.keys(next.write.seen).filter((path) => !paths.includes(path))
    if (rest.length > 0) {
      const { write, ticket } = next
      const other = newQueued(part(write, rest, newKey(write.key)), ticket)
      ticket.parts++
      lane.queued.splice(lane.queued.indexOf(next), 0, other)
      void keep(other)
      replace(lane, next, part(write, paths, write.key))
    }
    park(lane, next, why, problem)
  }

  /** Its caller is told of a `problem`; without one, the write may still happen. */
  function park(lane: Lane, next: Queued, why: Parked, problem?: ApiProblem): void {
    if (!lane.queued.includes(next)) return // its event came meanwhile
    next.parked = why
    next.isWaiting = false
    if (problem) next.write.isUnsure = false
    // Later changes of these fields take its place: their author has seen no more than this one's.
    if (why.why !== 'conflict' && why.why !== 'deleted') followers(lane, next, next.write.seen)
    const later = laterThan(lane, next).flatMap(({ write }) => Object.keys(write.seen))
    if (next.write.verb === 'patch' && later.some((path) => path in next.write.seen))
      replace(lane, next, without(next.write, later))
    refresh(lane)
    if (problem) next.ticket.reject(problem)
  }

  function followers(lane: Lane, next: Queued, now: Fields): void {
    const { shown, seen } = next.write
    for (const later of laterThan(lane, next)) {
      follow(later.write, Object.keys(seen), shown, now)
      void keep(later)
    }
  }

  function done(lane: Lane, next: Queued, record: Rec | undefined): void {
    if (!lane.queued.includes(next)) return
    if (record) followers(lane, next, record)
    forget(lane, next)
    const paths = Object.keys(next.write.seen)
    for (const path of paths) lane.saved.add(path)
    if (paths.length > 0)
      timers.after(SAVED_MS, () => {
        for (const path of paths) lane.saved.delete(path)
        refresh(lane)
      })
    refresh(lane)
    if (--next.ticket.parts === 0) next.ticket.resolve(record)
  }

  /** Another tab has sent it, or will: what is stored is that tab's. */
  async function leave(lane: Lane, next: Queued): Promise<void> {
    lane.queued.splice(lane.queued.indexOf(next), 1)
    next.ticket.reject(new LetGo('Another tab sends it.'))
    if (next.write.id) await fetchRecord(next.write.kind, next.write.id).catch(() => undefined)
  }

  function forget(lane: Lane, next: Queued): void {
    lane.queued.splice(lane.queued.indexOf(next), 1)
    void storage.remove(next.write.key)
  }

  /** My write of this key has happened: its event came before its answer, or instead of it. A new mail makes a contact, too. */
  function echo(key: string, kind: Kind, record: Rec | undefined): void {
    const [lane, found] = unconfirmed(lanes, key) ?? []
    if (!lane || !found || (found.write.verb === 'create' && found.write.kind !== kind)) return
    // Whoever made it goes on with it at once, as after an answer.
    if (record && found.write.verb === 'create') store.accept(found.write.kind, record, { isCreation: true })
    done(lane, found, record)
    resume(lane)
  }

  function resume(lane: Lane): void {
    lane.stopTimer?.()
    lane.stopTimer = undefined
    refresh(lane)
    pump(lane)
  }

  /** Tries everything that waits, for example because the network is back. */
  function kick(): void {
    isPaused = false
    for (const lane of [...lanes.values()]) resume(lane)
  }

  /** Takes over a write of an earlier page, or of a tab that was closed, which may have sent it. */
  function adopt(write: Write): void {
    const isUnsure = write.isUnsure || write.verb === 'create'
    add({ ...write, tab, isUnsure }, { parts: 1, resolve: () => undefined, reject: () => undefined })
  }

  const decided = decisions({ lanes, store, revision, patch, takeParked, followers, forget, resume })
  /** Whether a change is in this page only, since the browser could not keep it. */
  const isLoose = (): boolean => [...lanes.values()].some(({ queued }) => queued.some(({ isKept }) => isKept === false))

  return { patch, enqueue, echo, kick, adopt, isLoose, ...decided }
}
