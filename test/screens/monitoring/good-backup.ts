import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noteBackup } from '../../../src/backup/state.ts'
import { rfc3339 } from '../../../src/lib/time.ts'

/** Notes a backup of that time, as a night does, with a file in its place. */
export function noteGoodBackup(dataDir: string, at: number): void {
  const file = join(dataDir, 'good.tar')
  writeFileSync(file, 'a backup')
  noteBackup(dataDir, { last: { made_at: rfc3339(at), file, bytes: 8, duration_ms: 20 }, failure: null })
}
