import { backUpFirst } from '../backup/before-migration.ts'
import { backupsFolder } from '../backup/state.ts'
import { usage } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { type OpenOptions, openStore, type Store } from '../store/open.ts'
import { allOrgs, type Org } from '../store/orgs.ts'

/** Organisations that an error message names. */
const MAX_SHOWN = 20

/** Runs the job on the store of a data folder, even while a server runs on it, and closes the store afterwards. */
export async function withStore<T>(
  dataDir: string,
  job: (store: Store) => T | Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const beforeMigration = backUpFirst(dataDir, backupsFolder(dataDir), (backup, { from, to }) =>
    process.stderr.write(`Migrating the database from schema ${from} to ${to}. A backup from before is ${backup}.\n`),
  )
  const store = openStore(dataDir, { ...options, beforeMigration })
  try {
    return await job(store)
  } finally {
    store.close()
  }
}

/** Returns the number in the store of the organisation given by --org, or of the only one. */
export function chosenOrg({ db }: Pick<Store, 'db'>, publicId: string | undefined): number {
  const orgs = allOrgs(db)
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
