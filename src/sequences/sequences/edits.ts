import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { field, invalid, notFound } from '../../lib/problem.ts'
import { newKey } from '../../store/settings/new-key.ts'
import type { Stored } from '../../store/settings/table.ts'
import type { SequenceRow } from './sequence.ts'
import { checkForm, type SequenceForm, type SequenceSettings, sequenceSettings } from './settings.ts'
import { variables } from './variables.ts'

/** A sequence as the screens change it: as in the document, with its id and versions. */
export type SequenceShown = Pick<SequenceRow, keyof Stored | 'current_version'> &
  SequenceSettings & {
    /** How many people are under way in each version of its steps, newest first. */
    versions: { number: number; live: number }[]
  }

/** What a sequence can name. */
export type SequenceKnown = {
  hours: { key: string; name: string; timezone: string }[]
  mailboxes: { key: string; name: string; address: string; daily_limit: number | null; spacing_s: number }[]
  variables: string[]
}

/** All of them are read together, by the screen and by each change. */
export const MAX_SEQUENCES = 200

/**
 * Changes one sequence, by applying the section of the settings document with that change in it: what the one refuses, the
 * other refuses, too. Call `create` and `patch` in a transaction.
 */
export const sequenceEdits = once((deps: Deps) => {
  const { db } = deps
  const settings = sequenceSettings(deps)
  const variablesOf = variables(db)
  const hours = db.prepare('SELECT key, name, timezone FROM hours WHERE org_id = ? ORDER BY position')
  const mailboxes = db.prepare(
    `SELECT key, name, address, daily_limit, spacing_s FROM mailboxes
     WHERE org_id = ? AND is_active = 1 ORDER BY position`,
  )
  const live = db.prepare(
    `SELECT sequence_id AS id, sequence_version AS number, count(*) AS live FROM enrollments
     WHERE org_id = ? AND sequence_id = ? AND status IN ('scheduled', 'active', 'paused')
     GROUP BY sequence_version ORDER BY sequence_version DESC`,
  )

  function all(org: number): SequenceShown[] {
    const shown = settings.show(org)
    return settings.all(org).map(({ id, created_at, updated_at, version, current_version }, at) => ({
      ...{ id, ...(shown[at] as SequenceSettings), current_version },
      versions: (live.all(org, id) as { number: number; live: number }[]).map(({ number, live }) => ({ number, live })),
      ...{ created_at, updated_at, version },
    }))
  }

  const known = (org: number): SequenceKnown => ({
    hours: hours.all(org) as SequenceKnown['hours'],
    mailboxes: mailboxes.all(org) as SequenceKnown['mailboxes'],
    variables: variablesOf(org),
  })

  /** Throws 404. */
  function find({ org }: Caller, id: string): SequenceShown {
    const found = all(org).find((sequence) => sequence.id === id)
    if (!found) throw notFound()
    return found
  }

  /** It is the last one. */
  function create(who: Caller, form: SequenceForm): SequenceShown {
    const now = settings.show(who.org)
    if (now.length >= MAX_SEQUENCES)
      throw invalid(field('', 'too_many', `must not be more than ${MAX_SEQUENCES} sequences`))
    const key = newKey(form.name, now, 'sequence')
    write(who, [...now, { key, ...form }], key)
    return all(who.org).find((sequence) => sequence.key === key) as SequenceShown
  }

  function patch(who: Caller, { id, key }: SequenceShown, given: Partial<SequenceForm>): SequenceShown {
    const sequences = settings.show(who.org).map((each) => (each.key === key ? { ...each, ...given } : each))
    write(who, sequences, key)
    return find(who, id)
  }

  function write({ org }: Caller, sequences: readonly SequenceSettings[], key: string): void {
    const faults = checkForm(sequences.find((each) => each.key === key) as SequenceSettings, '')
    if (faults.length > 0) throw invalid(...faults)
    settings.apply(org, sequences, { hours: () => true, mailbox: () => true }, () => '')
  }

  return { all, known, find, create, patch }
})
