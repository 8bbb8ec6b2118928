/**
 * Where Litestream keeps a copy of the database: what it has there, and the small files of Dealbox beside it. Everything
 * rejects with a Problem whose sentence names the place, or with the reason of the signal.
 */
export type ReplicaStorage = {
  /** For people: the folder, or the address. */
  name: string
  /** The names of the files of a level. */
  files: (level: number, signal?: AbortSignal) => Promise<string[]>
  /** The first bytes of one of them; undefined if it is gone, as into a file of a higher level. */
  start: (level: number, name: string, bytes: number, signal?: AbortSignal) => Promise<Buffer | undefined>
  /** The names of the files of Dealbox. */
  own: (signal?: AbortSignal) => Promise<string[]>
  /** One of them; undefined if there is none. */
  get: (name: string, signal?: AbortSignal) => Promise<Buffer | undefined>
  put: (name: string, content: Buffer, signal?: AbortSignal) => Promise<void>
  /** Puts it only if there is none: of all who do so, one succeeds. Resolves with whether the file has this content. */
  create: (name: string, content: Buffer, signal?: AbortSignal) => Promise<boolean>
  /**
   * What tells one of them from a copy of it that another machine has: its number in the file system and when it changed
   * there. Undefined if there is none; only where places are folders.
   */
  identity?: (name: string, signal?: AbortSignal) => Promise<string | undefined>
  /** Puts a file of a level, which another program has made; see cut.ts. */
  putFile: (level: number, name: string, content: Buffer, signal?: AbortSignal) => Promise<void>
  /** The same with what Litestream keeps in a folder below, and the same files of Dealbox. */
  below: (folder: string) => ReplicaStorage
}

/** The folder of our files beside those of Litestream. */
export const OWN_FOLDER = 'dealbox'
