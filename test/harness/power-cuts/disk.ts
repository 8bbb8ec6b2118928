import { type Change, type Content, changed, contentOf, leftOf, type Random } from './content.ts'
import { FILES, type File, type Op } from './trace.ts'

// The two files of a database on a disk whose power is cut.

/** The contents of the files; undefined if there is no such file. */
export type State = Record<File, Buffer | undefined>

export function disk(start: State) {
  const synced: Record<File, Content> = { 'dealbox.db': contentOf(start['dealbox.db']), 'dealbox.db-wal': undefined }
  const pending: Record<File, Change[]> = { 'dealbox.db': [], 'dealbox.db-wal': [] }

  function apply(op: Op): void {
    if (op.type === 'acknowledged') return
    if (op.type !== 'sync') return void pending[op.file].push(op)
    for (const each of pending[op.file]) synced[op.file] = changed(synced[op.file], each)
    pending[op.file] = []
  }

  /** A state in which the power can leave the disk now. */
  function cut(random: Random): State {
    return Object.fromEntries(FILES.map((file) => [file, leftOf(synced[file], pending[file], random)])) as State
  }

  return { apply, cut }
}
