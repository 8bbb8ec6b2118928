import { existsSync, statfsSync } from 'node:fs'
import { sizeText } from '../../../lib/size.ts'
import { diskSpace, minFreeOf } from '../../../store/folder/disk-space.ts'
import { LITTLE_SPACE, STILL_WORKS } from '../../monitoring/judges/folder.ts'
import { type Finding, fail, pass, warn } from '../finding.ts'
import { databaseBytes } from '../inspect/inspect.ts'
import type { Patient } from '../patient.ts'

/** So few files can still be made that it is as good as full. */
const FEW_FILES = 100

export function disk({ dataDir, minFree }: Patient): Finding {
  if (!existsSync(dataDir)) return fail(`${dataDir} does not exist.`, 'Name the data folder with --data.')
  const space = diskSpace(dataDir)
  const least = minFreeOf(space, minFree)
  const files = statfsSync(dataDir)
  return judged({ ...space, least, database: databaseBytes(dataDir), files: files.files, freeFiles: files.ffree })
}

type Space = {
  freeBytes: number
  sizeBytes: number
  /** What has to stay free. */
  least: number
  /** The size of the database. */
  database: number
  files: number
  freeFiles: number
}

export function judged({ freeBytes, sizeBytes, least, database, files, freeFiles }: Space): Finding {
  const text = `${sizeText(freeBytes)} of ${sizeText(sizeBytes)} are free`
  if (freeBytes < least)
    return fail(
      `${text}, less than --min-free (${sizeText(least)}). ${STILL_WORKS}`,
      'Free some space: old backups, logs and other programs come first. The database file does not shrink by deletions.',
    )
  // File systems without a fixed number of files say 0 of 0.
  if (files > 0 && freeFiles < FEW_FILES)
    return fail(`${text}, but only ${freeFiles} more files can be made.`, 'Delete files that are no longer needed.')
  if (freeBytes < Math.max(2 * least, LITTLE_SPACE))
    return warn(`${text}; below --min-free (${sizeText(least)}) writes stop.`, 'Free some space before that.')
  if (freeBytes < database)
    return warn(
      `${text}, less than the database (${sizeText(database)}), so a backup has no room.`,
      'Free some space, or make backups on another disk with --backup-dir.',
    )
  return pass(`${text}.`)
}
