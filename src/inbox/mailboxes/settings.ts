import { beginningOf } from '../../lib/calendar/days.ts'
import type { Tokens } from '../../lib/mail/oauth/tokens.ts'
import { conflict, type FieldError, field, invalid, Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf } from '../../store/settings/changes.ts'
import { type Stored, settingsTable } from '../../store/settings/table.ts'
import { grantStore } from './grants.ts'
import { columns, type Endpoint, type Mailbox, type Side } from './mailbox.ts'
import { isSameClient } from './oauth.ts'
import { settingsWarning } from './plain-text.ts'
import { itemOf, type MailboxSettings, type Member, rowOf } from './settings-schema.ts'
import { mailboxSecrets, OWNERS, type Read, SECRET_FIELDS, SIDES, shownSecrets } from './settings-secrets.ts'
import { waitingMails } from './waiting-mails.ts'

type Wanted = Omit<Mailbox, keyof Stored>

const FIELDS = [
  'name',
  'address',
  'is_default',
  'is_active',
  'position',
  'member',
  'has_reply_tags',
  'daily_limit',
  'spacing_s',
  'aliases',
  'reply_to',
  'trusted_forwarders',
  'oauth',
  'smtp',
  'imap',
  ...SECRET_FIELDS,
  'oauth.connection',
]

