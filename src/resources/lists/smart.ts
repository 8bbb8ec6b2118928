import { fold } from '../../lib/fold.ts'
import type { Condition } from '../../store/conditions.ts'
import type { Store } from '../../store/open.ts'
import { FIELDS, type Kind, type ListField, type ListObject } from './catalog.ts'
import { filterConditions } from './conditions.ts'
import { checkFilter, type Filter } from './filter.ts'

const COMPANY = 'company.'
const CUSTOM = 'custom_fields.'

/** How the values of custom fields compare, by their type; see custom-values.ts for how they are stored. */
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

/** What smart lists hold: their filters are checked against the fields of the organisation, and become conditions. */
export function smartLists({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const customField = db.prepare(
    'SELECT id, type, options FROM custom_fields WHERE org_id = ? AND object = ? AND key = ? AND is_archived = 0',
  )
  const timezone = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()
  const existing = new Map(
    ['companies', 'contacts', 'members', 'stages', 'tags', 'close_reasons'].map((table) => [
      table,
      db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND id = ?`).pluck(),
    ]),
  )

  function fieldOf(org: number, object: ListObject, name: string): ListField | undefined {
    if (name.startsWith(CUSTOM)) return customFieldOf(org, object, name.slice(CUSTOM.length))
    return Object.hasOwn(FIELDS[object], name) ? FIELDS[object][name] : undefined
  }

  function customFieldOf(org: number, object: ListObject, key: string): ListField | undefined {
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

  /** Throws 422 for a filter that does not fit the object. */
  function check(org: number, object: ListObject, filter: unknown): void {
    checkFilter(filter, {
      fieldOf: (name) => {
        if (!name.startsWith(COMPANY)) return fieldOf(org, object, name)
        return object === 'company' ? undefined : fieldOf(org, 'company', name.slice(COMPANY.length))
      },
      exists: (target, id) => existing.get(target)?.get(org, id) === 1,
    })
  }

  /** What a record has to meet to be in the list. */
  function conditions(org: number, object: ListObject, filter: Filter): Condition[] {
    const now = clock.now()
    const zone = timezone.get(org) as string
    return filterConditions(filter, {
      fieldOf: (name) => fieldOf(org, object, name),
      companyFieldOf: (name) => fieldOf(org, 'company', name),
      now,
      today: Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).toPlainDate().toString(),
    })
  }

  return { check, conditions }
}
