import type { Deps } from '../../deps.ts'
import type { DataRoute } from '../../http/route.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import { MESSAGE_SEND } from '../../inbox/mailboxes/waiting-mails.ts'
import { rfc3339 } from '../../lib/time.ts'

/** What members see of a mailbox. */
export type InboxMailbox = {
  id: string
  key: string
  name: string
  address: string
  is_default: boolean
  /** Other addresses that it sends by. */
  aliases: string[]
  /** Whose own mailbox it is. */
  member_id: string | null
  /** Null while mail comes in and goes out. */
  trouble: {
    /** Which of the two fails. */
    receiving: boolean
    sending: boolean
    /** Null if it has never worked. */
    since: string | null
    /** What the mail server said last. */
    error: string | null
    /** How many mails wait to be sent by it. */
    waiting: number
  } | null
}

const FAILING = new Set(['not_connected', 'failing', 'stale'])

/** The mailboxes of the inbox, and which of them do not work: mail that does not come in is missed by nobody otherwise. */
export function inboxMailboxes(deps: Deps): DataRoute {
  const { active, health, state } = mailboxStore(deps)
  const waiting = deps.db
    .prepare(
      `SELECT count(*) FROM jobs JOIN messages ON messages.org_id = jobs.org_id AND messages.id = jobs.key
       WHERE jobs.org_id = ? AND jobs.kind = '${MESSAGE_SEND}' AND jobs.lane = ? AND messages.send_at IS NULL`,
    )
    .pluck()
  return {
    kind: 'data',
    method: 'get',
    path: '/inbox/mailboxes',
    role: 'viewer',
    name: 'inbox',
    summary: 'List the mailboxes of the inbox, and since when some of them do not work',
    read: ({ org }) => {
      const found = active().filter((each) => each.org === org)
      const data = found.map(({ mailbox }): InboxMailbox => {
        const { id, key, name, address, is_default, aliases, member_id } = mailbox
        const how = health(org, mailbox)
        const receiving = FAILING.has(how.receiving.status)
        const sending = FAILING.has(how.sending.status)
        const { failing_since, checked_at, last_error, send_error, send_error_at } = state(org, id)
        const since = receiving ? (failing_since ?? checked_at) : send_error_at
        const trouble = {
          ...{ receiving, sending, since: since === null ? null : rfc3339(since) },
          error: receiving ? last_error : send_error,
          waiting: waiting.get(org, id) as number,
        }
        return {
          id,
          key,
          name,
          address,
          is_default,
          aliases,
          member_id,
          trouble: receiving || sending ? trouble : null,
        }
      })
      return { json: JSON.stringify({ data }) }
    },
  }
}
