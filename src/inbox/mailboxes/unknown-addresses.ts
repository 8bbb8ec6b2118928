import { type Deps, once } from '../../deps.ts'
import { whoseAddresses } from './whose.ts'

const MAX_SHOWN = 20

/** What might be missing in the settings. Nothing is taken by itself: it may be the address of a colleague. */
export const unknownAddresses = once((deps: Deps) => {
  const { db } = deps
  const { oursOf } = whoseAddresses(deps)
  const delivered = db.prepare(
    `SELECT value AS address, count(*) AS mails FROM message_headers INDEXED BY message_headers_delivered, json_each(delivered_to)
     WHERE org_id = ? AND mailbox_id = ? AND delivered_to <> '[]'
     GROUP BY value ORDER BY mails DESC, value`,
  )

  /** Addresses of our own that mails reached a mailbox by, the most used first: of neither a mailbox nor a member yet. */
  function of(org: number, mailbox: string): { address: string; mails: number }[] {
    const { whose } = oursOf(org)
    const all = delivered.all(org, mailbox) as { address: string; mails: number }[]
    return all.filter(({ address }) => whose(address) === 'domain').slice(0, MAX_SHOWN)
  }

  return { of }
})
