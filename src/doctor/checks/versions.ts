import { version } from '../../assets.ts'
import { isServed } from '../../store/lock.ts'
import { sqliteVersion } from '../../store/memory.ts'
import { SCHEMA_VERSION } from '../../store/migrations.ts'
import { type Finding, pass, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** Of this program and of the database; `database` fails if they do not fit. */
export function versions({ database }: Patient): Finding {
  const own = `Dealbox ${version} (Node ${process.versions.node}, SQLite ${sqliteVersion()}, schema ${SCHEMA_VERSION})`
  const stored = database.version
  if (stored === undefined || database.isCurrent) return pass(`${own}.`)
  return warn(
    `${own}; the database has schema ${stored}.`,
    'Start this version of the server to migrate the database, or use the version that wrote it. Make a backup first.',
  )
}

export const server = ({ dataDir }: Patient): Finding =>
  pass(isServed(dataDir) ? 'A server runs on the data folder.' : 'No server runs on the data folder.')
