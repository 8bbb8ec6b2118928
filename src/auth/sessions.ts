import type { Caller } from '../lib/caller.ts'
import type { Store } from '../store/open.ts'
import { effectiveScopes, scopeKey } from './scopes.ts'
import type { Claims, Tokens } from './tokens.ts'

/** Who calls, by which token, and what that token may do at this moment. */
export type Session = {
  who: Caller & { scopes: ReadonlySet<string> }
  /** Of `who.scopes`. */
  scopeKey: string
  token: string
  expiresAt: number | null
}

const REMEMBERED = 10_000
const LONGEST_MS = 30_000

export type Sessions = ReturnType<typeof sessions>

/**
 * Verifying a signature costs more than answering, so verified tokens are remembered, and so is what the database
 * says of them: until anything changes there (`changes` tells of commits by other processes, `accessEpoch` of
 * our own), and at most 30 s.
 */
export function sessions(
  tokens: Pick<Tokens, 'verify'>,
  { db, clock, changes, accessEpoch }: Pick<Store, 'db' | 'clock' | 'changes' | 'accessEpoch'>,
) {
  const grant = db.prepare(
    `SELECT orgs.id AS org, tokens.scopes, tokens.expires_at, members.role
     FROM orgs
     JOIN tokens ON tokens.org_id = orgs.id AND tokens.id = ? AND tokens.member_id = ?
     JOIN members ON members.org_id = orgs.id AND members.id = tokens.member_id
     WHERE orgs.public_id = ? AND tokens.revoked_at IS NULL AND members.status = 'active'
       AND EXISTS (SELECT 1 FROM signing_keys WHERE kid = ? AND retired_at IS NULL)`,
  )
  const claimsOf = new Map<string, Claims>()
  const sessionOf = new Map<string, Session>()
  let seenVersion: unknown
  let seenEpoch = -1
  let since = 0

  /** The session of a token, or undefined where it does not count. A promise only on a token's first use. */
  function open(token: string): Session | undefined | Promise<Session | undefined> {
    forgetWhatMayHaveChanged()
    const known = sessionOf.get(token)
    if (known) return stillValid(known)
    const claims = claimsOf.get(token)
    return claims ? load(token, claims) : verify(token)
  }

  async function verify(token: string): Promise<Session | undefined> {
    const claims = await tokens.verify(token)
    if (!claims) return undefined
    if (claimsOf.size >= REMEMBERED) claimsOf.clear()
    claimsOf.set(token, claims)
    return load(token, claims)
  }

  function load(token: string, { jti, org, sub, kid }: Claims): Session | undefined {
    const row = grant.get(jti, sub, org, kid) as
      | { org: number; scopes: string; expires_at: number | null; role: string }
      | undefined
    if (!row) return undefined
    const scopes = effectiveScopes(JSON.parse(row.scopes), row.role)
    const session = {
      who: { org: row.org, member: sub, scopes },
      scopeKey: scopeKey(scopes),
      token: jti,
      expiresAt: row.expires_at,
    }
    if (sessionOf.size >= REMEMBERED) sessionOf.clear()
    sessionOf.set(token, session)
    return stillValid(session)
  }

  function stillValid(session: Session): Session | undefined {
    return session.expiresAt !== null && session.expiresAt <= clock.now() ? undefined : session
  }

  function forgetWhatMayHaveChanged(): void {
    const version = changes.byOthers()
    const epoch = accessEpoch()
    const now = clock.now()
    const isRecent = now >= since && now - since < LONGEST_MS // the clock may have been set back
    if (version === seenVersion && epoch === seenEpoch && isRecent) return
    sessionOf.clear()
    seenVersion = version
    seenEpoch = epoch
    since = now
  }

  return { open }
}