/** The functions that write must be called in a transaction. */
export function mailboxSettings(store: Pick<Store, 'db' | 'clock' | 'vault'>) {
  const { db } = store
  const { all, create, save, removeUnused } = settingsTable(store, 'mailboxes', columns, 'position')
  const secrets = mailboxSecrets(store)
  const grants = grantStore(store)
  const waiting = waitingMails(store)
  const membersOf = db.prepare('SELECT id, email, status FROM members WHERE org_id = ?')
  const timezoneOf = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()
  // SQLite checks the unique indexes after every statement.
  const dropDefault = db.prepare('UPDATE mailboxes SET is_default = 0 WHERE org_id = ? AND is_default = 1')
  const dropMember = db.prepare('UPDATE mailboxes SET member_id = NULL WHERE org_id = ? AND id = ?')
  const forgetTls = db.prepare(
    'UPDATE mailbox_states SET smtp_offers_tls = 0, imap_offers_tls = 0 WHERE org_id = ? AND mailbox_id = ?',
  )
  const tlsOf = db.prepare(
    'SELECT smtp_offers_tls, imap_offers_tls FROM mailbox_states WHERE org_id = ? AND mailbox_id = ?',
  )
  const readAnew = db.prepare(
    `UPDATE mailbox_states SET uid_validity = NULL, last_uid = 0, since = coalesce(?, since)
     WHERE org_id = ? AND mailbox_id = ?`,
  )

  const members = (org: number): Member[] => membersOf.all(org) as Member[]

  /** Returns the active mailboxes: those in the document are. */
  function show(org: number): MailboxSettings[] {
    const people = members(org)
    return all(org)
      .filter(({ is_active }) => is_active)
      .map((mailbox) => itemOf(mailbox, people))
  }

  /**
   * Call `removeLeft`, which removes the mailboxes that the document leaves out, once the sequences that used them are
   * written.
   */
  function apply(
    org: number,
    given: readonly MailboxSettings[] | undefined,
  ): { changes: Change[]; removeLeft: () => Change[] } {
    if (!given) return { changes: [], removeLeft: () => [] }
    const before = new Map(all(org).map((mailbox) => [mailbox.key, mailbox]))
    const people = members(org)
    const items = given.map((item, index) => {
      const known = before.get(item.key)
      const wanted = rowOf(item, index, people)
      const faults = memberFaults(item, known, people, `/mailboxes/${index}/member`)
      const { secrets: found, errors } = secrets.read(wanted, known, secrets.of(org, known?.id), `/mailboxes/${index}`)
      return { known, wanted, found, errors: [...faults, ...errors] }
    })
    const errors = items.flatMap((item) => item.errors)
    if (errors.length > 0) throw invalid(...errors.slice(0, 100))
    for (const { key } of given) before.delete(key)
    const left = [...before.values()]
    release(org, [...items, ...left.map((known) => ({ known, wanted: undefined }))])
    const changes = items.flatMap(({ known, wanted, found }) => write(org, known, wanted, found, people))
    return { changes, removeLeft: () => remove(org, left, given.length) }
  }

  /** Frees the default and the member's own mailbox, which are unique, where a mailbox loses them. */
  function release(org: number, items: readonly { known: Mailbox | undefined; wanted: Wanted | undefined }[]): void {
    if (!items.some(({ known, wanted }) => known?.is_default && wanted?.is_default)) dropDefault.run(org)
    for (const { known, wanted } of items) {
      if (known?.member_id && known.member_id !== wanted?.member_id) dropMember.run(org, known.id)
    }
  }

  function write(
    org: number,
    known: Mailbox | undefined,
    wanted: Wanted,
    found: Read,
    people: readonly Member[],
  ): Change[] {
    const stored = secrets.of(org, known?.id)
    const row = known ?? create(org, wanted)
    const kept = secrets.renewed(row.id, wanted, found, stored)
    const isOther = OWNERS.some((owner) => kept[owner] !== stored[owner])
    if (isOther) secrets.keep(org, row.id, kept)
    const wasConnected = known !== undefined && grants.isConnected(org, known.id)
    const isForgotten = wasConnected && !isSameClient(known.oauth, wanted.oauth) && grants.forget(org, known.id)
    const after = known ? save(org, known, wanted, isOther) : row
    if (known) followFolder(org, known, after)
    if (known && SIDES.some((side) => placeOf(known[side]) !== placeOf(after[side]))) forgetTls.run(org, row.id)
    if (known && after.version !== known.version) waiting.hurry(org, row.id) // perhaps that was what they waited for
    const { from, to } = shownSecrets(stored, kept)
    const before = known && { ...shown(known, people), ...from, 'oauth.connection': wasConnected ? 'stored' : null }
    const told = { ...shown(after, people), ...to, 'oauth.connection': wasConnected && !isForgotten ? 'stored' : null }
    return changesOf('mailboxes', wanted.key, before, told, FIELDS)
  }

  /**
   * Starts over if the folder changed, whose UIDs mean nothing in another one, or if mail from an earlier time is to be
   * imported.
   */
  function followFolder(org: number, { id, imap: before }: Mailbox, { imap: after }: Mailbox): void {
    if (!after) return
    const isMoved = (['host', 'user', 'folder'] as const).some((name) => before?.[name] !== after[name])
    const since = after.import_since === before?.import_since ? null : after.import_since
    if (!isMoved && since === null) return
    readAnew.run(since === null ? null : beginningOf(since, timezoneOf.get(org) as string), org, id)
  }

  /** Mailboxes that mails or sequences refer to are deactivated instead, and come after the `count` others. */
  function remove(org: number, left: readonly Mailbox[], count: number): Change[] {
    const people = members(org)
    let position = count
    return left.flatMap((mailbox) => {
      const stored = secrets.of(org, mailbox.id)
      const isRemoved = removeUnused(org, mailbox.id)
      const rest = { is_active: false, is_default: false, member_id: null, position }
      if (!isRemoved) position++
      const { from, to } = shownSecrets(stored, stored)
      const after = isRemoved ? undefined : { ...shown(save(org, mailbox, rest), people), ...to }
      return changesOf('mailboxes', mailbox.key, { ...shown(mailbox, people), ...from }, after, FIELDS)
    })
  }

  /** What whoever writes the settings should know, as sentences. */
  function warnings(org: number): string[] {
    return all(org)
      .filter(({ is_active }) => is_active)
      .flatMap((mailbox) => {
        const known = (tlsOf.get(org, mailbox.id) as Known | undefined) ?? UNKNOWN
        return SIDES.flatMap((side) => settingsWarning(mailbox, side, known) ?? [])
      })
  }

  /** Throws 404. */
  function byKey(org: number, key: string): Mailbox {
    const found = all(org).find((mailbox) => mailbox.key === key)
    if (found) return found
    throw new Problem(
      404,
      'no_such_mailbox',
      `There is no mailbox "${key}". "dealbox mailbox list" shows all mailboxes.`,
    )
  }

  /** The sides that need a password: the given one, or all that do. Throws 409 if there is none. */
  function passwordSides(mailbox: Mailbox, side?: Side): Side[] {
    const sides = (side ? [side] : SIDES).filter((each) => reasonAgainst(mailbox, each) === undefined)
    if (sides.length > 0) return sides
    throw conflict('no_password_needed', reasonAgainst(mailbox, side ?? 'smtp') as string)
  }

  /** The mailbox, if it has OAuth. Throws 404 and 409. */
  function withOAuth(org: number, key: string): Mailbox {
    const mailbox = byKey(org, key)
    if (mailbox.oauth) return mailbox
    throw conflict(
      'no_oauth',
      `The mailbox "${key}" has no oauth in the settings. If it has passwords, set them with "dealbox mailbox password ${key}".`,
    )
  }

  /**
   * Stores what a sign-in gave, and hurries the mails that waited for it. Throws 404, and 409 if the client of the mailbox
   * is not the one that was used.
   */
  function connect(org: number, { key, oauth }: Mailbox, tokens: Tokens): void {
    const mailbox = withOAuth(org, key)
    if (!isSameClient(mailbox.oauth, oauth))
      throw conflict(
        'settings_changed',
        `The settings of "${key}" were changed meanwhile, and nothing was stored. Try again.`,
      )
    if (tokens.refresh === null)
      throw conflict(
        'no_refresh_token',
        'The provider gave access for a short time only, and nothing was stored. The scopes may have to include offline_access.',
      )
    grants.connect(org, mailbox, { ...tokens, refresh: tokens.refresh })
    save(org, mailbox, {}, true) // a running server connects anew
    waiting.hurry(org, mailbox.id)
  }

  /** Sets the same password for each of the sides. Throws 404 and 409. */
  function setPassword(org: number, key: string, password: string, side?: Side): void {
    const mailbox = byKey(org, key)
    const passwords = Object.fromEntries(passwordSides(mailbox, side).map((each) => [each, password]))
    const stored = secrets.of(org, mailbox.id)
    const kept = secrets.renewed(mailbox.id, mailbox, passwords, stored)
    if (OWNERS.every((each) => kept[each] === stored[each])) return
    secrets.keep(org, mailbox.id, kept)
    save(org, mailbox, {}, true)
    waiting.hurry(org, mailbox.id)
  }

  return { all, byKey, show, apply, passwordSides, setPassword, withOAuth, connect, warnings }
}

