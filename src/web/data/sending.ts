import { type Api, ApiProblem } from './api.ts'
import type { Queued } from './lanes.ts'
import type { RecordStore } from './record-store.ts'
import type { Timers } from './timers.ts'
import type { Kind, Rec } from './types.ts'
import type { Write, WriteStorage } from './write-storage.ts'

/** What the queue of my changes works with. */
export type QueueParts = {
  api: Api
  store: RecordStore
  storage: WriteStorage
  timers: Timers
  /** `of`: the key of a write that this one goes on with. */
  newKey: (of?: string) => string
  /** Whose writes these are, and in which tab. */
  member: string
  tab: string
  /** Whether something in front of the server refuses this write alone. */
  isRefused: (write: Queued) => Promise<boolean>
}

/** Single requests about single records, whose answers the store takes. All of them throw ApiProblem and NoAnswer. */
export function sending({ api, store, timers, member }: Pick<QueueParts, 'api' | 'store' | 'timers' | 'member'>) {
  /** Returns the record as the server has it then; undefined for a deletion. */
  async function request({ verb, kind, id, action, body, key, version }: Write): Promise<Rec | undefined> {
    const since = store.moment()
    // A message takes the files of a draft along, which no token has.
    const path = `/${kind === 'messages' ? 'app' : 'api/v1'}/${kind}${id && `/${id}`}${action ? `/${action}` : ''}`
    if (verb === 'remove') {
      await api.request('DELETE', path, { key })
      noteDeleted(kind, id, member)
      return undefined
    }
    const method = verb === 'patch' ? 'PATCH' : 'POST'
    const asked = { body, key, version: id ? version : undefined }
    const { body: record, isReplayed } = await api.request<Rec>(method, path, asked)
    if (record?.version === undefined || (id !== '' && record.id !== id)) return record
    // A repeated answer is as old as the first try: others may have changed the record before this page was loaded.
    if (isReplayed || !store.isCurrent(since)) await fetchRecord(kind, record.id)
    else store.accept(kind, record, { since })
    return record
  }

  /** Returns the record, as new as the events that follow. */
  async function fetchCurrent(kind: Kind, id: string): Promise<Rec> {
    for (;;) {
      const since = store.moment()
      const found = await api.get<Rec>(`/api/v1/${kind}/${id}`)
      if (!store.isCurrent(since)) continue
      store.accept(kind, found, { since })
      return found
    }
  }

  async function fetchRecord(kind: Kind, id: string): Promise<void> {
    try {
      await fetchCurrent(kind, id)
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 404)) throw error
      noteDeleted(kind, id, null)
    }
  }

  const canFetch = (kind: Kind, id: string): Promise<boolean> =>
    fetchRecord(kind, id).then(
      () => true,
      () => false,
    )

  const noteDeleted = (kind: Kind, id: string, by: string | null): void =>
    store.remove(kind, id, { by, at: new Date(timers.now()).toISOString(), eventId: null })

  return { request, fetchCurrent, fetchRecord, canFetch, noteDeleted }
}

/** Answers after which it is still unknown whether an earlier try wrote: the server did not look at the key. */
export const KEPT_WAITING = [401, 429, 500, 502, 503, 504]

const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 30_000

/** Each time after twice as long. */
export const retryDelay = (failures: number): number => Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS)

/** An internal error that comes back each time is the answer. */
const MAX_SERVER_ERRORS = 5

/** Whether the server has refused the write, so that trying again is of no use. */
export function isFinal({ status, code }: ApiProblem, failures: number): boolean {
  return status < 500 ? status !== 429 : code === 'internal_error' && failures >= MAX_SERVER_ERRORS
}

/** After this a key may be forgotten before an answer comes. */
const KEY_MS = 20 * 3_600_000

/** The server would make it once more: it knows keys for a day. Changes of records are compared with these anyway. */
export const isForgotten = ({ verb, isUnsure, at }: Write, now: number): boolean =>
  verb === 'create' && isUnsure && now - at > KEY_MS
