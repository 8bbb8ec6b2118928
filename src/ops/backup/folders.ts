import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { isSendingPaused } from './sending.ts'
import { notedState } from './state.ts'

/** Where backups are made unless somebody chooses another folder. */
export const backupsFolder = (dataDir: string): string => join(dataDir, 'backups')

/**
 * Where a server makes backups, whose option may say where. A restored copy keeps its own to itself, until it may send: it
 * has the id of the original, and would take the place of the backups that the original has there.
 */
export const folderOfServer = (dataDir: string, given: string | undefined): string =>
  resolve(given === undefined || isSendingPaused(dataDir) ? backupsFolder(dataDir) : given)

/**
 * Where commands find them, who do not know the options of a service: where the last backup was made, or else where the
 * server last tried to.
 */
export function folderOfCommand(dataDir: string, given: string | undefined): string {
  if (given !== undefined || isSendingPaused(dataDir)) return folderOfServer(dataDir, given)
  const { last, failure } = notedState(dataDir)
  return resolve(last ? dirname(last.file) : (failure?.folder ?? backupsFolder(dataDir)))
}

/** Throws Problem 404 if a folder that nobody has named is gone, such as with its disk: it is not made in another place. */
export function requireKnownFolder(dataDir: string, folder: string): void {
  if (folder === resolve(backupsFolder(dataDir)) || existsSync(folder)) return
  throw new Problem(
    404,
    'no_folder',
    `The last backup was made in ${folder}, and there is no such folder now. Mount its disk, or choose another folder with --backup-dir or --to.`,
  )
}