type Known = Parameters<typeof settingsWarning>[2]
const UNKNOWN: Known = { smtp_offers_tls: 0, imap_offers_tls: 0 }

const placeOf = (endpoint: Endpoint | null): string => `${endpoint?.host} ${endpoint?.port}`

/** A mailbox may keep a member who has left; until they return, it is nobody's own mailbox. */
function memberFaults(
  { member }: MailboxSettings,
  known: Mailbox | undefined,
  people: readonly Member[],
  pointer: string,
): FieldError[] {
  const found = people.find(({ email }) => email === member)
  if (member == null || found?.status === 'active' || (found && found.id === known?.member_id)) return []
  return [field(pointer, 'unknown_member', 'must be the email of an active member of this organisation')]
}

/** Why a side needs no password; undefined if it does. */
function reasonAgainst({ key, ...mailbox }: Mailbox, side: Side): string | undefined {
  if (mailbox.oauth)
    return `The mailbox "${key}" needs no password: it has oauth. Sign in with "dealbox mailbox connect ${key}".`
  const endpoint = mailbox[side]
  const name = side.toUpperCase()
  if (!endpoint) return `The mailbox "${key}" has no ${name} server.`
  if (endpoint.user === null)
    return `The mailbox "${key}" uses its ${name} server without a user and needs no password.`
  const source = endpoint.password_env ?? endpoint.password_file
  if (source === null) return undefined
  return `The mailbox "${key}" gets its password for ${name} from ${source}. Change it there, and apply the settings.`
}

/** The item of the document, with the fields that the document does not contain. */
const shown = (row: Mailbox, people: readonly Member[]) => ({
  ...itemOf(row, people),
  is_active: row.is_active,
  position: row.position,
})
