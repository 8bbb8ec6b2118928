import { resolve } from 'node:path'
import type { Versions } from '../store/migrations.ts'
import type { Encryption } from './encryption/secrets.ts'
import { makeBackup } from './make.ts'
import { noteBackup } from './state.ts'

/**
 * Returns what to do before an older database is migrated: it makes a backup and tells its name. Without a backup there is
 * no migration.
 */
export function backUpFirst(
  dataDir: string,
  folder: string,
  tell: (file: string, versions: Versions) => void,
  encryption?: Encryption,
): (versions: Versions) => void {
  return (versions) => {
    const began = performance.now()
    const { file, bytes, manifest } = makeBackup({
      ...{ dataDir, folder: resolve(folder), reason: 'migration', now: Date.now(), encryption },
    })
    const duration_ms = Math.round(performance.now() - began)
    noteBackup(dataDir, { last: { made_at: manifest.made_at, file, bytes, duration_ms }, failure: null })
    tell(file, versions)
  }
}
