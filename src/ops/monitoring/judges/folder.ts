import { faultsText, howToMendKeys, type KeyFault } from '../../../auth/needed-keys.ts'
import { MIB, sizeText } from '../../../lib/size.ts'
import type { Trouble } from './finding.ts'

// What both say of a data folder in the same words.

/** Writes stop when the disk is full; this is early enough to make space at leisure. */
export const LITTLE_SPACE = 1024 * MIB
/** What a disk with less free space than --min-free still does. */
export const STILL_WORKS = 'Reads and deletions still work; other writes resume when there is more.'

/** A log is emptied once its pages are in the database, and usually has 4 MiB: somebody keeps it from that. */
export const longLog = (bytes: number): Trouble => ({
  status: 'warn',
  detail: `The write-ahead log has grown to ${sizeText(bytes)}. A program that reads or writes the database for long keeps it from being emptied.`,
  advice: 'End other programs that have the database open, or restart the server.',
})
/** From this size on SQLite would shorten it with the next checkpoint: who looks closely may know. */
export const LARGE_LOG = 64 * MIB
/** From this one on it is worth a notice. */
export const LONG_LOG = 256 * MIB

/** Requests whose keys are there work; a restart, and a backup, would be refused. */
export const keyTrouble = (faults: readonly KeyFault[]): Trouble | undefined =>
  faults.length === 0
    ? undefined
    : {
        status: 'fail',
        detail: `Keys cannot be used: ${faultsText(faults)}. The server does not start without them.`,
        advice: howToMendKeys(faults),
      }

/** A restored copy sends nothing until somebody says so. */
export const SENDING_PAUSED: Trouble = {
  status: 'warn',
  detail:
    'Nothing is sent, no mail is fetched and backups stay in the data folder, since this copy was restored from a backup.',
  advice: 'When the original does not run any more, use "dealbox resume-sending" and restart the server.',
}
