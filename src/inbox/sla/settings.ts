import * as v from 'valibot'
import { ListFilter } from '../../filters/filter.ts'
import { smartLists } from '../../filters/smart.ts'
import * as f from '../../lib/fields.ts'
import { same } from '../../lib/merge.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys, secondDefaults } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { PAUSES, type PolicyRow, PRIORITIES, rowColumns, type Target } from './policies.ts'

const YEAR_S = 31_536_000
const RANGE = `out_of_range|must be a number of seconds from 1 to ${YEAR_S}`

const seconds = f.optional(
  f.nullable(
    v.pipe(
      v.number(),
      v.integer('invalid_integer|must be a whole number'),
      v.minValue(1, RANGE),
      v.maxValue(YEAR_S, RANGE),
    ),
  ),
)

const target = f.optional(f.object({ first_response_s: seconds, next_response_s: seconds, resolution_s: seconds }))

export const SlaSettings = f.object({
  key,
  name: f.title,
  is_default: f.optional(f.flag),
  match: f.optional(f.nullable(ListFilter)),
  hours: f.nullable(key),
  targets: f.object({ low: target, normal: target, high: target, urgent: target }),
  pause_on: f.optional(f.arrayOf(f.oneOf(PAUSES))),
})
export type SlaSettings = v.InferOutput<typeof SlaSettings>

export function checkSla(given: readonly SlaSettings[]): FieldError[] {
  const keys = given.map((policy) => policy.key)
  const errors = [...repeatedKeys('/sla', keys), ...secondDefaults('/sla', given)]
  for (const [index, { is_default, match }] of given.entries()) {
    if (!is_default || !match) continue
    const message = 'must be omitted: the default policy applies to all conversations that no other policy matches'
    errors.push(field(`/sla/${index}/match`, 'match_of_default', message))
  }
  return errors
}

const FIELDS = ['name', 'is_default', 'is_active', 'position', 'match', 'hours', 'targets', 'pause_on']

/** Call `apply` in a transaction. */
export function slaSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { db } = store
  const { all, create, save, removeUnused } = settingsTable(store, 'sla_policies', rowColumns, 'position')
  const smart = smartLists(store)
  const hoursOf = db.prepare('SELECT key, id FROM hours WHERE org_id = ?')
  const dropDefault = db.prepare('UPDATE sla_policies SET is_default = 0 WHERE org_id = ? AND is_default = 1')

  const hoursIds = (org: number): Map<string, string> =>
    new Map((hoursOf.all(org) as { key: string; id: string }[]).map(({ key, id }) => [key, id]))

  /** Returns the active policies: those in the document are. */
  function show(org: number): SlaSettings[] {
    const ids = hoursIds(org)
    return all(org)
      .filter(({ is_active }) => is_active)
      .map(({ key, name, is_default, match, hours_id, targets, pause_on }) => ({
        key,
        name,
        is_default,
        match: match as SlaSettings['match'] & (object | null),
        hours: keyOf(ids, hours_id),
        targets,
        pause_on: pause_on as (typeof PAUSES)[number][],
      }))
  }

  /** `isKept` returns whether the hours with a key remain. */
  function apply(org: number, given: readonly SlaSettings[], isKept: (hours: string) => boolean): Change[] {
    const before = new Map(all(org).map((policy) => [policy.key, policy]))
    const ids = hoursIds(org)
    const errors = given.flatMap((policy, index) => [
      ...(policy.hours === null || (ids.has(policy.hours) && isKept(policy.hours)) ? [] : [unknownHours(index)]),
      ...matchFaults(org, policy, before.get(policy.key), `/sla/${index}/match`),
    ])
    if (errors.length > 0) throw invalid(...errors.slice(0, 100))
    const stays = given.some(({ key, is_default }) => is_default && before.get(key)?.is_default)
    if (!stays) dropDefault.run(org) // SQLite checks the unique index after every statement
    const changed = (key: string, old: PolicyRow | undefined, after: PolicyRow | undefined): Change[] =>
      changesOf('sla', key, old && shown(ids, old), after && shown(ids, after), FIELDS)
    const changes: Change[] = []
    for (const [position, policy] of given.entries()) {
      const known = before.get(policy.key)
      before.delete(policy.key)
      const wanted = rowOf(policy, position, policy.hours === null ? null : (ids.get(policy.hours) as string))
      const after = known ? save(org, known, wanted) : create(org, wanted)
      changes.push(...changed(policy.key, known, after))
    }
    let position = given.length // policies that were left out but are in use come after the others
    for (const left of before.values()) {
      const unused = removeUnused(org, left.id)
      const rest = { is_active: false, is_default: false, position }
      if (!unused) position++
      changes.push(...changed(left.key, left, unused ? undefined : save(org, left, rest)))
    }
    return changes
  }

  /** An unchanged filter may refer to what no longer exists. */
  function matchFaults(org: number, { match = null }: SlaSettings, known: PolicyRow | undefined, pointer: string) {
    if (match === null || (known?.is_active && same(known.match, match))) return []
    return smart.faults(org, 'conversation', match, pointer, LASTING)
  }

  return { show, apply }
}

/** No conversation is checked again just because a day has passed, and nobody asks for its policy. */
const LASTING =
  'must not depend on the clock or on who asks, because the policy of a conversation does not change over time'

const unknownHours = (index: number): FieldError =>
  field(`/sla/${index}/hours`, 'unknown_hours', 'must be the key of business hours of this organisation, or null')

const keyOf = (ids: Map<string, string>, hoursId: string | null): string | null =>
  [...ids].find(([, id]) => id === hoursId)?.[0] ?? null

/** As the document shows it. */
const shown = (ids: Map<string, string>, row: PolicyRow) => ({ ...row, hours: keyOf(ids, row.hours_id) })

/** Fills in the defaults, in one order, so that equal policies have equal texts. */
function rowOf(given: SlaSettings, position: number, hours_id: string | null): Omit<PolicyRow, keyof Stored> {
  const { key, name, is_default = false, match = null, targets, pause_on = [] } = given
  return {
    key,
    name,
    is_default,
    is_active: true,
    position,
    match,
    hours_id,
    targets: Object.fromEntries(
      PRIORITIES.map((priority) => [priority, { ...NO_TARGET, ...targets[priority] }]),
    ) as PolicyRow['targets'],
    pause_on: PAUSES.filter((status) => pause_on.includes(status)),
  }
}

const NO_TARGET: Target = { first_response_s: null, next_response_s: null, resolution_s: null }
