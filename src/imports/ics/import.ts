import { basename } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { resourceDeps } from '../../app/deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, type Problem } from '../../lib/problem.ts'
import { batches } from '../../store/batches.ts'
import { onCopy } from '../../store/copy.ts'
import type { CommandStore } from '../../store/open.ts'
import { type Alone, inBatch, inBulk, MAX_BATCH, whileRoom } from '../bulk.ts'
import { type Imported, type ImportOptions, reasonOf } from '../csv/import.ts'
import { checkRejectedPath, freePath } from '../csv/rejected.ts'
import { type Counts, type Done, type ImportRow, journal, RESULTS } from '../journal/journal.ts'
import { type Plan, planMeetings, type Row } from './plan.ts'
import { writeRejected } from './rejected.ts'
import { meetingTaker } from './take.ts'

export type CalendarOptions = Pick<
  ImportOptions,
  'org' | 'file' | 'rejected' | 'dryRun' | 'again' | 'signal' | 'onProgress' | 'pace'
>

/**
 * Imports the events of an iCalendar file as meetings, in batches of one transaction each; recurring events from a year
 * back to a year ahead. An interrupted import continues after its last batch when the same file is imported again, with
 * the same window. Throws Problem 404, 409 and 422, and a usage Problem.
 */
export async function importMeetings(store: CommandStore, options: CalendarOptions): Promise<Imported> {
  checkRejectedPath(options.file, options.rejected)
  const plan = await planMeetings(store, options.org, options.file)
  const job = (into: CommandStore) => inBulk(into, () => run(into, plan, options))
  return options.dryRun ? onCopy(store, job) : job(store)
}

async function run(store: CommandStore, plan: Plan, options: CalendarOptions): Promise<Imported> {
  const { org, file, again = false, signal, onProgress } = options
  const { fingerprint: content, calendars } = plan
  const importJournal = journal(store)
  const before = importJournal.ofFile(org, content, 'meeting').find(({ finished_at }) => finished_at === null || !again)
  const given = { object: 'meeting', file_name: basename(file), content } as const
  const { now } = before ? (JSON.parse(before.options) as { now: number }) : { now: store.clock.now() }
  const rows = await plan.rows(now, signal) // rejected files create no import
  let current =
    before ?? store.transaction(() => importJournal.start(org, { ...given, options: JSON.stringify({ now }) }))
  const take = meetingTaker(resourceDeps(store), { org, member: null } satisfies Caller, now)

  const batch = batches(store, options.pace)

  function takeRow(row: number, given: Row, alone: Alone): Done {
    if ('error' in given) return { row, error: given.error }
    return alone<Done>(
      () => ({ row, taken: take(given.draft) }),
      (problem) => ({ row, error: reasonOf(problem) }),
    )
  }

  const isOpen = (): boolean => current.finished_at === null && current.position < rows.length

  while (isOpen()) {
    const from = current.position
    const buffered = rows.slice(from, from + MAX_BATCH).map((given, at) => ({ given, row: from + at }))
    current = inBatch(store, batch, org, (alone, isFull) => {
      const done = whileRoom(buffered, isFull, ({ row, given }) => takeRow(row, given, alone))
      return importJournal.note(org, current, done)
    })
    onProgress?.(current.position, rows.length)
    await turn() // lets an abort signal arrive
    if (signal?.aborted && isOpen()) throw stopped(current, rows.length)
  }
  // A dry run writes no file by default, and an earlier import has already written one.
  const isQuiet = options.dryRun || before?.finished_at
  const ownPath = isQuiet ? null : freePath(file, 'rejected', '.ics')
  const rejectedFile = current.rejected === 0 ? null : (options.rejected ?? ownPath)
  if (rejectedFile) await writeRejected(rejectedFile, calendars, rows, importJournal.rejects(org, current.id))
  if (current.finished_at === null) store.transaction(() => importJournal.finish(org, current))
  const counts = Object.fromEntries(RESULTS.map((result) => [result, current[result]])) as Counts
  return { id: current.id, ...counts, rejectedFile, importedBefore: before?.finished_at ?? null }
}

const stopped = ({ position }: ImportRow, rows: number): Problem =>
  conflict('stopped', `Stopped after ${position} of ${rows} meetings. To continue, run the same command again.`)
