import { DAY_MS, rfc3339 } from '../../lib/time.ts'
import { type BackupState, noteBackup, notedState } from './state.ts'

// Work that ends the process, as for lack of memory, must not be done again at each start: that it was begun is written down
// before it begins.

/** After so many ends it waits, for a person, or so long. */
const MOST_DEATHS = 2
const WAIT_MS = 7 * DAY_MS

export const ENDED = 'server_ended'

export function beginWork(dataDir: string, now: number): void {
  const deaths = notedState(dataDir).begun?.deaths ?? 0
  noteBackup(dataDir, { begun: { at: rfc3339(now), is_running: true, deaths } })
}

/** Only a success forgets the ends of servers before. */
export function endWork(dataDir: string, isGood: boolean): void {
  const { begun, failure } = notedState(dataDir)
  if (!begun) return
  const isOver = isGood && failure?.code === ENDED
  const isForgotten = isGood || begun.deaths === 0
  noteBackup(dataDir, {
    begun: isForgotten ? undefined : { ...begun, is_running: false },
    ...(isOver && { failure: null }),
  })
}

/** Call this at the start of a server. Returns what to say if the one before ended in the middle of such work. */
export function noteDeath(dataDir: string, now: number, folder: string): string | undefined {
  const { begun, failure } = notedState(dataDir)
  if (!begun?.is_running) return undefined
  const deaths = begun.deaths + 1
  const message = said(begun.at, deaths)
  const at = rfc3339(now)
  noteBackup(dataDir, {
    begun: { ...begun, is_running: false, deaths },
    failure: { since: failure?.since ?? at, at, code: ENDED, message, folder },
  })
  return message
}

/** Whether the work waits for a person or for a week, after it has ended the server twice. */
export function isWaiting({ begun }: BackupState, now: number): boolean {
  const since = begun ? now - Date.parse(begun.at) : 0
  return begun !== undefined && begun.deaths >= MOST_DEATHS && since >= 0 && since < WAIT_MS
}

function said(at: string, deaths: number): string {
  const what = `The server ended while it made or copied the backup that it began at ${at}${deaths > 1 ? `, the ${deaths}${nth(deaths)} time in a row` : ''}.`
  const why =
    'It may not have had enough memory: with a passphrase a backup needs 288 MiB beside what the server has, without one about 100 MiB.'
  const next =
    deaths < MOST_DEATHS
      ? 'It is tried once more.'
      : 'It is tried again in a week, or after "dealbox backup" has made one.'
  return `${what} ${why} ${next}`
}

const nth = (count: number): string => ['', 'st', 'nd', 'rd'][count] ?? 'th'
