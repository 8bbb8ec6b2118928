import type { Answer, Audited } from '../../command/command.ts'
import { aligned, oneLine } from '../../command/text.ts'
import { rfc3339 } from '../../lib/time.ts'
import { notImported } from '../csv/columns/mapping.ts'
import { productNamed } from '../csv/columns/products.ts'
import type { Imported, RowsImported } from '../csv/import.ts'
import type { Plan } from '../csv/plan.ts'
import { commandLine, type Given } from './import-options.ts'

/** Returns the answer of an import; `what` names the rows, such as meetings. */
export function importAnswer(imported: Imported, what: string, dryRun: boolean) {
  const { rejected, rejectedFile, importedBefore } = imported
  const id = dryRun ? null : imported.id
  const before =
    importedBefore === null
      ? ''
      : `Nothing was imported, because this file was already imported ${rfc3339(importedBefore)}. To import it again, use --again.\n`
  const notes = [
    ...(rejectedFile ? [`Rejected ${what.toLowerCase()}, with reasons: ${rejectedFile}`] : []),
    ...(rejected > 0 && !rejectedFile
      ? [`To write the rejected ${what.toLowerCase()} and the reasons to a file, use --rejected PATH.`]
      : []),
    ...(id ? [`To undo the import: dealbox import --undo ${id}`] : []),
  ]
  return {
    json: {
      id,
      ...countsOf(imported),
      rejected_file: rejectedFile,
      imported_before: importedBefore === null ? null : rfc3339(importedBefore),
    },
    text: `${before}${dryRun ? 'Would be' : what}: ${counted(imported)}.`,
    note: notes.join('\n'),
  }
}

/** What the audit log has about an import; null if the same file was imported before, so that nothing was done. */
export const auditOf = (object: string, imported: Imported): Audited =>
  imported.importedBefore === null ? { record: imported.id, detail: { object, ...countsOf(imported) } } : null

const countsOf = ({ created, updated, unchanged, rejected }: Imported) => ({ created, updated, unchanged, rejected })

const counted = (imported: Imported): string =>
  Object.entries(countsOf(imported))
    .map(([result, count]) => `${count} ${result}`)
    .join(', ')

export type RowsDone = {
  imported: RowsImported
  plan: Plan
  /** What a dry run with --lenient would import. */
  lenient: RowsImported | undefined
}

/** Returns the answer of an import of rows: everything that did not become part of a record is told. */
export function rowsAnswer(command: string, file: string, given: Given, { imported, plan, lenient }: RowsDone): Answer {
  const answer = importAnswer(imported, 'Rows', given.dryRun)
  const { mapping, source, unusedValues, unusedStages } = plan
  const columns = notImported(mapping)
  const others = Object.entries(imported.made).filter(([object]) => object !== source.object)
  const isBetter = lenient !== undefined && lenient.rejected < imported.rejected
  const text = [
    answer.text,
    ...encodingLines(plan),
    ...formatLines(plan),
    ...stageLines(plan),
    ...omittedLines(imported),
    ...(others.length > 0
      ? [`${given.dryRun ? 'Would also be made' : 'Also made'}: ${others.map(many).join(', ')}.`]
      : []),
    ...tagLines(imported),
    ...(columns.length > 0 ? [`Columns not imported: ${columns.length} (${columns.map(named).join(', ')}).`] : []),
    ...unusedValues.map((each) => `No cell has the value of --map-value ${JSON.stringify(each)}.`),
    ...unusedStages.map(
      (each) => `No row has the stage ${JSON.stringify(each)} of --won-stage, --lost-stage or --open-stage.`,
    ),
    ...source.remarks,
    ...productLines(plan),
    ...(isBetter ? lenientLines(command, file, given, imported, lenient, plan) : []),
  ]
  const { omittedFile, rejectedFile } = imported
  const again = { ...given, lenient: true, again: false, rejected: undefined, encoding: undefined }
  const isRetried = rejectedFile !== null && !given.lenient && !given.dryRun && source.format === 'csv'
  const note = [
    ...(omittedFile ? [`Left-out values, with reasons: ${omittedFile}`] : []),
    ...(isRetried
      ? [`To import rejected rows without what is wrong: ${commandLine(command, rejectedFile, again)}`]
      : []),
    answer.note,
  ]
  return {
    text: text.join('\n'),
    note: note.filter((line) => line !== '').join('\n'),
    json: {
      ...answer.json,
      encoding: source.encoding,
      left_out: imported.omitted,
      left_out_file: omittedFile,
      made: imported.made,
      new_tags: imported.newTags,
      mapping: mapping.map(({ column, field }) => ({ column, field })),
      formats: plan.formats.map(({ readAs: read_as, ...format }) => ({ ...format, read_as })),
      not_imported: columns,
      unused_values: unusedValues,
      ...(source.object === 'deal' ? { stages: plan.stages, unused_stages: unusedStages } : {}),
      remarks: source.remarks,
      source: plan.product || null,
      with_lenient: lenient ? { ...countsOf(lenient), left_out: lenient.omitted } : null,
    },
  }
}

