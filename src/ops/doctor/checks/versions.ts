import { version } from '../../../assets.ts'
import { fenceOfFolder } from '../../../store/folder/fence.ts'
import { isServed } from '../../../store/folder/lock.ts'
import { sqliteVersion } from '../../../store/schema/memory.ts'
import { SCHEMA_VERSION } from '../../../store/schema/migrations.ts'
import { type Finding, fail, pass, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** Of this program and of the database; `database` fails if they do not fit. */
export function versions({ database, versionAge, now }: Patient): Finding {
  const own = `Dealbox ${version} (Node ${process.versions.node}, SQLite ${sqliteVersion()}, schema ${SCHEMA_VERSION})`
  const stored = database.version
  const age = versionAge?.(now())
  if (stored === undefined || database.isCurrent) return age === undefined ? pass(`${own}.`) : warn(`${own}.`, age)
  return warn(
    `${own}; the database has schema ${stored}.`,
    'Start this version of the server to migrate the database, or use the version that wrote it. Make a backup first.',
  )
}

export function server({ dataDir }: Patient): Finding {
  const isRunning = isServed(dataDir)
  const problem = fenceOfFolder(dataDir)()
  if (problem?.code === 'not_primary')
    return fail(
      problem.message,
      'Keep the folder for what only it has, and follow the new primary in another one: docs/failover.md.',
    )
  if (isRunning && problem) return warn(problem.message, 'See whether the storage of the copy can be reached.')
  return pass(isRunning ? 'A server runs on the data folder.' : 'No server runs on the data folder.')
}
