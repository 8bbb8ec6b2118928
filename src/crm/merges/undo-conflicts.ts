import { same } from '../../lib/merge.ts'
import type { Database } from '../../store/driver.ts'
import type { Value } from '../custom-fields/types.ts'
import { type Email, emailKey } from '../records/contact-methods.ts'
import { type Changes, customKey, type Fields } from './fields.ts'
import { customConflicts, type Obstacle, type Twin } from './values.ts'

export type MergeObject = 'contact' | 'company'

/**
 * Why something did not go back: `changed` since, so that it stays as it is; what it refers to, or the record itself, is
 * `deleted`; another record has it by now (`taken`), or has it as well (`shared`); it no longer fits its custom field
 * (`invalid`); companies would go round in a circle (`cycle`); a contact would have neither a name nor an email nor a
 * phone left (`needed`).
 */
export type Reason = 'changed' | 'shared' | 'cycle' | 'needed' | Obstacle['reason']
/** One thing that undoing a merge could not put back; `other` is the record in the way. */
export type Left = { field: string; reason: Reason; other?: string }

const TABLES = { contact: 'contacts', company: 'companies' } as const
const REFERENCES: Record<string, 'companies' | 'members' | 'tags'> = {
  company_id: 'companies',
  parent_company_id: 'companies',
  owner_id: 'members',
  tag_ids: 'tags',
}

/** Finds out what a record can still have that comes back from the past. */
export function undoConflicts(db: Database, object: MergeObject) {
  const custom = customConflicts(db, object)
  const existing = (table: string) => db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND id = ?`).pluck()
  const exists = { companies: existing('companies'), members: existing('members'), tags: existing('tags') }
  const mergedInto = db
    .prepare(
      "SELECT kept_id FROM merges WHERE org_id = ? AND object = 'company' AND merged_id = ? AND undone_at IS NULL",
    )
    .pluck()
  const withExternalId = db
    .prepare(`SELECT id FROM ${TABLES[object]} WHERE org_id = ? AND external_id = ? AND id <> ?`)
    .pluck()
  const withDomain = db
    .prepare('SELECT company_id FROM company_domains WHERE org_id = ? AND domain = ? AND company_id <> ?')
    .pluck()
  const withEmail = db
    .prepare(
      `SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? AND contact_id NOT IN (?, ?)
       ORDER BY contact_id LIMIT 1`,
    )
    .pluck()

  /** The company itself, or the one that it was merged into; undefined where that is gone. */
  function companyNow(org: number, id: string): string | undefined {
    let now: string | undefined = id
    while (now !== undefined && !exists.companies.get(org, now)) now = mergedInto.get(org, now) as string | undefined
    return now
  }

  /** What a merge has set, with the companies by what became of them: such a change is nobody's. */
  function asOfNow(org: number, changes: Changes): Changes {
    const entries = Object.entries(changes).map(([name, [before, after]]): [string, Changes[string]] => [
      name,
      [before, REFERENCES[name] === 'companies' && after ? (companyNow(org, after as string) ?? after) : after],
    ])
    return Object.fromEntries(entries)
  }

  /** `item` is the value of a field, or one of its items. What the twin will have is taken; what that lets go is not. */
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
    if (name === 'external_id') return taken(twin?.fields.external_id === item, withExternalId.get(org, item, id))
    if (name === 'emails') {
      const other = withEmail.get(org, emailKey((item as Email).email), id, twin?.id ?? id) as string | undefined
      return other ? { reason: 'shared', other } : undefined
    }
    const target = REFERENCES[name]
    return target === undefined || exists[target].get(org, item) ? undefined : { reason: 'deleted' }
  }

  /** The fields without what cannot stand any more, of those that differ from `now`: what is there already stands. */
  function resolve(org: number, id: string, given: Fields, now: Fields, twin?: Twin): { fields: Fields; left: Left[] } {
    const fields = { ...given }
    const left: Left[] = []
    const values = custom.fieldsOf(org)
    for (const [name, value] of Object.entries(given)) {
      if (value === null) continue
      const key = customKey(name)
      const itemsOf = (whole: unknown): unknown[] => (key === undefined ? [whole].flat() : [whole])
      const known = itemsOf(now[name])
      const undoConflicts = itemsOf(value).flatMap((given) => {
        if (known.some((one) => same(one, given))) return [given]
        const item = REFERENCES[name] === 'companies' ? companyNow(org, given as string) : given
        const obstacle =
          key === undefined
            ? obstacleTo(org, id, name, item, twin)
            : values.obstacleTo(id, name, key, item as Value, twin)
        if (obstacle) left.push({ field: name, ...obstacle })
        return obstacle && obstacle.reason !== 'shared' ? [] : [item]
      })
      if (key !== undefined && undoConflicts.length === 0) delete fields[name]
      else fields[name] = Array.isArray(value) && key === undefined ? undoConflicts : (undoConflicts[0] ?? null)
    }
    return { fields, left }
  }

  return { custom, asOfNow, resolve }
}
