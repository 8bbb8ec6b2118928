import type { Store } from '../../store/open.ts'
import type { Step, Stop } from './sequence.ts'

type Versioned = { id: string; current_version: number; steps: readonly Step[]; stop_on: readonly Stop[] }

/**
 * What enrollments follow: the steps and stop rules of a sequence as they were when the enrollment began. A version
 * never changes once an enrollment has begun with it. Call these functions in a transaction.
 */
export function sequenceVersions({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const insert = db.prepare(
    `INSERT INTO sequence_versions (org_id, sequence_id, number, steps, stop_on, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const update = db.prepare(
    'UPDATE sequence_versions SET steps = ?, stop_on = ?, created_at = ? WHERE org_id = ? AND sequence_id = ? AND number = ?',
  )
  const follower = db
    .prepare('SELECT 1 FROM enrollments WHERE org_id = ? AND sequence_id = ? AND sequence_version = ? LIMIT 1')
    .pluck()
  const used = db.prepare(
    `SELECT sequences.key, version.steps
     FROM sequences CROSS JOIN sequence_versions AS version
       ON version.org_id = sequences.org_id AND version.sequence_id = sequences.id
     WHERE sequences.org_id = ? AND sequences.status <> 'archived' AND version.steps LIKE ? AND (
       version.number = sequences.current_version OR EXISTS (
         SELECT 1 FROM enrollments
         WHERE enrollments.org_id = version.org_id AND enrollments.sequence_id = version.sequence_id
           AND enrollments.sequence_version = version.number AND enrollments.status IN ('scheduled', 'active', 'paused')
       )
     )
     ORDER BY sequences.position, version.number`,
  )

  function add(org: number, { id, current_version, steps, stop_on }: Versioned): void {
    insert.run(org, id, current_version, JSON.stringify(steps), JSON.stringify(stop_on), clock.now())
  }

  function replace(org: number, { id, current_version, steps, stop_on }: Versioned): void {
    update.run(JSON.stringify(steps), JSON.stringify(stop_on), clock.now(), org, id, current_version)
  }

  /** Whether an enrollment has begun with the current version. */
  const isFollowed = (org: number, { id, current_version }: Pick<Versioned, 'id' | 'current_version'>): boolean =>
    follower.get(org, id, current_version) !== undefined

  /** The versions with steps still to be done whose texts contain this word. */
  const inUse = (org: number, word: string): { key: string; steps: Step[] }[] =>
    (used.all(org, `%${word}%`) as { key: string; steps: string }[]).map(({ key, steps }) => ({
      key,
      steps: JSON.parse(steps),
    }))

  return { add, replace, isFollowed, inUse }
}
