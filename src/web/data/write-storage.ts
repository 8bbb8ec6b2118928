import type { Fields, Kind } from './types.ts'

/** A write of mine that the server has not confirmed, as it is kept in the browser. */
export type Write = {
  /** Its Idempotency-Key: however often it is sent, it happens once. */
  key: string
  verb: 'patch' | 'create' | 'act' | 'remove'
  kind: Kind
  /** Empty for a create. */
  id: string
  /** The last part of the path of an act, such as `close`. */
  action?: string
  body: Fields
  /** What the record is shown with while the write waits: the body of a patch, what the caller expects of an act. */
  shown: Fields
  /** The values of the fields that its author saw when making the change, by path. */
  seen: Fields
  /** The version that it was last sent for. */
  version: number | undefined
  /** It was sent, and no answer came: it may have happened. */
  isUnsure: boolean
  at: number
  /** The member whose write it is, and the tab that sends it. */
  member: string
  tab: string
}

/** Where writes wait so that neither a reload nor a crash of the browser loses them. */
export type WriteStorage = {
  all(): Promise<Write[]>
  /** Returns whether it is kept: a disk may be full. */
  put(write: Write): Promise<boolean>
  remove(key: string): Promise<void>
  /**
   * Gives the write to another tab, in one transaction. Returns whether it was still that of `from`. What went away with the
   * data of the site is kept anew.
   */
  claim(write: Write, from: string, to: string): Promise<boolean>
}

/** For browsers without IndexedDB: writes last as long as the page. */
export function memoryStorage(): WriteStorage {
  const kept = new Map<string, string>()
  return {
    all: async () => [...kept.values()].map((text) => JSON.parse(text) as Write),
    put: async (write) => kept.set(write.key, JSON.stringify(write)) === kept,
    remove: async (key) => void kept.delete(key),
    claim: async ({ key }, from, to) => {
      const text = kept.get(key)
      const write = text === undefined ? undefined : (JSON.parse(text) as Write)
      if (write?.tab !== from) return false
      kept.set(key, JSON.stringify({ ...write, tab: to }))
      return true
    },
  }
}
