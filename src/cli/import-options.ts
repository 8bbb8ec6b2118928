import { flagOf, type Options, usage, type Values } from '../config.ts'
import type { Order } from '../imports/csv/dates.ts'
import type { ImportOptions } from '../imports/csv/import.ts'
import type { Match } from '../imports/csv/mapping.ts'
import type { Decimal } from '../imports/csv/numbers.ts'
import { UNKNOWN } from '../imports/csv/rules.ts'
import { json, org } from './command.ts'

const match = (choices: string) =>
  ({
    type: 'string',
    placeholder: choices,
    help: 'update existing records with the same value instead of creating new ones',
  }) as const

const unknown = (which: string, usual: string) =>
  ({
    type: 'string',
    placeholder: UNKNOWN.join('|'),
    help: `what becomes of ${which} that are not found: make them, omit them from their rows, or reject the rows; ${usual}`,
  }) as const

/** The options of an import of rows; `matches` are the values of --match. */
export const importOptions = (matches: string) =>
  ({
    match: match(matches),
    map: {
      type: 'string',
      placeholder: 'C=F,...',
      help: 'mapping of columns to fields, such as "Fax=phones,Notes=-,Birthday=custom.birthday"',
    },
    mapValue: {
      type: 'strings',
      placeholder: 'C:V=R',
      help: 'replacement of a value of a column, such as "Deal Stage:contractsent=Contract Sent", or "Owner:Max="; repeatable',
    },
    lenient: { type: 'boolean', help: 'import rows without the values that are wrong, and list these' },
    unknownOwner: {
      type: 'string',
      placeholder: 'EMAIL|ID',
      help: 'member who gets the records whose owner is not an active member',
    },
    unknownCompanies: unknown('companies', 'by default they are made'),
    decimal: {
      type: 'string',
      placeholder: 'SIGN',
      help: 'decimal separator, point or comma, if it is not clear from the amounts',
    },
    dates: {
      type: 'string',
      placeholder: 'ORDER',
      help: 'order of days and months, dmy or mdy, if it is not clear from the dates',
    },
    dryRun: { type: 'boolean', help: 'only show what would be imported' },
    again: { type: 'boolean', help: 'import a file again that was already imported with the same options' },
    rejected: {
      type: 'string',
      placeholder: 'PATH',
      help: 'file for rejected rows; by default beside the imported file. Left-out values are listed beside it',
    },
    org,
    json,
  }) as const satisfies Options

export const dealOptions = {
  makeStages: { type: 'boolean', help: 'make the stages and pipelines that the file names and that are missing' },
  unknownContacts: unknown('contacts', 'by default the rows are rejected, or with --lenient imported without them'),
  ...importOptions('external_id'),
} as const satisfies Options

/** Only deals have stages and contacts. */
type OfDeals = 'makeStages' | 'unknownContacts'
type DealValues = Values<typeof dealOptions>
export type Given = Omit<DealValues, OfDeals> & Partial<Pick<DealValues, OfDeals>> & { readonly data: string }

/** Throws a usage Problem for a value that is none of the choices. */
export function readOptions(
  given: Given,
  matches: readonly Match[],
): Pick<ImportOptions, 'map' | 'values' | 'match' | 'decimal' | 'order' | 'rules' | 'dryRun' | 'again' | 'rejected'> {
  const decimal = chosen('--decimal', given.decimal, ['point', 'comma'] as const)
  const sign: Decimal | undefined = decimal && (decimal === 'point' ? '.' : ',')
  const { map, mapValue, lenient, makeStages, unknownOwner, dryRun, again, rejected } = given
  return {
    map,
    values: mapValue,
    match: chosen('--match', given.match, matches),
    decimal: sign,
    order: chosen<Order>('--dates', given.dates, ['dmy', 'mdy']),
    rules: {
      lenient,
      makeStages,
      unknownOwner,
      unknownContacts: chosen('--unknown-contacts', given.unknownContacts, UNKNOWN),
      unknownCompanies: chosen('--unknown-companies', given.unknownCompanies, UNKNOWN),
    },
    dryRun,
    again,
    rejected,
  }
}

function chosen<const Choice extends string>(
  flag: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (text === undefined) return undefined
  const choice = choices.find((each) => each === text)
  if (!choice) throw usage(`${flag} must be one of ${choices.join(', ')}.`)
  return choice
}

const NOT_REPEATED = new Set(['dryRun', 'json'])

/** Returns the command line of an import with these options, as it is typed in a shell. */
export function commandLine(command: string, file: string, given: Given): string {
  const flags = Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
    const isUsual = name === 'data' && value === './dealbox-data'
    if (NOT_REPEATED.has(name) || isUsual || value === undefined || value === false) return []
    if (value === true) return [flagOf(name)]
    return [value].flat().map((each) => `${flagOf(name)} ${quoted(String(each))}`)
  })
  return ['dealbox', command, quoted(file), ...flags].join(' ')
}

const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
