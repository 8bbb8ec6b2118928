import { type Deps, once } from '../../deps.ts'
import { beginningOf } from '../../lib/calendar/days.ts'
import { emailKey } from '../../lib/email.ts'
import type { ImapServer, MailServer } from '../../lib/mail/transport/server.ts'
import { conflict } from '../../lib/problem.ts'
import { isOpen } from '../../store/orgs/org-states.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { grantStore } from './grants.ts'
import { addressesOf, columns, type Endpoint, type Mailbox, type Side, type State, secretPurpose } from './mailbox.ts'
import { type MailboxHealth, mailboxHealth } from './mailbox-health.ts'
import { pacing } from './pacing.ts'
import { rejectedMails } from './rejected-mails.ts'

// Mailboxes are settings that no resource shows; the settings document writes them (settings.ts). This file writes
// their state, and plans when a mailbox may send the mails of sequences.

const NEW_STATE: State = {
  uid_validity: null,
  last_uid: 0,
  since: null,
  checked_at: null,
  failing_since: null,
  last_error: null,
  last_error_at: null,
  pending: 0,
  imported: 0,
  skipped: 0,
  rejected: 0,
  imported_at: null,
  sent: 0,
  sent_at: null,
  send_error: null,
  send_error_at: null,
  free_at: 0,
  smtp_offers_tls: 0,
  imap_offers_tls: 0,
  send_pauses: 0,
  send_paused_until: null,
  dated_below: 0,
  missing: 0,
}
const FIELDS = Object.keys(NEW_STATE) as (keyof State)[]

const NO_TOKEN = { text: '', renewAt: 0, onRejected: () => undefined }

