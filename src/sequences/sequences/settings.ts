import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { same } from '../../lib/merge.ts'
import { conflict, type FieldError, field, invalid } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { MAX_STEPS, rowColumns, type SequenceRow, STATUSES, STOPS } from './sequence.ts'
import { checkSteps, hasUnsubscribeUrl, StepSettings, shownSteps, stepsOf, textFaults } from './settings-steps.ts'
import { sequenceChanged } from './status-changes.ts'
import { UNSUBSCRIBE_URL, variables } from './variables.ts'
import { sequenceVersions } from './versions.ts'

const parts = {
  name: f.title,
  description: f.optional(f.nullable(f.longText())),
  status: f.oneOf(STATUSES),
  stop_on: f.optional(f.arrayOf(f.oneOf(STOPS))),
  hours: f.optional(f.nullable(key)),
  mailbox: f.optional(f.nullable(key)),
  steps: f.arrayOf(StepSettings, MAX_STEPS),
}
/** A sequence without the key that the document calls it by. */
export const SequenceForm = f.object(parts)
export type SequenceForm = v.InferOutput<typeof SequenceForm>
export const SequencePatch = f.patchOf(parts)
export const SequenceSettings = f.object({ key, ...parts })
export type SequenceSettings = v.InferOutput<typeof SequenceSettings>

export function checkSequences(given: readonly SequenceSettings[]): FieldError[] {
  const keys = given.map((sequence) => sequence.key)
  const errors = repeatedKeys('/sequences', keys)
  for (const [index, sequence] of given.entries()) errors.push(...checkForm(sequence, inDocument(index)))
  return errors
}

export function checkForm({ status, steps }: SequenceForm, at: string): FieldError[] {
  const errors = checkSteps(`${at}/steps`, steps)
  if (steps.length === 0 && (status === 'active' || status === 'paused'))
    errors.push(field(`${at}/steps`, 'no_steps', `must have at least one step while the sequence is ${status}`))
  return errors
}

type At = (index: number) => string
const inDocument: At = (index) => `/sequences/${index}`

const FIELDS = ['name', 'description', 'status', 'position', 'stop_on', 'hours', 'mailbox', 'steps']

/** Hours and mailboxes, which the document refers to by key. */
type Named = { id: string; key: string; isActive: boolean }
type Names = { hours: Named[]; mailboxes: Named[] }
/** Whether the hours or the mailbox with a key remain, according to the rest of the document. */
type IsKept = Record<'hours' | 'mailbox', (key: string) => boolean>

