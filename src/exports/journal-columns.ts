import * as c from '../store/columns.ts'

// The columns of the tables that no other part of the program reads as records: see `journals` in parts.ts.

export const merges = c.columns({
  id: c.plain('id'),
  object: c.plain('object'),
  kept_id: c.plain('kept_id'),
  merged_id: c.plain('merged_id'),
  member_id: c.plain('member_id'),
  merged_at: c.time('merged_at'),
  undone_at: c.time('undone_at'),
  undo: c.json('undo'),
})

export const imports = c.columns({
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

export const importRows = c.columns({
  import_id: c.plain('import_id'),
  record_id: c.plain('record_id'),
  row_number: c.integer('row_number'),
  object: c.plain('object'),
  action: c.plain('action'),
  version: c.integer('version'),
  previous: c.json('previous'),
  is_undone: c.bool('is_undone'),
})

export const importRejects = c.columns({
  import_id: c.plain('import_id'),
  row_number: c.integer('row_number'),
  error: c.text('error'),
})

export const importOmissions = c.columns({
  import_id: c.plain('import_id'),
  row_number: c.integer('row_number'),
  position: c.integer('position'),
  column_name: c.text('column_name'),
  reason: c.text('reason'),
})

export const events = c.columns({
  seq: c.integer('seq'),
  id: c.plain('id'),
  type: c.plain('type'),
  object_id: c.plain('object_id'),
  at: c.time('at'),
  actor_type: c.plain('actor_type'),
  actor_id: c.plain('actor_id'),
  data: c.json('data'),
})
