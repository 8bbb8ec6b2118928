import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { emailKey } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import { TLS_MODES } from '../../lib/mail/transport/server.ts'
import { type FieldError, field } from '../../lib/problem.ts'
import { isDate, parseTime, rfc3339 } from '../../lib/time.ts'
import { repeatedKeys, secondDefaults } from '../../store/settings/changes.ts'
import { key } from '../../store/settings/fields.ts'
import type { Stored } from '../../store/settings/table.ts'
import { type Endpoint, type ImapEndpoint, type Mailbox, REPLY_TO } from './mailbox.ts'
import { OAuthSettings, oauthFaults, oauthOf } from './oauth-settings.ts'
import { isLoopback } from './plain-text.ts'

const DAY_S = 86_400
const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const HOST = new RegExp(`^(?:${LABEL}\\.)*(?!\\d+$)${LABEL}$`)

/**
 * Returns the host name as DNS has it, which may be a single word, as on a small network. Undefined if the text is
 * neither a name nor an address.
 */
function toHost(text: string): string | undefined {
  if (isIP(text) !== 0) return text
  if (/[^\w.\-\u{80}-\u{10ffff}]/u.test(text)) return undefined // domainToASCII would stop there, or ignore it
  const name = /[^\w.-]/.test(text) ? domainToASCII(text) : text.toLowerCase()
  return name.length <= 253 && HOST.test(name) ? name : undefined
}

const host = v.pipe(
  f.line(253),
  v.check(
    (text) => toHost(text) !== undefined,
    'invalid_host|must be a host name or an address without port or path, such as "mail.example.com"',
  ),
  v.transform((text) => toHost(text) as string),
)

const port = v.pipe(
  v.number(),
  v.integer('invalid_integer|must be a whole number'),
  v.minValue(1, 'out_of_range|must be a port, from 1 to 65535'),
  v.maxValue(65_535, 'out_of_range|must be a port, from 1 to 65535'),
)

/** Ends up in a line of a protocol, or in a header. */
const word = (longest = 255) =>
  v.pipe(
    f.line(longest),
    v.check((text) => text.trim() !== '', 'empty|must not be empty'),
    v.check((text) => !/\p{Cc}/u.test(text), 'invalid_text|must not contain control characters'),
  )

const endpoint = {
  host,
  port,
  tls: f.oneOf(TLS_MODES),
  user: f.optional(word(320)),
  password_env: f.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,254}$/, 'invalid_variable|must be the name of an environment variable')),
  ),
  password_file: f.optional(word(4096)),
}

const moment = v.pipe(
  v.string(),
  v.check(
    (text) => isDate(text) || parseTime(text) !== undefined,
    'invalid_time|must be a date, such as "2026-11-20", or an RFC 3339 time, such as "2026-11-20T08:36:00Z"',
  ),
  v.transform((text) => (isDate(text) ? text : rfc3339(parseTime(text) as number))),
)

const email = v.pipe(f.email, v.transform(emailKey))

/** An email, or a domain. */
const forwarder = v.pipe(
  f.line(254),
  v.transform((text) => text.toLowerCase()),
  v.check(
    (text) => (text.includes('@') ? v.is(f.email, text) : toHost(text) !== undefined),
    'invalid_forwarder|must be an email, such as "forms@example.com", or a domain, such as "example.com"',
  ),
)

export const MailboxSettings = f.object({
  key,
  name: word(),
  address: f.email,
  is_default: f.optional(f.flag),
  member: f.optional(f.nullable(email)),
  has_reply_tags: f.optional(f.flag),
  daily_limit: f.optional(
    f.nullable(v.pipe(f.count(1_000_000), v.minValue(1, 'out_of_range|must be at least 1; omit it for no limit'))),
  ),
  spacing_s: f.optional(f.count(DAY_S)),
  aliases: f.optional(f.arrayOf(email, 50)),
  reply_to: f.optional(f.oneOf(REPLY_TO)),
  trusted_forwarders: f.optional(f.arrayOf(forwarder, 50)),
  oauth: f.optional(f.nullable(OAuthSettings)),
  smtp: f.object(endpoint),
  imap: f.optional(
    f.nullable(
      f.object({
        ...endpoint,
        folder: f.optional(word()),
        import_since: f.optional(f.nullable(moment)),
        save_sent: f.optional(f.flag),
        authserv_id: f.optional(f.nullable(v.pipe(word(), v.regex(/^\S+$/, 'invalid_text|must be one word')))),
      }),
    ),
  ),
})
export type MailboxSettings = v.InferOutput<typeof MailboxSettings>
type SmtpSettings = MailboxSettings['smtp']
type ImapSettings = NonNullable<MailboxSettings['imap']>

export function checkMailboxes(given: readonly MailboxSettings[]): FieldError[] {
  const keys = given.map((mailbox) => mailbox.key)
  return [
    ...repeatedKeys('/mailboxes', keys),
    ...secondDefaults('/mailboxes', given),
    ...repeated(given, 'address', ({ address }) => emailKey(address)),
    ...aliasFaults(given),
    ...repeated(given, 'member', ({ member }) => member ?? undefined),
    ...given.flatMap(({ smtp, imap, oauth }, index) => [
      ...(oauth ? tokenFaults(`/mailboxes/${index}`, { smtp, imap, oauth }) : []),
      ...sourceFaults(`/mailboxes/${index}/smtp`, smtp),
      ...(imap
        ? [...userFaults(`/mailboxes/${index}/imap`, imap), ...sourceFaults(`/mailboxes/${index}/imap`, imap)]
        : []),
    ]),
  ]
}

