import type { Outcome } from '../../store/settings/fields.ts'
import type { Database } from '../../store/sqlite/driver.ts'

export type PipelineChoice = { id: string; key: string; name: string; is_default: number }
export type StageChoice = { id: string; key: string; name: string; pipeline_id: string; outcome: Outcome | null }
export type ReasonChoice = { id: string; key: string; name: string; outcome: Outcome }

/** The pipelines, stages and active close reasons of an organisation, in the order of its settings. */
export function dealChoices(db: Database, org: number) {
  const all = <Row>(sql: string) => db.prepare(sql).all(org) as Row[]
  return {
    pipelines: all<PipelineChoice>(
      'SELECT id, key, name, is_default FROM pipelines WHERE org_id = ? ORDER BY position',
    ),
    /** The stages of the default pipeline come first. */
    stages: all<StageChoice>('SELECT id, key, name, pipeline_id, outcome FROM stages WHERE org_id = ? ORDER BY rank'),
    reasons: all<ReasonChoice>(
      'SELECT id, key, name, outcome FROM close_reasons WHERE org_id = ? AND is_active = 1 ORDER BY position',
    ),
  }
}
