import { type Deps, once } from '../../deps.ts'
import { beginningOf } from '../../lib/calendar/days.ts'
import { emailKey } from '../../lib/email.ts'
import type { ImapServer, MailServer } from '../../lib/mail/transport/server.ts'
import { conflict } from '../../lib/problem.ts'
import { isOpen } from '../../store/orgs/org-states.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import * as c from '../../store/rows/columns.ts'
import { grantStore } from './grants.ts'
import { type MailboxHealth, mailboxHealth } from './mailbox-health.ts'
import type { OAuth } from './oauth.ts'
import { pacing } from './pacing.ts'
import { rejectedMails } from './rejected-mails.ts'

// Mailboxes are settings that no resource shows; the settings document writes them (settings.ts). This file writes
// their state, and plans when a mailbox may send the mails of sequences.

// 1. The row.

/** The address of one server of a mailbox, its login, and the source of its password. */
export type Endpoint = Pick<MailServer, 'host' | 'port' | 'tls' | 'user'> & {
  /** The password is stored in any case; both are null if it is set by "dealbox mailbox password", or with OAuth. */
  password_env: string | null
  password_file: string | null
}

export type ImapEndpoint = Endpoint & {
  folder: string
  /** A date or a time; see `importSince`. */
  import_since: string | null
  save_sent: boolean
  /** The name in the Authentication-Results of its server, if the settings name it. */
  authserv_id?: string | null
}

export const REPLY_TO = ['automatic', 'always', 'never'] as const
export type ReplyTo = (typeof REPLY_TO)[number]

export type Mailbox = {
  id: string
  key: string
  name: string
  address: string
  is_default: boolean
  is_active: boolean
  position: number
  /** The member whose own mailbox this is, as long as both are active: see `ownOf`. */
  member_id: string | null
  has_reply_tags: boolean
  daily_limit: number | null
  spacing_s: number
  smtp: Endpoint
  /** Null if it does not receive mail. */
  imap: ImapEndpoint | null
  /** Null if it logs in with passwords. */
  oauth: OAuth | null
  /** Further addresses at which mail for this mailbox arrives, and by which answers leave. */
  aliases: string[]
  /** Whether Reply-To is who wrote a mail: if a form or our own domain sent it, always, or never. */
  reply_to: ReplyTo
  /** Addresses, or domains, that may send any number of mails in an hour. */
  trusted_forwarders: string[]
  created_at: string
  updated_at: string
  version: number
}

export const columns = c.columns<Mailbox>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  address: c.text('address'),
  is_default: c.bool('is_default'),
  is_active: c.bool('is_active'),
  position: c.integer('position'),
  member_id: c.plain('member_id'),
  has_reply_tags: c.bool('has_reply_tags'),
  daily_limit: c.integer('daily_limit'),
  spacing_s: c.integer('spacing_s'),
  smtp: c.json('smtp'),
  imap: c.json('imap'),
  oauth: c.json('oauth'),
  aliases: c.json('aliases'),
  reply_to: c.plain('reply_to'),
  trusted_forwarders: c.json('trusted_forwarders'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

/** The state of a mailbox, as stored: see mailbox_states in schema.sql. Times are milliseconds. */
export type State = {
  uid_validity: number | null
  last_uid: number
  since: number | null
  checked_at: number | null
  failing_since: number | null
  last_error: string | null
  last_error_at: number | null
  pending: number
  imported: number
  skipped: number
  rejected: number
  imported_at: number | null
  sent: number
  sent_at: number | null
  send_error: string | null
  send_error_at: number | null
  free_at: number
  /** 1 if the server offered STARTTLS to a connection in plain text. */
  smtp_offers_tls: number
  imap_offers_tls: number
  send_pauses: number
  send_paused_until: number | null
  dated_below: number
  missing: number
}

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

export type Side = 'smtp' | 'imap'

const NO_TOKEN = { text: '', renewAt: 0, onRejected: () => undefined }

/** The purpose that binds the sealed password to one side of a mailbox, or the secret to its client. */
export const secretPurpose = (id: string, side: Side | 'oauth'): string => `mailbox ${id} ${side}`

// 2. The statements and the rules.

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

  const plan = pacing({ db, clock }, { state, saveState })

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
  }
})

const keysOf = (addresses: unknown[]): Set<string> => new Set((addresses as string[]).map(emailKey))

/** In lower case. */
export const addressesOf = ({ address, aliases }: Pick<Mailbox, 'address' | 'aliases'>): Set<string> =>
  new Set([address, ...aliases].map(emailKey))

/** The address that mail leaves by: the wanted one, if the mailbox has it. */
export const ownAddress = (mailbox: Pick<Mailbox, 'address' | 'aliases'>, wanted: string | null): string =>
  [mailbox.address, ...mailbox.aliases].find((each) => wanted != null && emailKey(each) === emailKey(wanted)) ??
  mailbox.address

const noPassword = (key: string, side: Side) =>
  conflict(
    'no_password',
    `The mailbox "${key}" has no password for ${side.toUpperCase()} yet. Set it with "dealbox mailbox password ${key}".`,
  )
