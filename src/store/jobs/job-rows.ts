import type { Store } from '../open.ts'
import type { Org } from '../orgs/orgs.ts'

/** `given up`: its last attempt has failed, and it stays for people to see. `running` is also one whose server ended. */
export type JobState = 'waiting' | 'running' | 'given up'

/** A job as people see it; times are milliseconds. */
export type JobRow = {
  org: number
  id: string
  kind: string
  key: string | null
  state: JobState
  tries: number
  due_at: number
  failed_at: number | null
  last_error: string | null
  created_at: number
}

const STATE =
  "CASE WHEN failed_at IS NOT NULL THEN 'given up' WHEN leased_until IS NOT NULL THEN 'running' ELSE 'waiting' END"
const FIELDS = `org_id AS org, id, kind, key, ${STATE} AS state, tries, due_at, failed_at, last_error, created_at`

/** The jobs of organisations, for commands: what is there, another try, and the end of one. */
export function jobRows({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const some = db.prepare(
    `SELECT ${FIELDS} FROM jobs WHERE org_id = ? AND (failed_at IS NOT NULL OR ?)
     ORDER BY failed_at IS NULL, due_at, id LIMIT ?`,
  )
  const counts = db.prepare(
    `SELECT kind, count(*) AS count FROM jobs INDEXED BY jobs_failed
     WHERE org_id = ? AND failed_at IS NOT NULL GROUP BY kind ORDER BY kind`,
  )
  const oldest = db
    .prepare('SELECT min(due_at) FROM jobs WHERE org_id = ? AND failed_at IS NULL AND leased_until IS NULL')
    .pluck()
  const one = db.prepare(`SELECT ${FIELDS} FROM jobs WHERE org_id = ? AND id = ?`)
  const anew = db.prepare(
    `UPDATE jobs SET due_at = ?, tries = 0, last_error = NULL, failed_at = NULL
     WHERE org_id = ? AND id = ? AND leased_until IS NULL`,
  )
  const remove = db.prepare('DELETE FROM jobs WHERE org_id = ? AND id = ?')

  return {
    /** Those that were given up come first, then by the time at which they are due. */
    list: (org: number, { givenUp, limit }: { givenUp: boolean; limit: number }): JobRow[] =>
      some.all(org, givenUp ? 0 : 1, limit) as JobRow[],
    /** How many were given up, by kind. */
    givenUp: (org: number): { kind: string; count: number }[] => counts.all(org) as { kind: string; count: number }[],
    /** When the first waiting job is or was due. */
    oldestDue: (org: number): number | undefined => (oldest.get(org) as number | null) ?? undefined,
    /** The job with this id, in whichever of the organisations it is. */
    find(orgs: readonly Pick<Org, 'id'>[], id: string): JobRow | undefined {
      for (const org of orgs) {
        const row = one.get(org.id, id) as JobRow | undefined
        if (row) return row
      }
      return undefined
    },
    /** Makes it due at once, with all of its attempts before it. */
    startAnew: (org: number, id: string): void => void anew.run(clock.now(), org, id),
    remove: (org: number, id: string): void => void remove.run(org, id),
  }
}
