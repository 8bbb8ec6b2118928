import { companyRecord } from '../../records/company.ts'
import { contactRecord } from '../../records/contact.ts'
import { dealRecord } from '../../records/deal.ts'
import type { Database } from '../../store/sqlite/driver.ts'

// The template variables of steps.

/** The link for unsubscribing: a page, which needs a public URL. */
export const UNSUBSCRIBE_URL = 'unsubscribe_url'

const FIELDS: Record<string, readonly string[]> = {
  contact: [...contactRecord.templateFields, 'email', 'phone'],
  company: companyRecord.templateFields,
  deal: dealRecord.templateFields,
  sender: ['name', 'email', 'first_name', 'last_name'],
  org: ['name'],
}

/** The variables that all organisations have. */
export const VARIABLES: readonly string[] = [
  ...Object.entries(FIELDS).flatMap(([object, names]) => names.map((name) => `${object}.${name}`)),
  UNSUBSCRIBE_URL,
]

/** Whether the name is that of a custom field, existing or not. */
export const isCustomVariable = (name: string): boolean =>
  /^(contact|company|deal)\.custom_fields\.[a-z][a-z0-9_]*$/.test(name)

/** Returns the variables of an organisation: with its custom fields, except archived ones. */
export function variables(db: Database): (org: number) => string[] {
  const custom = db
    .prepare(
      `SELECT object || '.custom_fields.' || key FROM custom_fields
       WHERE org_id = ? AND is_archived = 0 ORDER BY object, position, key`,
    )
    .pluck()
  return (org) => [...VARIABLES, ...(custom.all(org) as string[])]
}