export const mailboxStore = once((deps: Deps) => {
  const { db, clock, vault } = deps
  const grants = grantStore(deps)
  const select = `SELECT ${columns.select} FROM mailboxes`
  const one = db.prepare(`${select} WHERE org_id = ? AND id = ?`).raw()
  const byDefault = db.prepare(`${select} WHERE org_id = ? AND is_default = 1 AND is_active = 1`).raw()
  const owned = db
    .prepare(
      `${select} WHERE org_id = ? AND member_id = ? AND is_active = 1 AND EXISTS (SELECT 1 FROM members
         WHERE members.org_id = mailboxes.org_id AND members.id = mailboxes.member_id AND members.status = 'active')`,
    )
    .raw()
  const everywhere = db
    .prepare(`SELECT ${columns.select}, org_id FROM mailboxes WHERE is_active = 1
       AND ${isOpen('mailboxes.org_id')} ORDER BY org_id, position`)
    .raw()
  const activeAddresses = db
    .prepare(
      `SELECT address FROM mailboxes WHERE org_id = @org AND is_active = 1
       UNION ALL SELECT value FROM mailboxes, json_each(aliases) WHERE org_id = @org AND is_active = 1`,
    )
    .pluck()
  const activeMain = db.prepare('SELECT address FROM mailboxes WHERE org_id = ? AND is_active = 1').pluck()
  const secrets = db.prepare(
    'SELECT smtp_secret AS smtp, imap_secret AS imap FROM mailboxes WHERE org_id = ? AND id = ?',
  )
  const stateOf = db.prepare(`SELECT ${FIELDS.join(', ')} FROM mailbox_states WHERE org_id = ? AND mailbox_id = ?`)
  const keepState = db.prepare(
    `INSERT INTO mailbox_states (org_id, mailbox_id, ${FIELDS.join(', ')})
     VALUES (?, ?, ${FIELDS.map(() => '?').join(', ')})
     ON CONFLICT (org_id, mailbox_id) DO UPDATE SET ${FIELDS.map((name) => `${name} = excluded.${name}`).join(', ')}`,
  )
  const timezoneOf = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()
  const present = (row: unknown): Mailbox | undefined => (row ? columns.present(row as RawRow) : undefined)

  const byId = (org: number, id: string): Mailbox | undefined => present(one.get(org, id))

  const defaultOf = (org: number): Mailbox | undefined => present(byDefault.get(org))

  /** The mailbox of a member, if the member is active: nothing is sent in the name of former members. */
  const ownOf = (org: number, memberId: string): Mailbox | undefined => present(owned.get(org, memberId))

  /** The active mailbox that has an address, also as an alias. */
  const byAddress = (org: number, email: string): Mailbox | undefined =>
    active().find((each) => each.org === org && addressesOf(each.mailbox).has(emailKey(email)))?.mailbox

  /** Returns the active mailboxes of all organisations. */
  const active = (): { org: number; mailbox: Mailbox }[] =>
    (everywhere.all() as RawRow[]).map((row) => ({ org: row.at(-1) as number, mailbox: columns.present(row) }))

  /** The addresses of active mailboxes, in lower case. */
  const addresses = (org: number): Set<string> => keysOf(activeAddresses.all({ org }))

  /** Those of them that are no aliases. */
  const mainAddresses = (org: number): Set<string> => keysOf(activeMain.all(org))

  /**
   * Throws Problem if the password is missing or cannot be read, or if somebody has to sign in first. The access token of
   * a mailbox with OAuth is obtained by `mailLogins`.
   */
  const smtpServer = (org: number, mailbox: Mailbox): MailServer => server(org, mailbox, 'smtp', mailbox.smtp)

  /** Throws Problem if the mailbox has no IMAP server, too. */
  function imapServer(org: number, mailbox: Mailbox): ImapServer {
    const { imap } = mailbox
    if (!imap) throw conflict('no_imap', `The mailbox "${mailbox.key}" has no IMAP server. Set one in the settings.`)
    return { ...server(org, mailbox, 'imap', imap), folder: imap.folder }
  }

  function server(org: number, mailbox: Mailbox, side: Side, { host, port, tls, user }: Endpoint): MailServer {
    const { id, key } = mailbox
    if (user === null) return { host, port, tls, user, password: null }
    if (mailbox.oauth) {
      grants.check(org, mailbox)
      return { host, port, tls, user, password: null, accessToken: NO_TOKEN }
    }
    const sealed = (secrets.get(org, id) as Record<Side, string | null> | undefined)?.[side]
    if (sealed == null) throw noPassword(key, side)
    return { host, port, tls, user, password: vault.open(secretPurpose(id, side), sealed) }
  }

  const state = (org: number, id: string): State => (stateOf.get(org, id) as State | undefined) ?? { ...NEW_STATE }

  /** Writes only if a value differs. */
  function saveState(org: number, id: string, some: Partial<State>): void {
    const before = state(org, id)
    const after = { ...before, ...some }
    if (FIELDS.some((name) => before[name] !== after[name]))
      keepState.run(org, id, ...FIELDS.map((name) => after[name]))
  }

  /** Mail that arrived before this time is not imported; null if the settings contain no limit. */
  function importSince(org: number, { imap }: Mailbox): number | null {
    const since = imap?.import_since ?? null
    return since === null ? null : beginningOf(since, timezoneOf.get(org) as string)
  }

  /** The health of an active or inactive mailbox. */
  const health = (org: number, mailbox: Mailbox): MailboxHealth =>
    mailboxHealth(state(org, mailbox.id), mailbox, clock.now(), grants.disconnected(org, mailbox))

  const { plan, lookAhead } = pacing({ db, clock }, { state, saveState })

  return {
    byId,
    byAddress,
    defaultOf,
    ownOf,
    active,
    addresses,
    mainAddresses,
    smtpServer,
    imapServer,
    state,
    saveState,
    health,
    disconnected: grants.disconnected,
    importSince,
    rejectedMails: rejectedMails(db),
    plan,
    lookAhead,
  }
})

const keysOf = (addresses: unknown[]): Set<string> => new Set((addresses as string[]).map(emailKey))

const noPassword = (key: string, side: Side) =>
  conflict(
    'no_password',
    `The mailbox "${key}" has no password for ${side.toUpperCase()} yet. Set it with "dealbox mailbox password ${key}".`,
  )
