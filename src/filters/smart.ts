import { type FieldError, invalid } from '../lib/problem.ts'
import { fold } from '../lib/pure/fold.ts'
import type { Kind, ListField } from '../records/list-field.ts'
import type { Condition } from '../store/list/conditions.ts'
import type { Store } from '../store/open.ts'
import { calendarOf } from '../store/orgs/calendars.ts'
import { FIELDS, type FilterObject } from './catalog.ts'
import { COMPANY, filterConditions } from './conditions.ts'
import { type Filter, faultsOf } from './filter.ts'

export const CUSTOM = 'custom_fields.'

/** How the values of custom fields compare, by type; see records/custom-fields/values.ts for how they are stored. */
const CUSTOM_KINDS: Record<string, Kind> = {
  text: 'text',
  url: 'text',
  email: 'text',
  phone: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  member: 'id',
}

type CustomField = { id: string; type: string; options: string }

/** Validates filters against the fields of an organisation, and converts them to conditions. */
export function smartLists({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const customField = db.prepare(
    'SELECT id, type, options FROM custom_fields WHERE org_id = ? AND object = ? AND key = ? AND is_archived = 0',
  )
  const calendar = calendarOf(db)
  const existing = new Map(
    ['companies', 'contacts', 'deals', 'members', 'stages', 'tags', 'close_reasons', 'mailboxes'].map((table) => [
      table,
      db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND id = ?`).pluck(),
    ]),
  )

  function fieldOf(org: number, object: FilterObject, name: string): ListField | undefined {
    if (name.startsWith(CUSTOM)) return customFieldOf(org, object, name.slice(CUSTOM.length))
    return Object.hasOwn(FIELDS[object], name) ? FIELDS[object][name] : undefined
  }

  function customFieldOf(org: number, object: FilterObject, key: string): ListField | undefined {
    const found = customField.get(org, object, key) as CustomField | undefined
    const kind = found && CUSTOM_KINDS[found.type]
    if (!found || !kind) return undefined
    const only = { column: 'field_id', value: found.id }
    const single = kind !== 'choices'
    return {
      kind,
      column: 'value',
      link: { table: `${object}_values`, key: `${object}_id`, column: 'value', only, single },
      ...(kind === 'text' ? { normal: fold } : {}),
      ...(kind === 'choice' || kind === 'choices'
        ? { choices: (JSON.parse(found.options) as { value: string }[]).map(({ value }) => value) }
        : {}),
      ...(kind === 'id' ? { target: 'members' } : {}),
      indexed: true,
    }
  }

  /**
   * Returns the faults of a filter for the object; `root` is the pointer of the filter. `lasting` is why it must not depend on the
   * time and on who asks, if so.
   */
  function faults(org: number, object: FilterObject, filter: unknown, root: string, lasting?: string): FieldError[] {
    return faultsOf(filter, root, {
      fieldOf: (name) => {
        if (!name.startsWith(COMPANY)) return fieldOf(org, object, name)
        return object === 'company' ? undefined : fieldOf(org, 'company', name.slice(COMPANY.length))
      },
      exists: (target, id) => existing.get(target)?.get(org, id) === 1,
      lasting,
    })
  }

  /** Throws 422 if the filter of a list does not suit its object. */
  function check(org: number, object: FilterObject, filter: unknown): void {
    const found = faults(org, object, filter, '/filter')
    if (found.length > 0) throw invalid(...found)
  }

  /** The conditions that the members of the list meet, for the member who asks, or for nobody. */
  function conditions(org: number, object: FilterObject, filter: Filter, member: string | null = null): Condition[] {
    return filterConditions(filter, {
      fieldOf: (name) => fieldOf(org, object, name),
      companyFieldOf: (name) => fieldOf(org, 'company', name),
      now: clock.now(),
      calendar: calendar(org, member),
      member,
    })
  }

  return { faults, check, conditions }
}
