import type { Database } from './sqlite/driver.ts'

const COLUMNS = 'org_id, deal_id, deal_version, at, from_stage_id, to_stage_id, member_id'

/** Moves pending stage changes of deals to the history of each deal. */
export function pendingStageChanges(db: Database) {
  const counted = db.prepare('SELECT count(*) FROM (SELECT 1 FROM deal_stage_changes_pending LIMIT ?)').pluck()
  const oldest = 'FROM deal_stage_changes_pending ORDER BY org_id, at, deal_id, deal_version LIMIT ?'
  const add = db.prepare(
    `INSERT INTO deal_stage_changes (${COLUMNS}) SELECT * FROM (SELECT ${COLUMNS} ${oldest}) ORDER BY org_id, deal_id, deal_version`,
  )
  const remove = db.prepare(
    `DELETE FROM deal_stage_changes_pending WHERE (org_id, at, deal_id, deal_version) IN
       (SELECT org_id, at, deal_id, deal_version ${oldest})`,
  )

  return {
    /** Moves up to `most` changes, in the order of the deals, and returns how many; runs in the caller's transaction. */
    move(most: number): number {
      const { changes } = add.run(most)
      remove.run(most)
      return changes
    },
    /** Whether so many changes are pending. */
    has: (count: number): boolean => counted.get(count) === count,
  }
}
