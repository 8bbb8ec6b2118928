import { resourceDeps } from '../app/deps.ts'
import { opener } from '../command/store.ts'
import { backupOfCommand } from '../ops/backup/before-migration.ts'

/** How every command opens its data folder. */
export const opens = opener({ beforeMigration: backupOfCommand, depsOf: resourceDeps })
