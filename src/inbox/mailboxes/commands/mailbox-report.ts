import type { Deps } from '../../../deps.ts'
import { rfc3339 } from '../../../lib/time.ts'
import type { Store } from '../../../store/open.ts'
import { columnOf } from '../../../store/schema/tables.ts'
import type { Mailbox } from '../mailbox.ts'
import type { MailboxHealth } from '../mailbox-health.ts'
import { mailboxStore } from '../mailboxes.ts'
import { plainWarning } from '../plain-text.ts'
import { mailboxSettings } from '../settings.ts'
import { unknownAddresses } from '../unknown-addresses.ts'

export type MailboxReport = ReturnType<typeof mailboxReports>[number]

/** Returns every mailbox of an organisation with its health. */
export function mailboxReports(store: Store, org: number, deps: Deps) {
  const { state, health, smtpServer, imapServer } = mailboxStore(deps)
  const unknown = unknownAddresses(deps)
  const emailOf = columnOf(store.db, 'members', 'email')

  return mailboxSettings(store)
    .all(org)
    .map((mailbox: Mailbox) => {
      const { id, key, name, address, aliases, is_default, is_active, member_id } = mailbox
      const how = state(org, id)
      const { sending, receiving } = health(org, mailbox)
      return {
        id,
        key,
        name,
        address,
        aliases,
        suggested_aliases: unknown.of(org, id),
        is_default,
        is_active,
        member: member_id === null ? null : (emailOf(org, member_id) as string),
        sending: {
          ...orFault(sending, () => smtpServer(org, mailbox)),
          sent: how.sent,
          sent_at: onWire(how.sent_at),
          error: how.send_error,
          error_at: onWire(how.send_error_at),
          warning: plainWarning(mailbox, 'smtp', how) ?? null,
        },
        receiving: {
          ...orFault(receiving, () => imapServer(org, mailbox)),
          checked_at: onWire(how.checked_at),
          failing_since: onWire(how.failing_since),
          error: how.last_error,
          error_at: onWire(how.last_error_at),
          pending: how.pending,
          imported: how.imported,
          skipped: how.skipped,
          rejected: how.rejected,
          missing: how.missing,
          imported_at: onWire(how.imported_at),
          warning: plainWarning(mailbox, 'imap', how) ?? null,
        },
      }
    })
}

const onWire = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms))

/** Without a password the next attempt fails, whatever the result of the last one. */
function orFault(stand: MailboxHealth['sending'], server: () => unknown): MailboxHealth['sending'] {
  if (['deactivated', 'not_set_up', 'not_connected'].includes(stand.status)) return stand
  try {
    server()
    return stand
  } catch (error) {
    return { status: 'failing', text: (error as Error).message }
  }
}
