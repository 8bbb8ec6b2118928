import { usage } from '../../config.ts'
import { recordLookups } from '../../crm/records/record-lookups.ts'
import { fold } from '../../lib/fold.ts'
import type { Database } from '../../store/driver.ts'
import type { Kind } from './fields.ts'

export const UNKNOWN = ['make', 'omit', 'reject'] as const
export type Unknown = (typeof UNKNOWN)[number]

/** What becomes of values that cannot be imported: docs/decisions/027-imports.md. */
export type Rules = {
  /** Leaves them out of their rows, which are imported all the same. */
  lenient?: boolean | undefined
  /** Makes the stages and pipelines that the organisation lacks. */
  makeStages?: boolean | undefined
  /** The id of the member who owns the records of unknown owners. */
  unknownOwner?: string | undefined
  unknownContacts?: Unknown | undefined
  unknownCompanies?: Unknown | undefined
}

/** Whether a row is imported without a value that was refused with this code. */
export function isOmitted(
  { lenient = false, unknownContacts, unknownCompanies }: Rules,
  kind: Kind | undefined,
  code: string,
): boolean {
  if (code !== 'reference_not_found') return lenient
  const said = kind === 'contact' ? unknownContacts : kind === 'company' ? unknownCompanies : undefined
  return said === undefined || said === 'make' ? lenient : said === 'omit'
}

/** Returns the id of an active member by its id or email. Throws a usage Problem. */
export function ownerNamed(db: Database, org: number, text: string): string {
  const find = recordLookups(db)
  const id = find.memberOfEmail(org, fold(text)) ?? text
  const member = find.members(org).find((each) => each.id === id)
  if (member?.status === 'active') return id
  throw usage(`--unknown-owner must be the email or the id of an active member; "${text}" is neither.`)
}
