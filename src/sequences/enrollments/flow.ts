import { type Deps, once } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import type { Step } from '../sequences/sequence.ts'
import { sequenceStore } from '../sequences/sequences.ts'
import type { Enrollment, StopReason } from './enrollment.ts'

/** Enrollments that stand alike: `done` is how many steps they got. */
type Group = { done: number; status: Enrollment['status']; stop_reason: StopReason | null; count: number }

export type Flow = {
  /** Whose steps these are; each enrollment follows the version that it began with. */
  version: number
  /** With how many began with each, newest first; the current one is among them. */
  versions: { number: number; enrolled: number }[]
  steps: Step[]
  /** Of this version: together they are all who began with it. */
  groups: Group[]
  /** Of all versions: together they are all who were ever enrolled. */
  all: Omit<Group, 'done'>[]
  /** How many next steps have come due while nothing ran, as in a paused sequence. */
  due: number
}

/** Where everybody is who was enrolled in a sequence, and where the others left it. */
export const sequenceFlows = once((deps: Deps) => {
  const { db, clock } = deps
  const sequences = sequenceStore(deps)
  const own = 'FROM enrollments WHERE org_id = ? AND sequence_id = ?'
  const versions = db.prepare(
    `SELECT sequence_version AS number, count(*) AS enrolled ${own} GROUP BY sequence_version ORDER BY sequence_version DESC`,
  )
  const groups = db.prepare(
    `SELECT current_step AS done, status, stop_reason, count(*) AS count ${own} AND sequence_version = ?
     GROUP BY current_step, status, stop_reason`,
  )
  const all = db.prepare(`SELECT status, stop_reason, count(*) AS count ${own} GROUP BY status, stop_reason`)
  const due = db.prepare(`SELECT count(*) ${own} AND status IN ('scheduled', 'active') AND due_at <= ?`).pluck()

  /** Without a version, of the current one. Throws 400 and 404. */
  return function flowOf({ org }: Caller, id: string, given: string | undefined): Flow {
    const sequence = sequences.byId(org, id)
    if (!sequence) throw notFound()
    const version = given === undefined ? sequence.current_version : Number(given)
    if (!Number.isInteger(version) || version < 1 || version > sequence.current_version)
      throw badQuery('The parameter "version" must be the number of a version of this sequence.')
    const known = versions.all(org, id) as Flow['versions']
    const isKnown = known.some(({ number }) => number === sequence.current_version)
    return {
      version,
      versions: isKnown ? known : [{ number: sequence.current_version, enrolled: 0 }, ...known],
      steps: sequences.versionOf(org, id, version).steps,
      groups: groups.all(org, id, version) as Group[],
      all: all.all(org, id) as Flow['all'],
      due: due.get(org, id, clock.now()) as number,
    }
  }
})
