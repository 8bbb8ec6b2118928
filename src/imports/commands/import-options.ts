import { json, org } from '../../command/command.ts'
import { flagOf, type Options, type Values } from '../../command/config/options.ts'
import { usage } from '../../lib/problem.ts'
import type { FormatOptions } from '../csv/cells/detect-formats.ts'
import type { Match } from '../csv/columns/mapping.ts'
import { checkEncoding } from '../csv/file/encodings/encodings.ts'
import type { ImportOptions } from '../csv/import.ts'
import { UNKNOWN } from '../csv/rules.ts'
import { checkStagesAs } from '../csv/stage-options.ts'

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
    source: {
      type: 'string',
      placeholder: 'NAME',
      help: 'product that the file is from, such as hubspot, if it is not recognised: the same ids of two products are two records',
    },
    lenient: { type: 'boolean', help: 'import rows without the values that are wrong, and list these' },
    unknownOwner: {
      type: 'string',
      placeholder: 'EMAIL|ID',
      help: 'member who gets the records whose owner is not an active member',
    },
    unknownCompanies: unknown('companies', 'by default they are made'),
    decimal: {
      type: 'strings',
      placeholder: '[C=]SIGN',
      help: 'decimal separator, point or comma, if it is not clear from the amounts; of one column: "Fee=comma"; repeatable',
    },
    dates: {
      type: 'strings',
      placeholder: '[C=]ORDER',
      help: 'order of day, month and year: dmy, mdy or ymd, if it is not clear from the dates; of one column: "Born=mdy"; repeatable',
    },
    encoding: {
      type: 'string',
      placeholder: 'NAME',
      help: 'encoding of the file, such as windows-1250 or shift_jis, if it is not clear from its letters',
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

const stageAs = (what: string) =>
  ({ type: 'strings', placeholder: 'NAME', help: `stage of the file whose deals are ${what}; repeatable` }) as const

export const dealOptions = {
  makeStages: { type: 'boolean', help: 'make the stages and pipelines that the file names and that are missing' },
  wonStage: stageAs('won'),
  lostStage: stageAs('lost'),
  openStage: stageAs('open'),
  unknownContacts: unknown('contacts', 'by default the rows are rejected, or with --lenient imported without them'),
  ...importOptions('external_id'),
} as const satisfies Options

export const activityOptions = {
  unknownContacts: unknown('contacts', 'by default the rows are rejected, or with --lenient imported without them'),
  ...importOptions('external_id'),
} as const satisfies Options

/** Only deals have stages, and only deals and activities contacts. */
type OfDeals = 'makeStages' | 'unknownContacts' | 'wonStage' | 'lostStage' | 'openStage'
type DealValues = Values<typeof dealOptions>
export type Given = Omit<DealValues, OfDeals> & Partial<Pick<DealValues, OfDeals>> & { readonly data: string }

/** Throws a usage Problem for a value that is none of the choices. */
export function readOptions(
  given: Given,
  matches: readonly Match[],
): Pick<
  ImportOptions,
  keyof FormatOptions | 'map' | 'values' | 'match' | 'product' | 'encoding' | 'rules' | 'dryRun' | 'again' | 'rejected'
> {
  const { map, mapValue, lenient, makeStages, unknownOwner, dryRun, again, rejected } = given
  const { wonStage: won = [], lostStage: lost = [], openStage: open = [] } = given
  return {
    map,
    values: mapValue,
    match: chosen('--match', given.match, matches),
    product: given.source,
    ...formatsOf(given),
    encoding: given.encoding === undefined ? undefined : checkEncoding(given.encoding),
    rules: {
      lenient,
      makeStages,
      stagesAs: checkStagesAs({ won, lost, open }),
      unknownOwner,
      unknownContacts: chosen('--unknown-contacts', given.unknownContacts, UNKNOWN),
      unknownCompanies: chosen('--unknown-companies', given.unknownCompanies, UNKNOWN),
    },
    dryRun,
    again,
    rejected,
  }
}

/** Each is given for all columns, or behind the name of one. */
function formatsOf({ decimal = [], dates = [] }: Pick<Given, 'decimal' | 'dates'>): FormatOptions {
  const signs = decimal.map((text) => {
    const { column, choice } = parted('--decimal', text, ['point', 'comma'])
    return { column, decimal: choice === 'point' ? ('.' as const) : (',' as const) }
  })
  const orders = dates.map((text) => {
    const { column, choice } = parted('--dates', text, ['dmy', 'mdy', 'ymd'])
    return { column, order: choice }
  })
  const columns = [...signs, ...orders].flatMap(({ column, ...format }) => (column ? [{ column, ...format }] : []))
  return { decimal: forAll('--decimal', signs)?.decimal, order: forAll('--dates', orders)?.order, columns }
}

/** `comma`, or `Column=comma`; the name of a column may contain equals signs. */
function parted<const Choice extends string>(flag: string, text: string, choices: readonly Choice[]) {
  const at = text.lastIndexOf('=')
  return { column: text.slice(0, Math.max(at, 0)).trim(), choice: chosen(flag, text.slice(at + 1), choices) as Choice }
}

function forAll<Format extends { column: string }>(flag: string, formats: readonly Format[]): Format | undefined {
  const [one, other] = formats.filter(({ column }) => column === '')
  if (other) throw usage(`${flag} is given more than once for all columns.`)
  return one
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
