import { hash } from 'node:crypto'
import type { Write } from '../../store/commit.ts'
import type { Database } from '../../store/sqlite/driver.ts'

// The contents of files. Each is stored once per organisation, under its hash, in chunks: so neither a write nor a read
// of a large one keeps others waiting. Which messages have it is in `attachments`; a trigger deletes it with the last.

/**
 * Fixed by what is stored: the position of a chunk follows from it. A multiple of three bytes, so that chunks are
 * encoded as base64 without padding.
 */
const CHUNK_BYTES = 786_432

/** Bytes to store. `slice` returns those from `start` on, before `end`. */
export type Content = { sha256: string; size_bytes: number; slice: (start: number, end: number) => Buffer }

export const contentOf = (bytes: Buffer, sha256 = hash('sha256', bytes)): Content => ({
  sha256,
  size_bytes: bytes.length,
  slice: (start, end) => bytes.subarray(start, end),
})

export function contentStore(db: Database) {
  const byId = db.prepare('SELECT size_bytes, is_staged FROM file_contents WHERE org_id = ? AND sha256 = ?')
  const insert = db.prepare(
    'INSERT INTO file_contents (org_id, sha256, size_bytes, is_staged) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING',
  )
  const keep = db.prepare('UPDATE file_contents SET is_staged = 0 WHERE org_id = ? AND sha256 = ?')
  const drop = db.prepare('DELETE FROM file_contents WHERE org_id = ? AND sha256 = ? AND is_staged = 1')
  const insertChunk = db.prepare(
    'INSERT INTO file_chunks (org_id, sha256, position, data) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const countChunks = db.prepare('SELECT count(*) FROM file_chunks WHERE org_id = ? AND sha256 = ?').pluck()
  const chunkAt = db.prepare('SELECT data FROM file_chunks WHERE org_id = ? AND sha256 = ? AND position = ?').pluck()

  const isStored = (org: number, { sha256 }: Content): boolean =>
    (byId.get(org, sha256) as { is_staged: number } | undefined)?.is_staged === 0

  function putChunk(org: number, { sha256, size_bytes, slice }: Content, position: number): void {
    const start = position * CHUNK_BYTES
    insertChunk.run(org, sha256, position, slice(start, Math.min(start + CHUNK_BYTES, size_bytes)))
  }

  /** Stores a content for the attachment that is about to refer to it, unless the organisation has it already. */
  function put(org: number, content: Content): void {
    if (isStored(org, content)) return
    const { sha256, size_bytes } = content
    insert.run(org, sha256, size_bytes)
    const chunks = Math.ceil(size_bytes / CHUNK_BYTES)
    if (countChunks.get(org, sha256) !== chunks)
      for (let position = 0; position < chunks; position++) putChunk(org, content, position)
    keep.run(org, sha256)
  }

  /**
   * Writes the chunks of a content in transactions of their own, before the one that needs it: 36 MiB in one would keep
   * everyone waiting for 150 ms. Until then the content is marked as staged.
   */
  async function stage(write: Write, org: number, content: Content): Promise<void> {
    const { sha256, size_bytes } = content
    for (let position = 0; position * CHUNK_BYTES < size_bytes; position++) {
      const isDone = await write(() => {
        if (isStored(org, content)) return true
        insert.run(org, sha256, size_bytes)
        putChunk(org, content, position)
        return false
      })
      if (isDone) return
    }
  }

  /** Deletes what was staged and is not needed after all. */
  function unstage(org: number, { sha256 }: Content): void {
    drop.run(org, sha256)
  }

  /** Reads the bytes from `start` on, before `end`, one chunk at a time. Throws if the content is deleted meanwhile. */
  function* read(org: number, sha256: string, start: number, end: number): Generator<Buffer> {
    for (let at = start; at < end; ) {
      const position = Math.floor(at / CHUNK_BYTES)
      const chunk = chunkAt.get(org, sha256, position) as Buffer | undefined
      if (!chunk) throw new Error('The file was deleted while it was read.')
      const base = position * CHUNK_BYTES
      yield chunk.subarray(at - base, end - base)
      at = base + CHUNK_BYTES
    }
  }

  return { put, stage, unstage, read }
}

/** Deletes what was staged by a server that has ended. Only one server at a time stages, so call it at the start. */
export function deleteStagedContents(db: Database): void {
  db.prepare('DELETE FROM file_contents WHERE is_staged = 1').run()
}
