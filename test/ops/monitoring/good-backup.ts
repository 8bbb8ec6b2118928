import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rfc3339 } from '../../../src/lib/time.ts'
import { plainName } from '../../../src/ops/backup/names.ts'
import { type BackupState, noteBackup } from '../../../src/ops/backup/state.ts'

/** Notes a backup of that time, as a night does, with a file in its place. */
export function noteGoodBackup(dataDir: string, at: number): void {
  const file = join(dataDir, 'good.tar')
  writeFileSync(file, 'a backup')
  noteBackup(dataDir, { last: { made_at: rfc3339(at), file, bytes: 8, duration_ms: 20 }, failure: null })
}

/** A copy of a backup of that time, as it is noted; with an error, the last attempt was in vain. */
export const copyOf = (place: string, made: number | null, error: string | null = null, tried = made ?? 0) =>
  ({
    place,
    file: made === null ? null : plainName(made),
    copied_at: made === null ? null : rfc3339(made),
    tried_at: rfc3339(tried),
    error,
  }) satisfies NonNullable<BackupState['copies']>[number]
