import type { Tokens } from '../../lib/mail/oauth/tokens.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import type { Mailbox } from './mailbox.ts'

/** An access token that mail servers accept instead of a password. Times are milliseconds. */
export type AccessToken = { text: string; issuedAt: number; renewAt: number; endsAt: number }

/** What a process that wants to renew a grant gets: the means to do so, or that another process is at it. */
export type Claim = 'busy' | { refresh: string; generation: number }

type Row = {
  refresh_token: string
  access_token: string | null
  issued_at: number
  ends_at: number
  generation: number
  renewing_until: number | null
  refusal: string | null
}

/** A token is renewed this long before it ends, or, if it is short-lived, after four fifths of its time. */
const RENEW_BEFORE_MS = 300_000

type Part = 'refresh' | 'access'
const purpose = (id: string, part: Part): string => `mailbox ${id} ${part} token`

/**
 * The access that "mailbox connect" got for mailboxes with OAuth. A refresh token may be used once only, and its answer
 * contains the next one: so a renewal is claimed before the provider is asked, and its result is stored only if nobody
 * has connected the mailbox anew meanwhile. The functions that write must be called in a transaction.
 */
export function grantStore({ db, clock, vault }: Pick<Store, 'db' | 'clock' | 'vault'>) {
  const select = db.prepare(
    `SELECT refresh_token, access_token, issued_at, ends_at, generation, renewing_until, refusal
     FROM mailbox_grants WHERE org_id = ? AND mailbox_id = ?`,
  )
  const put = db.prepare(
    `INSERT INTO mailbox_grants (org_id, mailbox_id, refresh_token, access_token, issued_at, ends_at, generation)
     VALUES (@org, @id, @refresh, @access, @issued_at, @ends_at, @generation)
     ON CONFLICT (org_id, mailbox_id) DO UPDATE SET refresh_token = excluded.refresh_token,
       access_token = excluded.access_token, issued_at = excluded.issued_at, ends_at = excluded.ends_at,
       generation = excluded.generation, renewing_until = NULL, refusal = NULL`,
  )
  const lease = db.prepare('UPDATE mailbox_grants SET renewing_until = ? WHERE org_id = ? AND mailbox_id = ?')
  const refuse = db.prepare(
    `UPDATE mailbox_grants SET renewing_until = NULL, refusal = ?, access_token = NULL
     WHERE org_id = ? AND mailbox_id = ?`,
  )
  const drop = db.prepare('DELETE FROM mailbox_grants WHERE org_id = ? AND mailbox_id = ?')

  const rowOf = (org: number, id: string): Row | undefined => select.get(org, id) as Row | undefined

  /** Why somebody has to sign in for the mailbox, as a sentence; undefined if nobody has. */
  function disconnected(org: number, { id, key, oauth }: Mailbox): string | undefined {
    if (!oauth) return undefined
    const row = rowOf(org, id)
    const remedy = `"dealbox mailbox connect ${key}"`
    if (!row) return `The mailbox "${key}" is not connected yet; sign in with ${remedy}, until then its mails wait.`
    if (row.refusal === null) return undefined
    return `The provider of the mailbox "${key}" no longer accepts its sign-in (${row.refusal}); sign in again with ${remedy}, until then its mails wait.`
  }

  /** Throws Problem 409 not_connected. */
  function check(org: number, mailbox: Mailbox): void {
    const fault = disconnected(org, mailbox)
    if (fault !== undefined) throw conflict(NOT_CONNECTED, fault)
  }

  /** The stored token, valid or not; undefined if there is none. Throws Problem if it cannot be read. */
  function accessToken(org: number, { id }: Mailbox): AccessToken | undefined {
    const row = rowOf(org, id)
    if (!row || row.access_token === null) return undefined
    const { issued_at, ends_at } = row
    const before = Math.min(RENEW_BEFORE_MS, (ends_at - issued_at) / 5)
    const text = vault.open(purpose(id, 'access'), row.access_token)
    return { text, issuedAt: issued_at, renewAt: ends_at - before, endsAt: ends_at }
  }

  /** Claims the renewal for some time, so that no other process uses the refresh token. Throws Problem. */
  function claim(org: number, mailbox: Mailbox, lease_ms: number): Claim {
    check(org, mailbox)
    const { refresh_token, generation, renewing_until } = rowOf(org, mailbox.id) as Row
    const now = clock.now()
    // A clock that was set back must not make the claim longer.
    if (renewing_until !== null && renewing_until > now && renewing_until <= now + lease_ms) return 'busy'
    const refresh = vault.open(purpose(mailbox.id, 'refresh'), refresh_token)
    lease.run(now + lease_ms, org, mailbox.id)
    return { refresh, generation }
  }

  function isCurrent(org: number, id: string, generation: number): boolean {
    return rowOf(org, id)?.generation === generation
  }

  /** Stores the result of a renewal: the old refresh token is replaced in the same write. */
  function renewed(
    org: number,
    { id }: Mailbox,
    { generation, refresh }: Exclude<Claim, 'busy'>,
    tokens: Tokens,
  ): void {
    if (isCurrent(org, id, generation)) keep(org, id, { ...tokens, refresh: tokens.refresh ?? refresh }, generation + 1)
  }

  /** Records that the provider wants the person to sign in again. */
  function refused(org: number, { id }: Mailbox, { generation }: Exclude<Claim, 'busy'>, refusal: string): void {
    if (isCurrent(org, id, generation)) refuse.run(refusal, org, id)
  }

  /** Ends a claim without a result. */
  function release(org: number, { id }: Mailbox, { generation }: Exclude<Claim, 'busy'>): void {
    if (isCurrent(org, id, generation)) lease.run(null, org, id)
  }

  /** Stores what a sign-in gave. */
  function connect(org: number, { id }: Mailbox, tokens: Tokens & { refresh: string }): void {
    keep(org, id, tokens, (rowOf(org, id)?.generation ?? 0) + 1)
  }

  function keep(
    org: number,
    id: string,
    { access, refresh, lifetime_s }: Tokens & { refresh: string },
    generation: number,
  ) {
    const issued_at = clock.now()
    put.run({
      org,
      id,
      refresh: vault.seal(purpose(id, 'refresh'), refresh),
      access: vault.seal(purpose(id, 'access'), access),
      issued_at,
      ends_at: issued_at + lifetime_s * 1000,
      generation,
    })
  }

  /** Returns whether there was a grant. */
  const forget = (org: number, id: string): boolean => drop.run(org, id).changes > 0

  const isConnected = (org: number, id: string): boolean => rowOf(org, id) !== undefined

  return { disconnected, check, accessToken, claim, renewed, refused, release, connect, forget, isConnected }
}

const NOT_CONNECTED = 'not_connected'

/** Whether an error says that somebody has to sign in first. */
export const isNotConnected = (error: unknown): error is Problem =>
  error instanceof Problem && error.code === NOT_CONNECTED
