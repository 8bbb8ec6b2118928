import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { resourceDeps } from '../../app/deps.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Json } from '../../lib/json.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { batches, type Pace } from '../../store/batches.ts'
import { onCopy } from '../../store/copy.ts'
import type { CommandStore } from '../../store/open.ts'
import { type Alone, inBatch, inBulk, MAX_BATCH, whileRoom } from '../bulk.ts'
import {
  type Counts,
  type Done,
  type ImportRow,
  journal,
  type Omission,
  type OmittedColumn,
  RESULTS,
  type Taken,
  type Touched,
} from '../journal/journal.ts'
import { allWrites } from '../writes.ts'
import { isActivity } from './activities/signs.ts'
import { activityTaker } from './activities/take.ts'
import type { Draft } from './cells/draft.ts'
import { makeFields } from './columns/custom.ts'
import type { Row } from './file/source.ts'
import { type Plan, type PlanOptions, planImport } from './plan.ts'
import { besides, checkRejectedPath, freePath, writeOmitted, writeRejected } from './rejected.ts'
import { type OnOmit, taker } from './take.ts'

export type ImportOptions = PlanOptions & {
  org: number
  /** Where to write the rejected rows; defaults to a path beside the file. */
  rejected?: string | undefined
  dryRun?: boolean
  /** Imports the file again even if it was imported before with the same options. */
  again?: boolean
  /** Stops the import after the current batch. */
  signal?: AbortSignal
  onPlan?: (plan: Plan) => void
  onProgress?: (done: number, of: number) => void
  pace?: Pace
}

export type Imported = Counts & {
  id: string
  /** The file of rejected rows; null if there are none, or if it was not written. */
  rejectedFile: string | null
  /** When the same file was imported before with the same options; then nothing was imported now. */
  importedBefore: number | null
}

export type RowsImported = Imported & {
  /** The columns with values that were left out, and the file that lists all of these. */
  omitted: readonly OmittedColumn[]
  omittedFile: string | null
  /** How many records of each kind were created, also those that rows refer to. */
  made: Readonly<Record<string, number>>
  /** The names of the tags among them. */
  newTags: readonly string[]
}

/**
 * Imports the rows of a file in batches of one transaction each, through the functions that the API calls. The journal
 * is written in the same transactions: an interrupted import continues after its last batch when the same file is
 * imported with the same options. Throws Problem 404, 409 and 422, and a usage Problem.
 */
export async function importFile(store: CommandStore, options: ImportOptions): Promise<RowsImported> {
  checkRejectedPath(options.file, options.rejected)
  const plan = await planImport(store, options.org, options)
  options.onPlan?.(plan)
  const job = (into: CommandStore) => inBulk(into, () => run(into, plan, options))
  return options.dryRun ? onCopy(store, job) : job(store)
}

async function run(store: CommandStore, plan: Plan, options: ImportOptions): Promise<RowsImported> {
  const { org, object, file, again = false, signal, onProgress } = options
  const importJournal = journal(store)
  const batch = batches(store, options.pace)
  function begin(): ImportRow {
    const started = importJournal.start(org, startOf(plan, options))
    importJournal.addTouched(org, started.id, 0, fieldsFor(store, plan, options))
    return started
  }
  const before = earlier(importJournal.ofFile(org, plan.source.fingerprint, object), optionsOf(plan, options), again)
  let current = before ?? store.transaction(begin)
  const first = current.position
  const { importRows, pass } = rowImporter(store, plan, options, current.id)
  let index = 0
  let buffered: { row: number; given: Row }[] = []

  const isOpen = (): boolean => current.finished_at === null && current.position < plan.rows

  /** Imports as many of the buffered rows as fit into one transaction. */
  async function commit(): Promise<void> {
    const { position } = current
    current = inBatch(store, batch, org, (alone, isFull) =>
      importJournal.note(org, current, importRows(buffered, alone, isFull)),
    )
    buffered = buffered.slice(current.position - position)
    onProgress?.(current.position, plan.rows)
    await turn() // lets an abort signal arrive
    if (signal?.aborted && isOpen()) throw stopped(current, plan.rows)
  }

  if (isOpen()) {
    for await (const given of plan.rowsOf()) {
      const row = index++
      if (row < first) {
        pass(given)
        continue
      }
      buffered.push({ row, given })
      if (buffered.length === MAX_BATCH) await commit()
    }
    while (isOpen()) await commit()
  }
  // A dry run writes no file by default, and an earlier import has already written one.
  const isQuiet = options.dryRun || before?.finished_at
  const omitted = importJournal.omittedColumns(org, current.id)
  const rejectedFile =
    current.rejected === 0 ? null : (options.rejected ?? (isQuiet ? null : freePath(file, 'rejected')))
  const omittedPath = options.rejected ? besides(options.rejected) : isQuiet ? null : freePath(file, 'left-out')
  const omittedFile = omitted.length === 0 ? null : omittedPath
  if (rejectedFile) await writeRejected(rejectedFile, plan.source, importJournal.rejects(org, current.id))
  if (omittedFile) await writeOmitted(omittedFile, plan.source, importJournal.omissions(org, current.id))
  if (current.finished_at === null) store.transaction(() => importJournal.finish(org, current))
  const counts = Object.fromEntries(RESULTS.map((result) => [result, current[result]])) as Counts
  const made = importJournal.made(org, current.id)
  const newTags = importJournal.madeTags(org, current.id)
  const importedBefore = before?.finished_at ?? null
  return { id: current.id, ...counts, rejectedFile, importedBefore, omitted, omittedFile, made, newTags }
}

