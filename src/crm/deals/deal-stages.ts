import type { Caller } from '../../lib/caller.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import { missing } from '../../store/rows/references.ts'
import type { Database } from '../../store/sqlite/driver.ts'

type MovedDeal = { id: string; version: number; stage: string; stage_changed_at: string }

/** The stages in which deals start and close, and the history of their stages. */
export function dealStages(db: Database) {
  const defaultPipeline = db.prepare('SELECT id FROM pipelines WHERE org_id = ? AND is_default = 1').pluck()
  const firstStage = db
    .prepare('SELECT id FROM stages WHERE org_id = ? AND pipeline_id = ? AND is_open = 1 ORDER BY position LIMIT 1')
    .pluck()
  const openStage = db.prepare('SELECT 1 FROM stages WHERE org_id = ? AND id = ? AND is_open = 1').pluck()
  const outcomeOfReason = db
    .prepare('SELECT outcome FROM close_reasons WHERE org_id = ? AND id = ? AND is_active = 1')
    .pluck()
  const closingStage = db
    .prepare(
      `SELECT closing.id FROM stages AS here JOIN stages AS closing
         ON closing.org_id = here.org_id AND closing.pipeline_id = here.pipeline_id
       WHERE here.org_id = ? AND here.id = ? AND closing.outcome = ?`,
    )
    .pluck()
  const addHistory = db.prepare(
    `INSERT INTO deal_stage_changes_pending (org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const forgetPending = db.prepare(
    'DELETE FROM deal_stage_changes_pending WHERE org_id = ? AND at = ? AND deal_id = ? AND deal_version = ?',
  )
  const forgetMoved = db.prepare('DELETE FROM deal_stage_changes WHERE org_id = ? AND deal_id = ? AND deal_version = ?')

  /** Returns the first open stage of the pipeline, or of the default one. Throws 409 without one, 422 if unknown. */
  function starting(org: number, pipelineId: string | undefined): string {
    const pipeline = pipelineId ?? (defaultPipeline.get(org) as string | undefined)
    if (pipeline === undefined) {
      throw conflict(
        'no_default_pipeline',
        'This organisation has no default pipeline. Set one in the settings, or specify pipeline_id.',
      )
    }
    const stage = firstStage.get(org, pipeline) as string | undefined
    if (stage === undefined) throw invalid(missing('/pipeline_id'))
    return stage
  }

  const isOpen = (org: number, stage: string): boolean => openStage.get(org, stage) === 1

  /** Returns undefined if there is no active close reason with this id. */
  const outcomeOf = (org: number, reason: string) => outcomeOfReason.get(org, reason) as 'won' | 'lost' | undefined

  /** Returns the won or lost stage of the pipeline of the stage. */
  const closing = (org: number, stage: string, outcome: 'won' | 'lost'): string =>
    closingStage.get(org, stage, outcome) as string

  function recordMove(who: Caller, deal: MovedDeal, from: string): void {
    addHistory.run(who.org, deal.id, deal.version, Date.parse(deal.stage_changed_at), from, deal.stage, who.member)
  }

  /** A move that is taken back was no stay in a stage. Returns whether it was in the history. */
  function forgetMove(org: number, { id, version, stage_changed_at }: MovedDeal): boolean {
    const pending = forgetPending.run(org, Date.parse(stage_changed_at), id, version).changes
    return pending + forgetMoved.run(org, id, version).changes > 0
  }

  return { starting, isOpen, outcomeOf, closing, recordMove, forgetMove }
}
