import { activeOwners } from '../../../crm/members/owners.ts'
import type { Deps } from '../../../deps.ts'
import { notificationStore } from '../../../personal/notifications.ts'
import type { Write } from '../../../store/commit.ts'
import { installationId } from '../../../store/installation.ts'
import { allOrgs } from '../../../store/orgs/orgs.ts'
import type { Channel } from './notifier.ts'

/** Organisations whose owners get notice at once: requests wait for at most one batch. */
const BATCH = 50

/** Gives the owners of all organisations a notice. A newer one takes the place of one that was not read. */
export function onScreen(deps: Deps, write: Write): Channel {
  const { db } = deps
  const { serverIs } = notificationStore(deps)
  const owners = activeOwners(db)
  const installation = installationId(db)

  return {
    name: 'screen',
    work: 'give notice to owners',
    tell: async ({ bad, well, at }) => {
      const state = { bad: bad.map(({ check }) => check), well: well.map(({ check }) => check) }
      const orgs = allOrgs(db)
      for (let from = 0; from < orgs.length; from += BATCH)
        await write(() => {
          for (const { id } of orgs.slice(from, from + BATCH))
            for (const owner of owners(id)) serverIs(id, owner.id, { id: installation(), at, ...state })
          return null
        })
      return orgs.length > 0
    },
  }
}
