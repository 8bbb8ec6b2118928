import type { Database } from '../../store/sqlite/driver.ts'

/** Finds pipelines and stages by their ids, and by their keys. */
export function stageRows(db: Database) {
  return {
    pipelineOf: db.prepare('SELECT id, key, version FROM pipelines WHERE org_id = ? AND id = ?'),
    pipelineWith: db.prepare('SELECT id, key, version FROM pipelines WHERE org_id = ? AND key = ?'),
    stageOf: db.prepare('SELECT id, key, pipeline_id, version FROM stages WHERE org_id = ? AND id = ?'),
    stageWith: db.prepare(
      'SELECT id, key, pipeline_id, version FROM stages WHERE org_id = ? AND pipeline_id = ? AND key = ?',
    ),
  }
}
