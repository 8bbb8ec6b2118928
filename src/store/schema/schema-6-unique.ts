import { countryOfZone } from '../../lib/country.ts'
import type { Connection } from '../sqlite/driver.ts'

// Frozen once released.

type Field = {
  org_id: number
  id: string
  object: string
  key: string
  type: string
  country: string | null
  timezone: string
}

const MANY: Record<string, string> = { contact: 'contacts', company: 'companies', deal: 'deals' }

/**
 * From schema 5: of fields with emails and phones that must be unique, all spellings are one. Where two records have one in
 * two spellings by now, the second one keeps the text that it is compared by, until it is changed.
 */
export function renewUnique(db: Connection): void {
  const fields = db
    .prepare(
      `SELECT org_id, custom_fields.id, object, key, type, country, timezone FROM custom_fields
         JOIN orgs ON orgs.id = org_id
       WHERE is_unique = 1 AND type IN ('email', 'phone')`,
    )
    .all() as Field[]
  for (const { org_id, id, object, key, type, country, timezone } of fields) {
    const table = MANY[object] as string
    db.prepare(
      `UPDATE OR IGNORE ${object}_values SET unique_value =
         (SELECT unique_text(@type, coalesce(custom_fields ->> @path, archived_fields ->> @path), @country) FROM ${table}
          WHERE ${table}.org_id = @org AND ${table}.id = ${object}_id)
       WHERE org_id = @org AND field_id = @field`,
    ).run({ org: org_id, field: id, type, path: `$.${key}`, country: country ?? countryOfZone(timezone) ?? null })
  }
}
