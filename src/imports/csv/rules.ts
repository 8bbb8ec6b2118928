import type { Kind } from './columns/field.ts'
import { type StagesAs, UNCLEAR_STAGE } from './stage-options.ts'

export const UNKNOWN = ['make', 'omit', 'reject'] as const
export type Unknown = (typeof UNKNOWN)[number]

/** What becomes of values that cannot be imported: docs/decisions/027-imports.md. */
export type Rules = {
  /** Leaves them out of their rows, which are imported all the same. */
  lenient?: boolean | undefined
  /** Makes the stages and pipelines that the organisation lacks. */
  makeStages?: boolean | undefined
  /** What stages are taken for, by their name in the file. */
  stagesAs?: StagesAs | undefined
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
  if (code === UNCLEAR_STAGE) return false
  if (code !== 'reference_not_found') return lenient
  const said = kind === 'contact' ? unknownContacts : kind === 'company' ? unknownCompanies : undefined
  return said === undefined || said === 'make' ? lenient : said === 'omit'
}
