import { resolve } from 'node:path'
import { Problem, usage } from '../lib/problem.ts'
import { backUpFirst } from '../ops/backup/before-migration.ts'
import { backupsFolder, folderOfCommand } from '../ops/backup/folders.ts'
import { isEncryptedName } from '../ops/backup/names.ts'
import { notedState } from '../ops/backup/state.ts'
import { lockMigration } from '../store/folder/lock.ts'
import { type CommandStore, type OpenOptions, openStore } from '../store/open.ts'
import { movedProblem } from '../store/orgs/org-states.ts'
import { allOrgs, allOrgsEver, type Org } from '../store/orgs/orgs.ts'
import type { Versions } from '../store/schema/migrations.ts'

/** Organisations that an error message names. */
const MAX_SHOWN = 20

/** Runs the job on the store of a data folder, even while a server runs on it, and closes the store afterwards. */
export async function withStore<T>(
  dataDir: string,
  job: (store: CommandStore) => T | Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const store = opened(dataDir, options)
  try {
    return await job(store)
  } finally {
    store.close()
  }
}

/** No server may run, or start, while the database is migrated: it would be of an older version. */
function opened(dataDir: string, options: OpenOptions | undefined): CommandStore {
  let release: (() => void) | undefined

  function beforeMigration(versions: Versions): void {
    release = lockMigration(dataDir)
    backupOfCommand(dataDir)(versions)
  }

  try {
    return openStore(dataDir, { ...options, beforeMigration })
  } finally {
    release?.()
  }
}

/**
 * It is plain, so it stays beside the plain database. Where a server with its options has its own backups is not forgotten
 * for that, nor that they are encrypted.
 */
function backupOfCommand(dataDir: string): (versions: Versions) => void {
  const folder = backupsFolder(dataDir)
  const { last } = notedState(dataDir)
  const isAlike = folderOfCommand(dataDir, undefined) === resolve(folder) && !(last && isEncryptedName(last.file))
  return backUpFirst({
    ...{ dataDir, folder, isLast: isAlike },
    tell: (backup, { from, to }, isAgain) => {
      const made = isAgain
        ? `An earlier attempt has made a backup from before: ${backup}`
        : `A backup from before is ${backup}`
      process.stderr.write(`Migrating the database from schema ${from} to ${to}. ${made}.\n`)
    },
  })
}

/** Returns the number in the store of the organisation given by --org, or of the only one. */
export function chosenOrg({ db }: Pick<CommandStore, 'db'>, publicId: string | undefined): number {
  const orgs = allOrgs(db)
  const moved = allOrgsEver(db).find(({ public_id }) => public_id === publicId?.toLowerCase())?.moved_to
  if (moved != null) throw movedProblem(moved)
  const [only, ...more] = orgs
  if (!only)
    throw new Problem(404, 'no_org', 'This data folder contains no organisation. Create one with "dealbox init".')
  const all = shown(orgs)
  if (publicId === undefined) {
    if (more.length > 0) throw usage(`This data folder contains several organisations. Choose one with --org: ${all}.`)
    return only.id
  }
  const chosen = orgs.find((each) => each.public_id === publicId.toLowerCase())
  if (!chosen) throw new Problem(404, 'no_such_org', `There is no organisation ${publicId} here. Use one of ${all}.`)
  return chosen.id
}

/** The organisations of an error message, of which there may be thousands. */
function shown(orgs: Org[]): string {
  const some = orgs.slice(0, MAX_SHOWN).map(({ public_id, name }) => `${public_id} (${name})`)
  return orgs.length > MAX_SHOWN ? `${some.join(', ')} and ${orgs.length - MAX_SHOWN} more` : some.join(', ')
}