/** How the cells that could mean two things are read, and what shows that. */
function formatLines({ formats }: Plan): string[] {
  if (formats.length === 0) return []
  const rows = formats.map(({ column, cell, readAs, because, line }) => [
    named(column),
    named(cell),
    readAs,
    line === null ? because : `line ${line}: ${named(because)}`,
  ])
  return [
    'Cells that could mean two things, as they are read; --decimal and --dates set it by hand:',
    aligned([['COLUMN', 'CELL', 'READ AS', 'BECAUSE OF'], ...rows]),
  ]
}

/** The product as which the ids of the file are kept. */
function productLines({ product, mapping }: Plan): string[] {
  if (!mapping.some(({ field }) => field === 'external_id')) return []
  if (product === '')
    return ['The product of these ids is not known; to tell them from those of others, use --source NAME.']
  return [`The ids are kept as those of ${productNamed(product)}.`]
}

const MAX_TAGS = 20

/** A word that was not meant as a tag is seen here. */
function tagLines({ newTags }: RowsImported): string[] {
  if (newTags.length === 0) return []
  const names = newTags.slice(0, MAX_TAGS).map((name) => JSON.stringify(named(name)))
  const more = newTags.length - names.length
  return [`New tags: ${names.join(', ')}${more > 0 ? ` and ${more} more; to list all, use --json` : ''}.`]
}

const MAX_SAMPLE = 3

/** How the letters of a file are read that does not say it itself. */
function encodingLines({ source: { encoding, sample } }: Plan): string[] {
  if (sample.length === 0) return []
  const words = sample.slice(0, MAX_SAMPLE).map((word) => JSON.stringify(named(word)))
  return [`Read as ${encoding}: ${words.join(', ')}. If that is wrong, name another: --encoding NAME.`]
}

/** What the deals of stages that the organisation lacks are taken for. */
function stageLines({ stages, rules }: Plan): string[] {
  if (stages.length === 0) return []
  const open = rules.makeStages ? 'open; the stage is made' : 'open; without --make-stages, there is no such stage'
  const said = {
    won: 'won',
    lost: 'lost',
    open,
    stated: 'what the column with their state says',
    unclear: 'not clear: use --won-stage, --lost-stage or --open-stage with this name',
  }
  const rows = stages.map(({ stage, as, deals }) => [named(stage), String(deals), said[as]])
  return ['Stages of the file that your pipelines lack:', aligned([['STAGE', 'DEALS', 'TAKEN AS'], ...rows])]
}

const MAX_REASON = 100

function omittedLines({ omitted }: RowsImported): string[] {
  if (omitted.length === 0) return []
  const rows = omitted.map(({ column, count, reason }) => [named(column), String(count), oneLine(reason, MAX_REASON)])
  return ['Left out of these rows:', aligned([['COLUMN', 'VALUES', 'FIRST REASON'], ...rows])]
}

/** What --lenient would do, the command for it, and the options that would bring in more. */
function lenientLines(
  command: string,
  file: string,
  given: Given,
  strict: RowsImported,
  lenient: RowsImported,
  { mapping }: Plan,
): string[] {
  const more = strict.rejected - lenient.rejected
  const fields = new Set(
    mapping.flatMap(({ column, field }) => (lenient.omitted.some((each) => each.column === column) ? [field] : [])),
  )
  const options = [
    ...(fields.has('stage') || fields.has('pipeline_id') ? ['--make-stages'] : []),
    ...(fields.has('owner_id') && !given.unknownOwner ? ['--unknown-owner EMAIL'] : []),
    ...(fields.has('primary_contact_id') && !given.unknownContacts ? ['--unknown-contacts make'] : []),
    '--map-value "Column:value=replacement"',
  ]
  return [
    `With --lenient, ${more} more of the rows would come in (${counted(lenient)}), without the values that are wrong:`,
    `  ${commandLine(command, file, { ...given, lenient: true })}`,
    ...omittedLines(lenient),
    `To leave out less: ${options.join(', ')}.`,
  ]
}

const PLURALS: Record<string, [one: string, many: string]> = {
  company: ['company', 'companies'],
  contact: ['contact', 'contacts'],
  tag: ['tag', 'tags'],
  note: ['note', 'notes'],
  stage: ['stage', 'stages'],
  pipeline: ['pipeline', 'pipelines'],
  custom_field: ['custom field', 'custom fields'],
}

function many([object, count]: [string, number]): string {
  const [one, several] = PLURALS[object] ?? [object, `${object}s`]
  return `${count} ${count === 1 ? one : several}`
}

/** Column names are text of a stranger. */
const named = (column: string): string => oneLine(column, MAX_REASON)