function repeated(
  given: readonly MailboxSettings[],
  name: 'address' | 'member',
  read: (mailbox: MailboxSettings) => string | undefined,
): FieldError[] {
  const values = given.map(read)
  return values.flatMap((value, index) => {
    const first = values.indexOf(value)
    if (value === undefined || first === index) return []
    const message = `must differ from that of every other mailbox; "${given[first]?.key}" has the same`
    return [field(`/mailboxes/${index}/${name}`, 'duplicate', message)]
  })
}

/** An address belongs to one mailbox. */
function aliasFaults(given: readonly MailboxSettings[]): FieldError[] {
  const owners = new Map(given.map(({ address, key }) => [emailKey(address), key]))
  const faults: FieldError[] = []
  for (const [index, { aliases = [], key }] of given.entries())
    for (const [at, alias] of aliases.entries()) {
      const owner = owners.get(alias)
      if (owner !== undefined)
        faults.push(
          field(`/mailboxes/${index}/aliases/${at}`, 'duplicate', `must not be an address of "${owner}" already`),
        )
      owners.set(alias, key)
    }
  return faults
}

function sourceFaults(pointer: string, { user, password_env, password_file }: SmtpSettings): FieldError[] {
  if (password_env !== undefined && password_file !== undefined) {
    return [field(`${pointer}/password_file`, 'two_sources', 'must be omitted if password_env is given')]
  }
  const name = password_env === undefined ? 'password_file' : 'password_env'
  if (user !== undefined || (password_env ?? password_file) === undefined) return []
  return [field(`${pointer}/${name}`, 'no_user', 'must be omitted if there is no user')]
}

/** With OAuth there are no passwords, and a token is never sent over a network in plain text (RFC 6750). */
function tokenFaults(
  pointer: string,
  { smtp, imap, oauth }: { smtp: SmtpSettings; imap?: ImapSettings | null | undefined; oauth: OAuthSettings },
): FieldError[] {
  const sides = [
    ['smtp', smtp],
    ['imap', imap],
  ] as const
  const faults = sides.flatMap(([side, endpoint]) => {
    if (!endpoint) return []
    const { user, tls, host, password_env, password_file } = endpoint
    const source = password_env === undefined ? 'password_file' : 'password_env'
    const at = `${pointer}/${side}`
    return [
      ...((password_env ?? password_file) === undefined
        ? []
        : [field(`${at}/${source}`, 'two_logins', 'must be omitted if the mailbox has oauth')]),
      ...(tls === 'none' && user !== undefined && !isLoopback(host)
        ? [field(`${at}/tls`, 'plain_token', 'must be "starttls" or "tls" if the mailbox has oauth')]
        : []),
    ]
  })
  if (smtp.user === undefined && !imap)
    faults.push(field(`${pointer}/smtp/user`, 'required', 'is required if the mailbox has oauth'))
  return [...oauthFaults(`${pointer}/oauth`, oauth), ...faults]
}

const userFaults = (pointer: string, { user }: ImapSettings): FieldError[] =>
  user === undefined ? [field(`${pointer}/user`, 'required', 'is required to read mails')] : []

export type Member = { id: string; email: string; status: string }

/**
 * Returns the row for an item of the document at its position, active; `members` are all members of the organisation.
 */
export function rowOf(
  given: MailboxSettings,
  position: number,
  members: readonly Member[],
): Omit<Mailbox, keyof Stored> {
  const { key, name, address, is_default = false, has_reply_tags = false, daily_limit = null, spacing_s = 0 } = given
  const { aliases = [], reply_to = 'automatic', trusted_forwarders = [] } = given
  return {
    key,
    name,
    address,
    is_default,
    is_active: true,
    position,
    member_id: members.find(({ email }) => email === given.member)?.id ?? null,
    has_reply_tags,
    daily_limit,
    spacing_s,
    smtp: endpointOf(given.smtp),
    imap: given.imap ? imapOf(given.imap) : null,
    oauth: given.oauth ? oauthOf(given.oauth) : null,
    aliases,
    reply_to,
    trusted_forwarders,
  }
}

function endpointOf({ host, port, tls, user, password_env, password_file }: SmtpSettings): Endpoint {
  return {
    host,
    port,
    tls,
    user: user ?? null,
    password_env: password_env ?? null,
    password_file: password_file ?? null,
  }
}

function imapOf(given: ImapSettings): ImapEndpoint {
  const { folder = 'INBOX', import_since = null, save_sent = false, authserv_id = null } = given
  return { ...endpointOf(given), folder, import_since, save_sent, ...(authserv_id && { authserv_id }) }
}

/** Returns the item of the document for a row: with the source of the password instead of the password. */
export function itemOf(row: Mailbox, members: readonly Member[]): MailboxSettings {
  const { key, name, address, is_default, has_reply_tags, daily_limit, spacing_s, oauth, smtp, imap } = row
  const { aliases, reply_to, trusted_forwarders } = row
  const member = members.find(({ id }) => id === row.member_id)?.email
  return {
    key,
    name,
    address,
    is_default,
    ...(member === undefined ? {} : { member }),
    has_reply_tags,
    daily_limit,
    spacing_s,
    ...(aliases.length > 0 ? { aliases } : {}),
    ...(reply_to === 'automatic' ? {} : { reply_to }),
    ...(trusted_forwarders.length > 0 ? { trusted_forwarders } : {}),
    ...(oauth ? { oauth: withoutNulls(oauth) } : {}),
    smtp: withoutNulls(smtp),
    ...(imap ? { imap: withoutNulls(imap) } : {}),
  }
}

type WithoutNulls<Shape> = { [Name in keyof Shape as null extends Shape[Name] ? never : Name]: Shape[Name] } & {
  [Name in keyof Shape as null extends Shape[Name] ? Name : never]?: NonNullable<Shape[Name]>
}

const withoutNulls = <Shape extends object>(given: Shape): WithoutNulls<Shape> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as WithoutNulls<Shape>
