import * as c from '../store/rows/columns.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { journal, type Part } from './part.ts'

/** The history: needed to undo merges and imports, and to know who changed what. */
export function journals(db: Database): Part[] {
  const merges = c.columns({
    id: c.plain('id'),
    object: c.plain('object'),
    kept_id: c.plain('kept_id'),
    merged_id: c.plain('merged_id'),
    member_id: c.plain('member_id'),
    merged_at: c.time('merged_at'),
    undone_at: c.time('undone_at'),
    undo: c.json('undo'),
  })
  const imports = c.columns({
    id: c.plain('id'),
    object: c.plain('object'),
    file_name: c.text('file_name'),
    content: c.plain('content'),
    options: c.json('options'),
    position: c.integer('position'),
    created: c.integer('created'),
    updated: c.integer('updated'),
    unchanged: c.integer('unchanged'),
    rejected: c.integer('rejected'),
    started_at: c.time('started_at'),
    finished_at: c.time('finished_at'),
    undo_started_at: c.time('undo_started_at'),
    undone_at: c.time('undone_at'),
  })
  const rows = c.columns({
    import_id: c.plain('import_id'),
    record_id: c.plain('record_id'),
    row_number: c.integer('row_number'),
    object: c.plain('object'),
    action: c.plain('action'),
    version: c.integer('version'),
    previous: c.json('previous'),
    is_undone: c.bool('is_undone'),
  })
  const rejects = c.columns({
    import_id: c.plain('import_id'),
    row_number: c.integer('row_number'),
    error: c.text('error'),
  })
  const omissions = c.columns({
    import_id: c.plain('import_id'),
    row_number: c.integer('row_number'),
    position: c.integer('position'),
    column_name: c.text('column_name'),
    reason: c.text('reason'),
  })
  const externalIds = c.columns({
    object: c.plain('object'),
    external_id: c.text('external_id'),
    source: c.plain('source'),
    record_id: c.plain('record_id'),
    import_id: c.plain('import_id'),
  })
  const events = c.columns({
    seq: c.integer('seq'),
    id: c.plain('id'),
    type: c.plain('type'),
    object_id: c.plain('object_id'),
    at: c.time('at'),
    actor_type: c.plain('actor_type'),
    actor_id: c.plain('actor_id'),
    data: c.json('data'),
  })
  return [
    journal(db, 'merges', 'id', merges),
    journal(db, 'imports', 'id', imports),
    journal(db, 'import_rows', 'import_id, record_id, row_number', rows),
    journal(db, 'import_rejects', 'import_id, row_number', rejects),
    journal(db, 'import_omissions', 'import_id, row_number, position', omissions),
    journal(db, 'external_ids', 'object, external_id, source', externalIds),
    journal(db, 'events', 'seq', events),
  ]
}