/** Creates the custom fields that the mapping needs. */
function fieldsFor(store: CommandStore, { fields }: Plan, { org, object }: ImportOptions): Touched[] {
  if (!Object.values(fields).some(({ isNew }) => isNew)) return []
  return makeFields(allWrites(resourceDeps(store)), { org, member: null }, object, fields)
}

/** Imports rows independently: a rejected row leaves nothing behind. */
function rowImporter(store: CommandStore, plan: Plan, { org, object }: ImportOptions, importId: string) {
  const { reader, fields, rules, match } = plan
  const who: Caller = { org, member: null }
  const writes = allWrites(resourceDeps(store))
  const common = { match, source: plan.product, importId, writes, rules }
  const { take, settle, forget } = isActivity(object)
    ? activityTaker(store.db, who, common)
    : taker(store.db, who, { ...common, object, fields })

  function takeRow(row: number, { cells, error }: Row, alone: Alone): Done {
    if (error !== undefined) return { row, error: `the row ${error}` }
    // By its text: a row that is taken a second time tells it again.
    const omitted = new Map<string, Omission>()
    const omit = (column: string, reason: string): void => void omitted.set(`${column}\n${reason}`, { column, reason })
    // Words for nothing are listed, but reject no row.
    const said = new Map<string, Omission>()
    const onNothing = (column: string, reason: string): void => void said.set(column, { column, reason })
    const onOmit: OnOmit = (name, reason, item) =>
      omit(reader.columnOf(cells, name, item), item === undefined ? reason : `${textOf(item)} ${reason}`)
    const refused = (problem: Problem): Done => {
      const left = [...omitted.values()].map(({ column, reason }) => `${column} ${reason}`)
      return { row, error: [...left, reasonOf(problem)].join('; ') }
    }

    let draft: Draft | undefined
    const read = () => reader.read(cells, rules.lenient ? omit : undefined, onNothing)
    for (;;) {
      const taken = alone<Taken | Problem>(
        () => {
          draft ??= read()
          for (const { column, reason } of draft.unsure ?? []) omit(column, reason)
          return take(draft, onOmit)
        },
        (problem) => {
          forget() // the records it created were rolled back
          return problem
        },
      )
      if (!(taken instanceof Problem)) return { row, taken, omitted: [...said.values(), ...omitted.values()] }
      if (!draft) return refused(taken)
      try {
        settle(draft, taken, onOmit)
      } catch (problem) {
        if (problem === taken) return refused(taken)
        throw problem
      }
    }
  }

  const importRows = (
    buffered: readonly { row: number; given: Row }[],
    alone: Alone,
    isFull: () => boolean,
  ): Done[] => {
    forget()
    return whileRoom(buffered, isFull, ({ row, given }) => takeRow(row, given, alone))
  }

  /** A row that was imported before the import was interrupted. */
  function pass({ cells, error }: Row): void {
    if (!reader.isInOrder || error !== undefined) return
    try {
      reader.read(cells, rules.lenient ? () => undefined : undefined)
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem // it was rejected then, too
    }
  }

  return { importRows, pass }
}

/** Returns an item of a field as it is in a reason. */
function textOf(item: Json): string {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return JSON.stringify(item)
  return JSON.stringify(item.email ?? item.number ?? item)
}

/** Returns the field errors of a row, each with the name of its field. */
export function reasonOf({ message, errors = [] }: Problem): string {
  if (errors.length === 0) return message
  return errors
    .map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.') || 'the row'} ${message}`)
    .join('; ')
}

/**
 * Returns an earlier import of the same file with the same options; if it has finished, only without `again`. Throws
 * 409 if an import with other options is unfinished.
 */
function earlier(imports: readonly ImportRow[], options: string, again: boolean): ImportRow | undefined {
  const same = imports.find((each) => each.options === options && !(again && each.finished_at !== null))
  if (same) return same
  const unfinished = imports.find(({ finished_at }) => finished_at === null)
  if (!unfinished) return undefined
  throw conflict(
    'unfinished_import',
    `An import of this file with other options was interrupted after ${unfinished.position} rows. Run it again with the same options, or undo it first: dealbox import --undo ${unfinished.id}`,
    { import_id: unfinished.id },
  )
}

function startOf(plan: Plan, options: ImportOptions) {
  const { object, file } = options
  const content = plan.source.fingerprint
  return { object, file_name: basename(file), content, options: optionsOf(plan, options) }
}

/** All options that affect the result of a row. */
const optionsOf = (
  { mapping, rules, match }: Plan,
  { decimal, order, columns = [], encoding, values = [], product }: ImportOptions,
): string =>
  JSON.stringify({
    mapping: mapping.map(({ isChosen: _, ...each }) => each),
    match,
    decimal,
    dates: order,
    ...(columns.length > 0 ? { columns } : {}),
    ...(values.length > 0 ? { values: values.toSorted() } : {}),
    ...(product === undefined ? {} : { source: product }),
    ...(encoding === undefined ? {} : { encoding }),
    ...Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule)),
  })

const stopped = ({ position }: ImportRow, rows: number): Problem =>
  conflict('stopped', `Stopped after ${position} of ${rows} rows. To continue, run the same command again.`)
