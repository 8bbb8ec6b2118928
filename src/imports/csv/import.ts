import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Caller } from '../../lib/caller.ts'
import { conflict, type Problem } from '../../lib/problem.ts'
import { resourceDeps } from '../../resource-deps.ts'
import { batches, type Pace } from '../../store/batches.ts'
import { onCopy } from '../../store/copy.ts'
import type { Store } from '../../store/open.ts'
import { type Alone, inBatch, inBulk, MAX_BATCH, whileRoom } from '../bulk.ts'
import { type Counts, type Done, type ImportRow, journal, RESULTS } from '../journal/journal.ts'
import { allWrites } from '../writes.ts'
import { type Plan, planImport, type Wanted } from './plan.ts'
import { type Row, rowsOf } from './read.ts'
import { checkRejectedPath, rejectedPath, writeRejected } from './rejected.ts'
import { taker } from './take.ts'

export type ImportOptions = Wanted & {
  org: number
  /** Where the rejected rows go; beside the file where left out. */
  rejected?: string | undefined
  dryRun?: boolean
  /** Takes the file in once more, though it was imported before in the same way. */
  again?: boolean
  /** Stops the import behind the rows that are being written. */
  signal?: AbortSignal
  onPlan?: (plan: Plan) => void
  onProgress?: (done: number, of: number) => void
  pace?: Pace
}

export type Imported = Counts & {
  id: string
  /** The file of rejected rows; null where there are none. */
  rejectedFile: string | null
  /** When the same file was imported before in the same way: nothing was done now. */
  importedBefore: number | null
}

/**
 * Brings the rows of a file in, in batches of one transaction each, by the functions that the interface calls. What a
 * batch did is written down with it: an import that was cut off goes on behind its last batch when the same file is
 * imported in the same way. Throws Problem 404, 409 and 422, and a usage Problem.
 */
export async function importFile(store: Store, options: ImportOptions): Promise<Imported> {
  checkRejectedPath(options.file, options.rejected)
  const plan = await planImport(store, options.org, options)
  options.onPlan?.(plan)
  const job = (into: Store) => inBulk(into, () => run(into, plan, options))
  return options.dryRun ? onCopy(store, job) : job(store)
}

async function run(store: Store, plan: Plan, options: ImportOptions): Promise<Imported> {
  const { org, object, file, again = false, signal, onProgress } = options
  const kept = journal(store)
  const taking = rowTaker(store, plan, options)
  const batch = batches(store, options.pace)
  const before = earlier(kept.ofFile(org, plan.source.fingerprint, object), optionsOf(plan, options), again)
  let current = before ?? store.transaction(() => kept.start(org, startOf(plan, options)))
  const first = current.position
  let index = 0
  let held: { row: number; given: Row }[] = []

  /** Takes in those that are held, as many as there is time for in a transaction. */
  async function commit(): Promise<void> {
    const { position } = current
    current = inBatch(store, batch, (alone, isFull) => {
      const done = taking(held, alone, isFull)
      return kept.note(org, current, done, position + done.length === plan.rows)
    })
    held = held.slice(current.position - position)
    onProgress?.(current.position, plan.rows)
    await turn() // a signal to stop is noticed here
    if (signal?.aborted && current.finished_at === null) throw stopped(current, plan.rows)
  }

  if (current.finished_at === null) {
    for await (const given of rowsOf(plan.source)) {
      const row = index++
      if (row < first) continue
      held.push({ row, given })
      if (held.length === MAX_BATCH) await commit()
    }
    while (current.finished_at === null) await commit()
  }
  // A dry run leaves no file of its own accord, and an import that was done before has left one.
  const isQuiet = options.dryRun || before?.finished_at
  const rejectedFile = current.rejected === 0 ? null : (options.rejected ?? (isQuiet ? null : rejectedPath(file)))
  if (rejectedFile) await writeRejected(rejectedFile, plan.source, kept.rejects(org, current.id))
  const counts = Object.fromEntries(RESULTS.map((result) => [result, current[result]])) as Counts
  return { id: current.id, ...counts, rejectedFile, importedBefore: before?.finished_at ?? null }
}

/** Takes rows in, each alone: one that is refused leaves nothing behind. */
function rowTaker(store: Store, plan: Plan, { org, object, match }: ImportOptions) {
  const who: Caller = { org, member: null }
  const writes = allWrites(resourceDeps(store))
  const { take, forget } = taker(store.db, who, { object, match, writes })

  function takeRow(row: number, { cells, error }: Row, alone: Alone): Done {
    if (error !== undefined) return { row, error: `the row ${error}` }
    return alone<Done>(
      () => ({ row, taken: take(plan.read(cells)) }),
      (problem) => {
        forget() // what it made is gone
        return { row, error: reasonOf(problem) }
      },
    )
  }

  return (held: readonly { row: number; given: Row }[], alone: Alone, isFull: () => boolean): Done[] => {
    forget()
    return whileRoom(held, isFull, ({ row, given }) => takeRow(row, given, alone))
  }
}

/** Every field error of a row, by the field's name. */
export function reasonOf({ message, errors = [] }: Problem): string {
  if (errors.length === 0) return message
  return errors
    .map(({ pointer, message }) => `${pointer.slice(1).replaceAll('/', '.') || 'the row'} ${message}`)
    .join('; ')
}

/** The import of the same file in the same way that was begun before; where it was finished, only unless asked for again. */
function earlier(imports: readonly ImportRow[], options: string, again: boolean): ImportRow | undefined {
  const same = imports.find((each) => each.options === options && !(again && each.finished_at !== null))
  if (same) return same
  const unfinished = imports.find(({ finished_at }) => finished_at === null)
  if (!unfinished) return undefined
  throw conflict(
    'unfinished_import',
    `An import of this file with other options was cut off after ${unfinished.position} rows. Run it again as it was, or take it back first: dealbox import --undo ${unfinished.id}`,
    { import_id: unfinished.id },
  )
}

function startOf(plan: Plan, options: ImportOptions) {
  const { object, file } = options
  const content = plan.source.fingerprint
  return { object, file_name: basename(file), content, options: optionsOf(plan, options) }
}

/** All that decides what becomes of a row. */
const optionsOf = ({ mapping }: Plan, { match, decimal, order }: ImportOptions): string =>
  JSON.stringify({ mapping, match, decimal, dates: order })

const stopped = ({ position }: ImportRow, rows: number): Problem =>
  conflict('stopped', `Stopped after ${position} of ${rows} rows; the same command goes on from there.`)
