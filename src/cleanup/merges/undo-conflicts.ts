import { emailKey } from '../../lib/email.ts'
import { same } from '../../lib/merge.ts'
import type { Email } from '../../records/contact-methods.ts'
import type { CustomObject, Value } from '../../records/custom-fields/types.ts'
import { externalIds } from '../../records/external-ids.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { type Changes, customKey, type Fields } from './fields.ts'
import { customConflicts, type Obstacle, type Twin } from './values.ts'

export type MergeObject = 'contact' | 'company'

/**
 * Why something was not restored: it was `changed` since and stays unchanged; its target, or the record itself, was
 * `deleted`; another record has the unique value (`taken`), or the same email, which is restored all the same
 * (`shared`); it no longer fits its custom field (`invalid`); companies would form a `cycle`; without it, a contact
 * would have no name, email or phone (`needed`).
 */
export type Reason = 'changed' | 'shared' | 'cycle' | 'needed' | Obstacle['reason']
/** A field that undoing a merge could not restore; `other` is the conflicting record. */
export type Left = { field: string; reason: Reason; other?: string }

const REFERENCES: Record<string, Target> = {
  company_id: 'companies',
  parent_company_id: 'companies',
  owner_id: 'members',
  tag_ids: 'tags',
  primary_contact_id: 'contacts',
  stage: 'stages',
  close_reason_id: 'close_reasons',
}
type Target = 'companies' | 'contacts' | 'members' | 'tags' | 'stages' | 'close_reasons'

/** Determines which of the former fields a restored record can still have. */
export function undoConflicts(db: Database, object: CustomObject) {
  const custom = customConflicts(db, object)
  const existing = (table: string) => db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND id = ?`).pluck()
  const exists = {
    companies: existing('companies'),
    contacts: existing('contacts'),
    members: existing('members'),
    tags: existing('tags'),
    stages: existing('stages'),
    close_reasons: existing('close_reasons'),
  }
  const mergedInto = db
    .prepare(
      "SELECT kept_id FROM merges WHERE org_id = ? AND object = 'company' AND merged_id = ? AND undone_at IS NULL",
    )
    .pluck()
  const ids = externalIds(db)
  const withDomain = db
    .prepare('SELECT company_id FROM company_domains WHERE org_id = ? AND domain = ? AND company_id <> ?')
    .pluck()
  const withEmail = db
    .prepare(
      `SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? AND contact_id NOT IN (?, ?)
       ORDER BY contact_id LIMIT 1`,
    )
    .pluck()

  /** Returns the company, or the one that it was merged into; undefined if that was deleted. */
  function companyNow(org: number, id: string): string | undefined {
    let now: string | undefined = id
    while (now !== undefined && !exists.companies.get(org, now)) now = mergedInto.get(org, now) as string | undefined
    return now
  }

  /** Returns the changes of a merge, with references to companies merged since updated, as nobody changed these. */
  function asOfNow(org: number, changes: Changes): Changes {
    const entries = Object.entries(changes).map(([name, [before, after]]): [string, Changes[string]] => [
      name,
      [before, REFERENCES[name] === 'companies' && after ? (companyNow(org, after as string) ?? after) : after],
    ])
    return Object.fromEntries(entries)
  }

  /** `item` is a value, or an item of a set. It is taken if the twin will have it, and free if the twin gives it up. */
  function obstacleTo(
    org: number,
    id: string,
    name: string,
    item: unknown,
    twin?: Twin,
  ): Omit<Left, 'field'> | undefined {
    const taken = (isTwins: boolean | undefined, holder: unknown): Obstacle | undefined => {
      if (twin && isTwins) return { reason: 'taken', other: twin.id }
      return holder && holder !== twin?.id ? { reason: 'taken', other: holder as string } : undefined
    }
    if (name === 'domains')
      return taken(
        (twin?.fields.domains as string[] | undefined)?.includes(item as string),
        withDomain.get(org, item, id),
      )
    if (name === 'external_id') {
      const isTwins =
        twin && twin.fields.external_id === item && !ids.mayShare(org, object, item as string, id, twin.id)
      return taken(isTwins, ids.otherWith(org, object, item as string, id))
    }
    if (name === 'emails') {
      const other = withEmail.get(org, emailKey((item as Email).email), id, twin?.id ?? id) as string | undefined
      return other ? { reason: 'shared', other } : undefined
    }
    const target = REFERENCES[name]
    return target === undefined || exists[target].get(org, item) ? undefined : { reason: 'deleted' }
  }

  /** Returns the fields without conflicting values, and lists these as `left`. Values equal to those in `now` stay. */
  function resolve(org: number, id: string, given: Fields, now: Fields, twin?: Twin): { fields: Fields; left: Left[] } {
    const fields = { ...given }
    const left: Left[] = []
    const values = custom.fieldsOf(org)
    for (const [name, value] of Object.entries(given)) {
      if (value === null) continue
      const key = customKey(name)
      const itemsOf = (whole: unknown): unknown[] => (key === undefined ? [whole].flat() : [whole])
      const current = itemsOf(now[name])
      const items = itemsOf(value).flatMap((given) => {
        if (current.some((item) => same(item, given))) return [given]
        const item = REFERENCES[name] === 'companies' ? companyNow(org, given as string) : given
        const obstacle =
          key === undefined
            ? obstacleTo(org, id, name, item, twin)
            : values.obstacleTo(id, name, key, item as Value, twin)
        if (obstacle) left.push({ field: name, ...obstacle })
        return obstacle && obstacle.reason !== 'shared' ? [] : [item]
      })
      if (key !== undefined && items.length === 0) delete fields[name]
      else fields[name] = Array.isArray(value) && key === undefined ? items : (items[0] ?? null)
    }
    return { fields, left }
  }

  return { custom, asOfNow, resolve }
}
