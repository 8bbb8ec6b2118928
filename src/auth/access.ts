import type { IncomingMessage } from 'node:http'
import type { Caller } from '../lib/caller.ts'
import type { Store } from '../store/open.ts'
import { type Client, forgeryLimit } from './forgeries.ts'
import type { Role } from './roles.ts'
import { effectiveScopes, scopeKey } from './scopes.ts'
import type { Claims, Tokens } from './tokens.ts'

/** Who calls, by which token, and what that token may do at this moment. */
export type Access = {
  who: Caller & { scopes: ReadonlySet<string> }
  /** Of `who.scopes`. */
  scopeKey: string
  /** Of the member whose token it is. */
  role: Role
  token: string
  expiresAt: number | null
}

/** How the requests of a listener are authenticated. */
export type Authentication = {
  /** Gives a promise only where it has to wait. Throws the Problem that answers a request without access. */
  authenticate: (req: IncomingMessage) => Access | Promise<Access>
  /** False where an export took the place of the organisation while the request was on its way: see exports/place.ts. */
  isCurrent: (access: Access) => boolean
}

const REMEMBERED = 10_000
const REMEMBERED_FORGED = 1000
const MAX_MS = 30_000

type Grant = { org: number; scopes: string; expires_at: number | null; role: Role }

export type AccessCache = ReturnType<typeof accessCache>

/**
 * Verifying a signature costs more than answering, so verified tokens are remembered, and so is what the database
 * says of them: until anything changes there (`changes` tells of commits by other processes, `accessEpoch` of
 * our own), and at most 30 s. What a token claims is looked up before its signature is checked, so that whoever does not
 * know of a token that counts causes no check; whoever does, only a few.
 */
export function accessCache(
  tokens: Pick<Tokens, 'claimed' | 'verify'>,
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
  const orgOf = db.prepare('SELECT 1 FROM orgs WHERE id = ?')
  const claimsOf = new Map<string, Claims>()
  const accessOf = new Map<string, Access>()
  const forged = new Set<string>()
  const forgeries = forgeryLimit(clock.now)
  let seenVersion: unknown
  let seenEpoch = -1
  let since = 0

  /**
   * The session of a token, or undefined where it does not count. A promise only on a token's first use. Throws Problem
   * 429 for one that was not used before, from an address with too many that were forged.
   */
  function open(token: string, client: Client = {}): Access | undefined | Promise<Access | undefined> {
    forgetWhatMayHaveChanged()
    const known = accessOf.get(token)
    if (known) return stillValid(known)
    const claims = claimsOf.get(token)
    if (claims) return load(token, claims)
    const claimed = tokens.claimed(token)
    if (!claimed || !granted(claimed) || forged.has(token)) return undefined
    forgeries.check(client)
    return verify(token, client)
  }

  async function verify(token: string, client: Client): Promise<Access | undefined> {
    const claims = await tokens.verify(token)
    if (!claims) {
      forgeries.count(client)
      if (forged.size >= REMEMBERED_FORGED) forged.clear()
      forged.add(token)
      return undefined
    }
    if (claimsOf.size >= REMEMBERED) claimsOf.clear()
    claimsOf.set(token, claims)
    return load(token, claims)
  }

  function granted({ jti, org, sub, kid }: Claims): Grant | undefined {
    return grant.get(jti, sub, org, kid) as Grant | undefined
  }

  function load(token: string, claims: Claims): Access | undefined {
    const row = granted(claims)
    if (!row) return undefined
    const scopes = effectiveScopes(JSON.parse(row.scopes), row.role)
    const access = {
      who: { org: row.org, member: claims.sub, scopes },
      scopeKey: scopeKey(scopes),
      role: row.role,
      token: claims.jti,
      expiresAt: row.expires_at,
    }
    if (accessOf.size >= REMEMBERED) accessOf.clear()
    accessOf.set(token, access)
    return stillValid(access)
  }

  function stillValid(access: Access): Access | undefined {
    return access.expiresAt !== null && access.expiresAt <= clock.now() ? undefined : access
  }

  function forgetWhatMayHaveChanged(): void {
    const version = changes.byOthers()
    const epoch = accessEpoch()
    const now = clock.now()
    const isRecent = now >= since && now - since < MAX_MS // the clock may have been set back
    if (version === seenVersion && epoch === seenEpoch && isRecent) return
    accessOf.clear()
    forged.clear()
    seenVersion = version
    seenEpoch = epoch
    since = now
  }

  const isCurrent: Authentication['isCurrent'] = ({ who }) => orgOf.get(who.org) !== undefined

  return { open, isCurrent }
}
