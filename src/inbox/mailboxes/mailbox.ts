import { emailKey } from '../../lib/email.ts'
import type { MailServer } from '../../lib/mail/transport/server.ts'
import * as c from '../../store/rows/columns.ts'
import type { OAuth } from './oauth.ts'

// The row of a mailbox, and its state.

export type Side = 'smtp' | 'imap'

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

/** In lower case. */
export const addressesOf = ({ address, aliases }: Pick<Mailbox, 'address' | 'aliases'>): Set<string> =>
  new Set([address, ...aliases].map(emailKey))

/** The address that mail leaves by: the wanted one, if the mailbox has it. */
export const ownAddress = (mailbox: Pick<Mailbox, 'address' | 'aliases'>, wanted: string | null): string =>
  [mailbox.address, ...mailbox.aliases].find((each) => wanted != null && emailKey(each) === emailKey(wanted)) ??
  mailbox.address

/** The purpose that binds the sealed password to one side of a mailbox, or the secret to its client. */
export const secretPurpose = (id: string, side: Side | 'oauth'): string => `mailbox ${id} ${side}`
