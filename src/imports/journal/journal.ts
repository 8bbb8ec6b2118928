import { conflict, type Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import type { Given, ImportObject, Writable } from '../writable.ts'

/** What an import did to a record, for undo; `before` contains the fields that an update changed. */
export type Touched = {
  object: Writable
  id: string
  action: 'created' | 'updated'
  version: number
  before: Given | null
}

export type Taken = { result: 'created' | 'updated' | 'unchanged'; touched: Touched[] }

export const RESULTS = ['created', 'updated', 'unchanged', 'rejected'] as const
export type Counts = Record<(typeof RESULTS)[number], number>

/** A stored import; `position` counts the finished rows. */
export type ImportRow = Counts & {
  id: string
  object: ImportObject | 'meeting'
  file_name: string
  content: string
  options: string
  position: number
  started_at: number
  finished_at: number | null
  undo_started_at: number | null
  undone_at: number | null
}

/** A value that a row was imported without. */
export type Omission = { column: string; reason: string }

/** What was left out of a column: how often, and the reason in its first row. */
export type OmittedColumn = { column: string; count: number; reason: string }

/** The result of a row; `omitted` is of a row that was imported. */
export type Done = { row: number; taken?: Taken; error?: string; omitted?: readonly Omission[] }

/** Everything that an import did to one record, in row order. */
export type RecordRows = { id: string; object: Touched['object']; rows: JournalRow[] }
export type JournalRow = { action: 'created' | 'updated'; version: number; before: Given | null }

type StoredRow = Omit<JournalRow, 'before'> & { object: Touched['object']; previous: string | null }

/**
 * The journal of imports, written in the same transactions as the records. Functions that write run in the caller's
 * transaction.
 */
export function journal({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const byId = db.prepare('SELECT * FROM imports WHERE org_id = ? AND id = ?')
  const ofContent = db.prepare(
    'SELECT * FROM imports WHERE org_id = ? AND content = ? AND object = ? AND undo_started_at IS NULL ORDER BY id DESC',
  )
  const insert = db.prepare(
    `INSERT INTO imports (org_id, id, object, file_name, content, options, position, created, updated, unchanged, rejected, started_at)
     VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, ?)`,
  )
  const advance = db.prepare(
    `UPDATE imports SET position = ?, created = ?, updated = ?, unchanged = ?, rejected = ?
     WHERE org_id = ? AND id = ? AND position = ? AND finished_at IS NULL AND undo_started_at IS NULL`,
  )
  const setFinished = db.prepare(
    `UPDATE imports SET finished_at = ?
     WHERE org_id = ? AND id = ? AND position = ? AND finished_at IS NULL AND undo_started_at IS NULL`,
  )
  const addRow = db.prepare(
    `INSERT INTO import_rows (org_id, import_id, record_id, row_number, object, action, version, previous)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const addReject = db.prepare('INSERT INTO import_rejects (org_id, import_id, row_number, error) VALUES (?, ?, ?, ?)')
  const rejects = db.prepare(
    'SELECT row_number AS row, error FROM import_rejects WHERE org_id = ? AND import_id = ? ORDER BY row_number',
  )
  const addOmission = db.prepare(
    `INSERT INTO import_omissions (org_id, import_id, row_number, position, column_name, reason)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const omissions = db.prepare(
    `SELECT row_number AS row, column_name AS column, reason FROM import_omissions
     WHERE org_id = ? AND import_id = ? ORDER BY row_number, position`,
  )
  // With min(), SQLite takes the reason from the row of the minimum.
  const omittedColumns = db.prepare(
    `SELECT column_name AS column, count(*) AS count, reason, min(row_number * 1000 + position) AS first
     FROM import_omissions WHERE org_id = ? AND import_id = ? GROUP BY column_name ORDER BY count DESC, first`,
  )
  const made = db.prepare(
    `SELECT object, count(*) AS count FROM import_rows
     WHERE org_id = ? AND import_id = ? AND action = 'created' GROUP BY object ORDER BY object`,
  )
  const madeTags = db
    .prepare(
      `SELECT tags.name FROM import_rows JOIN tags ON tags.org_id = import_rows.org_id AND tags.id = record_id
       WHERE import_rows.org_id = ? AND import_id = ? AND object = 'tag' AND action = 'created' ORDER BY record_id`,
    )
    .pluck()
  const recordsBelow = db
    .prepare(
      `SELECT DISTINCT record_id FROM import_rows WHERE org_id = ? AND import_id = ? AND record_id < ? AND is_undone = 0
       ORDER BY record_id DESC LIMIT ?`,
    )
    .pluck()
  const rowsOf = db.prepare(
    `SELECT object, action, version, previous FROM import_rows
     WHERE org_id = ? AND import_id = ? AND record_id = ? ORDER BY row_number`,
  )
  const created = db
    .prepare(
      "SELECT 1 FROM import_rows WHERE org_id = ? AND import_id = ? AND record_id = ? AND action = 'created' LIMIT 1",
    )
    .pluck()
  const setUndone = db.prepare(
    'UPDATE import_rows SET is_undone = 1 WHERE org_id = ? AND import_id = ? AND record_id = ?',
  )
  const startUndo = db.prepare(
    'UPDATE imports SET undo_started_at = coalesce(undo_started_at, ?) WHERE org_id = ? AND id = ? AND undone_at IS NULL',
  )
  const endUndo = db.prepare('UPDATE imports SET undone_at = ? WHERE org_id = ? AND id = ?')

  function start(org: number, given: Pick<ImportRow, 'object' | 'file_name' | 'content' | 'options'>): ImportRow {
    const id = clock.id()
    insert.run(org, id, given.object, given.file_name, given.content, given.options, clock.now())
    return find(org, id) as ImportRow
  }

  const find = (org: number, id: string): ImportRow | undefined => byId.get(org, id) as ImportRow | undefined

  /** Returns the imports of a file that were not undone, latest first. */
  const ofFile = (org: number, content: string, object: ImportRow['object']): ImportRow[] =>
    ofContent.all(org, content, object) as ImportRow[]

  /** Records the results of the next rows. Throws 409 if another process has continued the import. */
  function note(org: number, before: ImportRow, done: readonly Done[]): ImportRow {
    const after = { ...before, position: before.position + done.length }
    for (const { row, taken, error, omitted = [] } of done) {
      after[taken?.result ?? 'rejected']++
      if (error !== undefined) addReject.run(org, before.id, row, error)
      for (const [position, { column, reason }] of omitted.entries())
        addOmission.run(org, before.id, row, position, column, reason)
      addTouched(org, before.id, row, taken?.touched ?? [])
    }
    const counts = RESULTS.map((result) => after[result])
    if (advance.run(after.position, ...counts, org, before.id, before.position).changes === 0) throw moved()
    return after
  }

  /** Records that nothing is left to do: the rows are done, and what could not be imported is in its file. */
  function finish(org: number, before: ImportRow): ImportRow {
    const after = { ...before, finished_at: clock.now() }
    if (setFinished.run(after.finished_at, org, before.id, before.position).changes === 0) throw moved()
    return after
  }

  /** Records what a row did, or for row 0 what was done before all rows. */
  function addTouched(org: number, id: string, row: number, touched: readonly Touched[]): void {
    for (const { object, id: record, action, version, before } of touched)
      addRow.run(org, id, record, row, object, action, version, before && JSON.stringify(before))
  }

  /** Returns the next records that an import touched and that are not undone, in descending order of id. */
  function recordsOf(org: number, id: string, below: string, limit: number): RecordRows[] {
    return (recordsBelow.all(org, id, below, limit) as string[]).map((record) => {
      const rows = rowsOf.all(org, id, record) as StoredRow[]
      return {
        id: record,
        object: (rows[0] as StoredRow).object,
        rows: rows.map(({ action, version, previous }) => ({
          action,
          version,
          before: previous && JSON.parse(previous),
        })),
      }
    })
  }

  return {
    start,
    find,
    ofFile,
    note,
    finish,
    addTouched,
    rejects: (org: number, id: string) => rejects.iterate(org, id) as IterableIterator<{ row: number; error: string }>,
    /** What was left out, in the order of the file. */
    omissions: (org: number, id: string) => omissions.iterate(org, id) as IterableIterator<Omission & { row: number }>,
    omittedColumns: (org: number, id: string): OmittedColumn[] =>
      (omittedColumns.all(org, id) as OmittedColumn[]).map(({ column, count, reason }) => ({ column, count, reason })),
    /** How many records of each kind an import created. */
    made: (org: number, id: string): Record<string, number> =>
      Object.fromEntries(
        (made.all(org, id) as { object: string; count: number }[]).map(({ object, count }) => [object, count]),
      ),
    /** The names of the tags that an import created. */
    madeTags: (org: number, id: string): string[] => madeTags.all(org, id) as string[],
    recordsOf,
    hasCreated: (org: number, id: string, record: string): boolean => created.get(org, id, record) === 1,
    setUndone: (org: number, id: string, record: string): void => void setUndone.run(org, id, record),
    startUndo: (org: number, id: string): boolean => startUndo.run(clock.now(), org, id).changes === 1,
    endUndo: (org: number, id: string): void => void endUndo.run(clock.now(), org, id),
  }
}

const moved = (): Problem => conflict('import_moved', 'Another command has continued this import or is undoing it.')
