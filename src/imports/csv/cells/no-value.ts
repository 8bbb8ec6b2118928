import { dealChoices } from '../../../crm/stages/deal-choices.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { isEmptyText, isNoName, isNoValue, isSigns } from '../../../lib/written/no-value.ts'
import { isValue } from '../../../lib/written/reading.ts'
import { readYesNo } from '../../../lib/written/yes-no.ts'
import { recordLookups } from '../../../records/record-lookups.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import type { ImportObject } from '../../writable.ts'
import type { Field, Fields, Kind } from '../columns/field.ts'

/** Texts in which people and things can be called None or Null. Those of custom fields are among them. */
const NAMES: ReadonlySet<string> = new Set([
  'first_name',
  'last_name',
  'middle_name',
  'name',
  'title',
  'source',
  'address.city',
  'address.region',
])

/** Kinds whose texts are divided or looked up later: whether something is called so shows only then. */
const LATER: ReadonlySet<Kind> = new Set<Kind>(['tags', 'company', 'contact'])

/** What has a name that a column can refer to: in these fields a word for nothing may be such a name. */
export function withNames(fields: Fields, db: Database, org: number, object: ImportObject): Fields {
  const named = (names: readonly string[]) => new Map(names.map((name) => [fold(name), name]))
  const members = named(
    recordLookups(db)
      .members(org)
      .map(({ name }) => name),
  )
  const { pipelines = [], stages = [], reasons = [] } = object === 'deal' ? dealChoices(db, org) : {}
  const names: { [kind in Kind]?: ReadonlyMap<string, string> } = {
    member: members,
    pipeline: named(pipelines.map(({ name }) => name)),
    stage: named(stages.map(({ name }) => name)),
    reason: named(reasons.map(({ name }) => name)),
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const options = names[field.kind]
      return [name, options ? { ...field, options } : field]
    }),
  )
}

const FLAGS: ReadonlySet<Kind> = new Set<Kind>(['flag', 'consent'])

/** The cell says nothing, or says that there is nothing: the latter is listed. */
export type Nothing = 'empty' | 'said'

/** Whether a cell has no value for a field. */
export function nothingIn(name: string, { kind, options, isFree }: Field, text: string): Nothing | undefined {
  // Outlook and Salesforce write zeros into each row; a year of zeros is what a database has for a lost day.
  if (isEmptyText(text)) return /^0000\D|\D0000$/.test(text) ? 'said' : 'empty'
  if (options?.has(fold(text))) return undefined
  if (kind === 'country' && text === 'NA') return undefined // Namibia's code
  if (FLAGS.has(kind) && isValue(readYesNo(text, {}))) return undefined // several words for no are words for nothing, too
  const isName = NAMES.has(name) || kind === 'fullName' || LATER.has(kind)
  return (isFree ? isSigns : isName ? isNoName : isNoValue)(text) ? 'said' : undefined
}

export const saidNothing = (text: string): string => `${JSON.stringify(text)} stands for no value`
