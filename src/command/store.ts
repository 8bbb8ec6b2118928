import type { Deps } from '../deps.ts'
import { Problem, usage } from '../lib/problem.ts'
import { lockMigration } from '../store/folder/lock.ts'
import { type CommandStore, type OpenOptions, openStore } from '../store/open.ts'
import { movedProblem } from '../store/orgs/org-states.ts'
import { allOrgs, allOrgsEver, type Org } from '../store/orgs/orgs.ts'
import type { Versions } from '../store/schema/migrations.ts'
import type { Opens } from './command.ts'

/** Organisations that an error message names. */
const MAX_SHOWN = 20

/** What the rooms above give: what is done before a database is migrated, and what their stores are made from. */
type Above = {
  beforeMigration: (dataDir: string) => (versions: Versions) => void
  depsOf: (store: CommandStore) => Deps
}

type Given = { data: string; org?: string | undefined }

export type Opener = (given: Given) => Opens

/** Returns how commands open the data folder of their options, and choose one of its organisations. */
export function opener(above: Above): Opener {
  /** No server may run, or start, while the database is migrated: it would be of an older version. */
  function opened(dataDir: string, options: OpenOptions | undefined): CommandStore {
    let release: (() => void) | undefined

    function beforeMigration(versions: Versions): void {
      release = lockMigration(dataDir)
      above.beforeMigration(dataDir)(versions)
    }

    try {
      return openStore(dataDir, { ...options, beforeMigration })
    } finally {
      release?.()
    }
  }

  return ({ data, org }) => {
    const open: Opens['open'] = async (job, options) => {
      const store = opened(data, options)
      try {
        return await job(store, above.depsOf(store))
      } finally {
        store.close()
      }
    }
    return { open, openOrg: (job) => open((store, deps) => job(store, chosenOrg(store, org), deps)) }
  }
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
