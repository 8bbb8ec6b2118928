import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { keyring } from '../../auth/keys.ts'
import { Problem } from '../../lib/problem.ts'
import { type CommandStore, DATABASE, openStore } from '../../store/open.ts'
import { SCHEMA_VERSION } from '../../store/schema/migrations.ts'
import type { Manifest } from './manifest.ts'
import { requireSpace } from './space.ts'

/**
 * Opens what was taken out of a backup as a server would: migrates it if it is older, and reads its keys. Throws Problem
 * 409 `newer_schema` if a newer version of Dealbox made it.
 */
export function openRestored<T>(file: string, dataDir: string, manifest: Manifest, job: (store: CommandStore) => T): T {
  const { schema_version, dealbox_version } = manifest
  if (schema_version > SCHEMA_VERSION)
    throw new Problem(
      409,
      'newer_schema',
      `${basename(file)} was made by Dealbox ${dealbox_version} (schema ${schema_version}), and this version supports ${SCHEMA_VERSION}. Use that version or a newer one.`,
    )
  if (schema_version < SCHEMA_VERSION)
    requireSpace(dataDir, 2 * statSync(join(dataDir, DATABASE)).size, 'To migrate the backup, Dealbox')
  const store = openStore(dataDir)
  try {
    keyring(dataDir, store).check()
    return job(store)
  } finally {
    store.close()
  }
}
