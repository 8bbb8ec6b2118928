import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { field, invalid, notFound } from '../../lib/problem.ts'
import { newKey } from '../../store/settings/new-key.ts'
import type { Stored } from '../../store/settings/table.ts'
import type { Rule } from './rule.ts'
import { checkActs, MAX_RULES, type RuleForm, type RuleSettings, ruleSettings } from './settings.ts'

/** A rule as the screens have it: as in the document, with its id and version. */
export type RuleShown = Pick<Rule, keyof Stored> & RuleSettings

/** What a rule was called before it was deleted: it goes on, and does not act again where it has acted. */
export type Before = { id: string; key: string; version: number }

/**
 * Changes one rule, by applying the section of the settings document with that change in it: what the one refuses, the
 * other refuses, too. Call all but `all` and `find` in a transaction.
 */
export const ruleEdits = once((deps: Deps) => {
  const settings = ruleSettings(deps)

  function all(org: number): RuleShown[] {
    const rules = settings.all(org)
    const items = settings.itemsOf(org, rules)
    return rules.map(({ id, created_at, updated_at, version }, at) => ({
      ...{ id, ...(items[at] as RuleSettings) },
      ...{ created_at, updated_at, version },
    }))
  }

  /** Throws 404. */
  function find({ org }: Caller, id: string): RuleShown {
    const found = all(org).find((rule) => rule.id === id)
    if (!found) throw notFound()
    return found
  }

  /** Without `after_id` it is the last one, with null the first. */
  function create(who: Caller, { after_id, before, ...form }: RuleForm & Placed & { before?: Before }): RuleShown {
    const now = all(who.org)
    if (now.length >= MAX_RULES)
      throw invalid(field('', 'too_many', `must not be more than ${MAX_RULES} rules: delete one first`))
    if (before && now.some(({ id }) => id === before.id))
      throw invalid(field('/before/id', 'duplicate', 'is a rule that is there'))
    const isFree = before && !now.some(({ key }) => key === before.key)
    const key = isFree ? before.key : newKey(form.name, now, 'rule')
    const rules = now.map(itemOf)
    rules.splice(placeOf(now, after_id), 0, { key, ...form })
    write(who, rules, key, before)
    return all(who.org).find((rule) => rule.key === key) as RuleShown
  }

  function patch(who: Caller, { id, key }: RuleShown, given: Partial<RuleForm>): RuleShown {
    const rules = all(who.org).map((rule) => (rule.id === id ? { ...itemOf(rule), ...given } : itemOf(rule)))
    write(who, rules, key)
    return find(who, id)
  }

  function remove(who: Caller, { id }: RuleShown): void {
    const rest = all(who.org).filter((rule) => rule.id !== id)
    write(who, rest.map(itemOf))
  }

  /** Puts it behind another one; with null it is the first. */
  function move(who: Caller, { id }: RuleShown, after_id: string | null): RuleShown {
    const now = all(who.org)
    const rest = now.filter((rule) => rule.id !== id)
    const at = placeOf(rest, after_id)
    if (now[at]?.id === id) return find(who, id)
    rest.splice(at, 0, ...now.filter((rule) => rule.id === id))
    write(who, rest.map(itemOf))
    settings.touch(who.org, settings.all(who.org).find((rule) => rule.id === id) as Rule)
    return find(who, id)
  }

  /** The rules as they would be with this one, in place of the one with the id or as the last. Throws 422. */
  function wouldBe(org: number, form: RuleForm, id?: string): Rule[] {
    const now = all(org)
    const at = now.findIndex((rule) => rule.id === id)
    const rules = now.map(itemOf)
    const key = at < 0 ? newKey(form.name, now, 'rule') : (now[at] as RuleShown).key
    // Switched off or not: it is asked what it would do.
    rules.splice(at < 0 ? rules.length : at, at < 0 ? 0 : 1, { key, ...form, is_active: true })
    refuse(form)
    const { wanted, before } = settings.check(org, rules, () => '')
    return wanted.map((rule) => ({ ...UNSTORED, ...before.get(rule.key), ...rule }))
  }

  function write(who: Caller, rules: readonly RuleSettings[], key?: string, again?: Before): void {
    const changed = rules.find((rule) => rule.key === key)
    if (changed) refuse(changed)
    settings.apply(who.org, rules, {
      at: () => '',
      ...(again && { again: { id: again.id, version: again.version + 1 } }),
    })
  }

  return { all, find, create, patch, remove, move, wouldBe }
})

export type Placed = { after_id?: string | null }

const UNSTORED: Stored = { id: '', created_at: '', updated_at: '', version: 0 }

/** Another rule that has nothing to do any more, since its tag is gone, keeps nobody from changing this one. */
function refuse(rule: RuleForm): void {
  const faults = checkActs(rule, '')
  if (faults.length > 0) throw invalid(...faults)
}

function placeOf(rules: readonly RuleShown[], after: string | null | undefined): number {
  if (after === undefined) return rules.length
  if (after === null) return 0
  const at = rules.findIndex(({ id }) => id === after)
  if (at < 0) throw invalid(field('/after_id', 'unknown_rule', 'must be the id of another rule, or null'))
  return at + 1
}

const itemOf = ({ key, name, is_active, when, do: acts }: RuleShown): RuleSettings => ({
  ...{ key, name, do: acts },
  ...(is_active === undefined ? {} : { is_active }),
  ...(when === undefined ? {} : { when }),
})