/** The functions that write must be called in a transaction. */
export function sequenceSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db, clock } = store
  const { all, create, save, removeUnused } = settingsTable(store, 'sequences', rowColumns, 'position')
  const versions = sequenceVersions(store)
  const variablesOf = variables(db)
  const publicUrl = db.prepare('SELECT public_base_url FROM orgs WHERE id = ?').pluck()
  const hoursOf = db.prepare('SELECT id, key, 1 AS isActive FROM hours WHERE org_id = ?')
  const mailboxesOf = db.prepare('SELECT id, key, is_active AS isActive FROM mailboxes WHERE org_id = ?')

  const namesOf = (org: number): Names => ({
    hours: hoursOf.all(org) as Named[],
    mailboxes: mailboxesOf.all(org) as Named[],
  })

  /** Returns all sequences, including archived ones. */
  function show(org: number): SequenceSettings[] {
    const names = namesOf(org)
    return all(org).map((row) => {
      const { key, name, description, status, stop_on, hours, mailbox, steps } = shown(names, row)
      return { key, name, description, status, stop_on, hours, mailbox, steps }
    })
  }

  /** All sequences that there are from now on, in their order. `at` is where one is, for the errors. */
  function apply(org: number, given: readonly SequenceSettings[], isKept: IsKept, at: At = inDocument): Change[] {
    const names = namesOf(org)
    const before = new Map(all(org).map((sequence) => [sequence.key, sequence]))
    const texts = { known: variablesOf(org), hasPublicUrl: publicUrl.get(org) !== null }
    const errors = given.flatMap((sequence, index) => {
      const known = before.get(sequence.key)
      const pointer = at(index)
      return [
        ...nameFaults(pointer, sequence, known, names, isKept),
        ...textFaults(`${pointer}/steps`, sequence.steps, known?.steps ?? [], texts),
      ]
    })
    if (errors.length > 0) throw invalid(...errors.slice(0, 100))
    const changed = (key: string, old: SequenceRow | undefined, after: SequenceRow | undefined): Change[] =>
      changesOf('sequences', key, old && shown(names, old), after && shown(names, after), FIELDS)
    const changes: Change[] = []
    for (const [position, sequence] of given.entries()) {
      const known = before.get(sequence.key)
      before.delete(sequence.key)
      const after = write(org, known, { ...rowOf(sequence, names), position })
      changes.push(...changed(sequence.key, known, after))
    }
    let position = given.length // sequences with enrollments that were left out come after the others
    for (const left of before.values()) {
      if (removeUnused(org, left.id)) changes.push(...changed(left.key, left, undefined))
      else changes.push(...changed(left.key, left, archive(org, left, position++)))
    }
    return changes
  }

  function write(org: number, known: SequenceRow | undefined, { given, ...rest }: Wanted): SequenceRow {
    const steps = stepsOf(given, known?.steps ?? [], clock.id)
    if (!known) {
      const made = create(org, { ...rest, steps, current_version: 1 })
      versions.add(org, made)
      return made
    }
    const isOther = !same(known.steps, steps) || !same(known.stop_on, rest.stop_on)
    const current_version =
      isOther && versions.isFollowed(org, known) ? known.current_version + 1 : known.current_version
    const after = save(org, known, { ...rest, steps, current_version })
    if (current_version !== known.current_version) versions.add(org, after)
    else if (isOther) versions.replace(org, after)
    if (after.status !== known.status) sequenceChanged(store, org, after.id, after.status)
    return after
  }

  /** An archived sequence sends nothing, and so needs neither hours nor a mailbox. */
  function archive(org: number, left: SequenceRow, position: number): SequenceRow {
    const after = save(org, left, { status: 'archived', position, hours_id: null, mailbox_id: null })
    if (after.status !== left.status) sequenceChanged(store, org, after.id, after.status)
    return after
  }

  /** Throws 409 if mails that are still to be sent link to a public page, and the org has no public URL any more. */
  function checkPublicUrl(org: number): void {
    if (publicUrl.get(org) !== null) return
    const keys = versions
      .inUse(org, UNSUBSCRIBE_URL)
      .flatMap(({ key, steps }) => (hasUnsubscribeUrl(steps) ? [key] : []))
    if (keys.length === 0) return
    throw conflict(
      'public_base_url_in_use',
      `The org needs a public_base_url because texts of sequences use {{unsubscribe_url}} (${[...new Set(keys)].join(', ')}).`,
    )
  }

  /** The keys of active mailboxes other than the given ones. */
  function mailboxesBut(org: number, kept: readonly { key: string }[]): string[] {
    const active = namesOf(org).mailboxes.filter(({ isActive }) => isActive)
    return active.flatMap(({ key }) => (kept.some((each) => each.key === key) ? [] : [key]))
  }

  return { all, show, apply, checkPublicUrl, mailboxesBut }
}

function nameFaults(
  pointer: string,
  { hours = null, mailbox = null }: SequenceSettings,
  known: SequenceRow | undefined,
  names: Names,
  isKept: IsKept,
): FieldError[] {
  const errors: FieldError[] = []
  if (hours !== null && !(names.hours.some(({ key }) => key === hours) && isKept.hours(hours))) {
    const message = 'must be the key of business hours of this organisation, or null'
    errors.push(field(`${pointer}/hours`, 'unknown_hours', message))
  }
  // A sequence may keep a mailbox that has been deactivated: every document that is shown can be applied.
  const found = names.mailboxes.find(({ key }) => key === mailbox)
  const isThere = found && isKept.mailbox(found.key) && (found.isActive || found.id === known?.mailbox_id)
  if (mailbox !== null && !isThere) {
    const message = 'must be the key of a mailbox of this organisation, or null'
    errors.push(field(`${pointer}/mailbox`, 'unknown_mailbox', message))
  }
  return errors
}

type Wanted = Omit<SequenceRow, keyof Stored | 'steps' | 'current_version'> & { given: readonly StepSettings[] }

/** Fills in the defaults, in one order, so that equal sequences have equal texts. */
function rowOf(sequence: SequenceSettings, names: Names): Omit<Wanted, 'position'> {
  const { key, name, description = null, status, stop_on = STOPS, hours = null, mailbox = null, steps } = sequence
  return {
    key,
    name,
    description,
    status,
    hours_id: names.hours.find((each) => each.key === hours)?.id ?? null,
    mailbox_id: names.mailboxes.find((each) => each.key === mailbox)?.id ?? null,
    stop_on: STOPS.filter((stop) => stop_on.includes(stop)),
    given: steps,
  }
}

/** As the document shows it. */
function shown({ hours, mailboxes }: Names, row: SequenceRow) {
  return {
    ...row,
    hours: hours.find(({ id }) => id === row.hours_id)?.key ?? null,
    mailbox: mailboxes.find(({ id }) => id === row.mailbox_id)?.key ?? null,
    steps: shownSteps(row.steps),
  }
}
