import type { IncomingMessage } from 'node:http'
import type { Caller } from '../lib/caller.ts'
import type { Store } from '../store/open.ts'
import { addressOfMoved, movedProblem, orgGate } from '../store/orgs/org-states.ts'
import { forgeryLimit } from './forgeries.ts'
import type { Role } from './roles.ts'
import { effectiveScopes, scopeKey } from './scopes.ts'
import type { Claims, Tokens } from './tokens.ts'

/** A caller with its token and the token's current permissions. */
export type Access = {
  who: Caller & { scopes: ReadonlySet<string> }
  /** The key of `who.scopes`. */
  scopeKey: string
  /** The role of the token's member. */
  role: Role
  token: string
  /** Whose Idempotency-Keys it sends: a token's own, or the member's, whose session may end before a repeat. */
  keyOwner: string
  expiresAt: number | null
}

/** How the requests of a listener are authenticated. */
export type Authentication = {
  /** Returns a promise only if it has to wait. Throws the Problem to answer if access is denied. */
  authenticate: (req: IncomingMessage) => Access | Promise<Access>
  /** False if an export replaced the organisation during the request: see exports/place.ts. */
  isCurrent: (access: Access) => boolean
  /** Headers of every response to an access. */
  headersOf?: (access: Access) => readonly string[]
  /** Throws Problem 421 if the organisation has moved to another server, also during the request. */
  refuseMoved: (org: number) => void
}

const MAX_CACHED = 10_000
const MAX_FORGED = 1000
const MAX_AGE_MS = 30_000

type Grant = { org: number; scopes: string; expires_at: number | null; role: Role }

export type AccessCache = ReturnType<typeof accessCache>

/**
 * Verifying a signature costs more than answering a request, so verified tokens and their rows in the database are
 * cached: until anything changes there (`changes` counts commits of other processes, `accessEpoch` our own), and for at
 * most 30 s. The claims of a token are looked up before its signature is checked: a client that does not know a valid
 * token causes no check at all, any other only a few.
 */
export function accessCache(
  tokens: Pick<Tokens, 'claimed' | 'verify'>,
  { db, clock, changes, accessEpoch }: Pick<Store, 'db' | 'clock' | 'changes' | 'accessEpoch'>,
) {
  const grant = db.prepare(
    `SELECT orgs.id AS org, tokens.scopes, tokens.expires_at, members.role
     FROM orgs
     JOIN tokens ON tokens.org_id = orgs.id AND tokens.id = @jti AND tokens.member_id = @sub
     JOIN members ON members.org_id = orgs.id AND members.id = tokens.member_id
     WHERE orgs.public_id = @org AND tokens.revoked_at IS NULL AND members.status = 'active'
       AND (EXISTS (SELECT 1 FROM signing_keys WHERE kid = @kid AND retired_at IS NULL)
         OR EXISTS (SELECT 1 FROM former_token_keys AS former WHERE former.org_id = orgs.id AND former.kid = @kid
              AND NOT EXISTS (SELECT 1 FROM signing_keys WHERE kid = @kid)))`,
  )
  const orgOf = db.prepare('SELECT 1 FROM orgs WHERE id = ?')
  const movedTo = addressOfMoved(db)
  const claimsOf = new Map<string, Claims>()
  const accessOf = new Map<string, Access>()
  const forged = new Set<string>()
  const forgeries = forgeryLimit(clock.now)
  let seenVersion: unknown
  let seenEpoch = -1
  let since = 0

  /**
   * The access of a token, or undefined if it is not valid. Returns a promise only on the first use of a token. Throws
   * Problem 429 for an unused token from an address that sent too many forged ones.
   */
  function open(token: string, address = ''): Access | undefined | Promise<Access | undefined> {
    clearIfChanged()
    const cached = accessOf.get(token)
    if (cached) return stillValid(cached)
    const claims = claimsOf.get(token)
    if (claims) return load(token, claims)
    const claimed = tokens.claimed(token)
    if (!claimed || forged.has(token) || !(grantOf(claimed) || movedTo(claimed.org))) return undefined
    forgeries.check(address)
    return verify(token, address)
  }

  async function verify(token: string, address: string): Promise<Access | undefined> {
    const claims = await tokens.verify(token)
    if (!claims) {
      forgeries.count(address)
      if (forged.size >= MAX_FORGED) forged.clear()
      forged.add(token)
      return undefined
    }
    if (claimsOf.size >= MAX_CACHED) claimsOf.clear()
    claimsOf.set(token, claims)
    return load(token, claims)
  }

  function grantOf({ jti, org, sub, kid }: Claims): Grant | undefined {
    return grant.get({ jti, sub, org, kid }) as Grant | undefined
  }

  function load(token: string, claims: Claims): Access | undefined {
    const address = movedTo(claims.org)
    if (address !== undefined) throw movedProblem(address)
    const row = grantOf(claims)
    if (!row) return undefined
    const scopes = effectiveScopes(JSON.parse(row.scopes), row.role)
    const access = {
      who: { org: row.org, member: claims.sub, scopes, expiresAt: row.expires_at },
      scopeKey: scopeKey(scopes),
      role: row.role,
      token: claims.jti,
      keyOwner: claims.jti,
      expiresAt: row.expires_at,
    }
    if (accessOf.size >= MAX_CACHED) accessOf.clear()
    accessOf.set(token, access)
    return stillValid(access)
  }

  function stillValid(access: Access): Access | undefined {
    return access.expiresAt !== null && access.expiresAt <= clock.now() ? undefined : access
  }

  function clearIfChanged(): void {
    const version = changes.byOthers()
    const epoch = accessEpoch()
    const now = clock.now()
    const isRecent = now >= since && now - since < MAX_AGE_MS // the clock may have been set back
    if (version === seenVersion && epoch === seenEpoch && isRecent) return
    accessOf.clear()
    forged.clear()
    seenVersion = version
    seenEpoch = epoch
    since = now
  }

  const isCurrent: Authentication['isCurrent'] = ({ who }) => orgOf.get(who.org) !== undefined

  return { open, isCurrent, refuseMoved: orgGate(db), now: clock.now }
}
