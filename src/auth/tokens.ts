import { createPublicKey } from 'node:crypto'
import { InspectFooter, PublicProtocol } from 'paseto'
import { SignFactory, VerifyFactory } from 'paseto/v4/public'
import { emailKey } from '../lib/email.ts'
import { Problem } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import type { Store } from '../store/open.ts'
import { formerTokenKeys } from './former-keys.ts'
import { type Keyring, verifier } from './keys.ts'
import { isScope, SCOPES, type Scope } from './scopes.ts'

const v4 = new PublicProtocol(SignFactory, VerifyFactory)
const encoder = new TextEncoder()

const MAX_LENGTH = 2048
const SIGNATURE_BYTES = 64
const UNLIMITED_S = 1e12
const FORM = /^v4\.public\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** The claims of a token; its permissions are in the database. */
export type Claims = { jti: string; org: string; sub: string; kid: string }

export type NewToken = { id: string; token: string; scopes: Scope[]; expires_at: string | null }
export type TokenInfo = {
  id: string
  member_id: string
  email: string
  scopes: Scope[]
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

export type Tokens = ReturnType<typeof tokens>

/** Bearer tokens: PASETO v4.public, bound to this installation by the implicit assertion. */
export function tokens(
  keys: Keyring,
  { db, clock, installation, accessChanged }: Pick<Store, 'db' | 'clock' | 'installation' | 'accessChanged'>,
) {
  const implicitAssertion = boundTo(installation)
  const formerKey = formerTokenKeys(db)
  const isOwnKey = db.prepare('SELECT 1 FROM signing_keys WHERE kid = ?').pluck()
  const member = db.prepare('SELECT id, role, status FROM members WHERE org_id = ? AND email = ?')
  const publicId = db.prepare('SELECT public_id FROM orgs WHERE id = ?').pluck()
  const insert = db.prepare(
    'INSERT INTO tokens (org_id, id, member_id, scopes, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const revocation = db.prepare('UPDATE tokens SET revoked_at = ? WHERE org_id = ? AND id = ? AND revoked_at IS NULL')
  const orgOf = db.prepare('SELECT org_id FROM tokens WHERE id = ?').pluck()
  const all = db.prepare(
    `SELECT tokens.id, tokens.member_id, members.email, tokens.scopes, tokens.created_at, tokens.expires_at, tokens.revoked_at
     FROM tokens JOIN members ON members.org_id = tokens.org_id AND members.id = tokens.member_id
     WHERE tokens.org_id = ? ORDER BY tokens.id DESC`,
  )

  /** Makes a token for a member. The token is not stored: only this result contains it. */
  async function create(...given: Parameters<typeof sign>): Promise<NewToken> {
    const { created, keep } = await sign(...given)
    keep()
    return created
  }

  /** Makes a token that is not valid before `keep`, which stores its permissions; `member` is the id of its owner. */
  async function sign(
    org: number,
    email: string,
    scopes: readonly Scope[],
    expiresAt: number | null,
  ): Promise<{ created: NewToken; member: string; keep: () => void }> {
    const owner = member.get(org, emailKey(email)) as { id: string; role: string; status: string } | undefined
    if (!owner)
      throw new Problem(
        404,
        'no_such_member',
        `There is no member with the email ${email} in this organisation. "dealbox member list" shows all members.`,
      )
    if (owner.status !== 'active')
      throw new Problem(
        409,
        'member_deactivated',
        `The member ${email} is deactivated. Activate it with "dealbox member activate" first.`,
      )
    const granted = owner.role === 'viewer' ? scopes.filter((scope) => scope.endsWith('.read')) : [...scopes]
    if (granted.length < scopes.length && scopes.length < SCOPES.length) {
      throw new Problem(409, 'viewer', `The member ${email} is a viewer. Tokens of viewers can have read scopes only.`)
    }
    const { kid, key } = await keys.signing()
    const id = clock.id()
    const now = clock.now()
    const claims = { jti: id, org: publicId.get(org) as string, sub: owner.id, typ: 'api' }
    const token = await v4.Sign(key, expiresAt === null ? claims : { ...claims, exp: rfc3339(expiresAt) }, {
      footer: encoder.encode(JSON.stringify({ kid })),
      implicitAssertion,
      now: new Date(now),
      ...(expiresAt === null ? { nonExpiring: true } : {}),
    })
    const created = { id, token, scopes: granted, expires_at: expiresAt === null ? null : rfc3339(expiresAt) }
    const keep = () => void insert.run(org, id, owner.id, JSON.stringify(granted), now, expiresAt)
    return { created, member: owner.id, keep }
  }

  /** The organisation of a token. Throws Problem 404. */
  function findOrg(id: string): number {
    const org = orgOf.get(id) as number | undefined
    if (org === undefined)
      throw new Problem(404, 'no_such_token', `There is no token ${id}. "dealbox token list" shows all tokens.`)
    return org
  }

  /** Revokes the token from the next request on. */
  function revoke(org: number, id: string): void {
    revocation.run(clock.now(), org, id)
    accessChanged()
  }

  function list(org: number): TokenInfo[] {
    return (all.all(org) as Record<string, never>[]).map((row) => ({
      id: row.id as unknown as string,
      member_id: row.member_id as unknown as string,
      email: row.email as unknown as string,
      scopes: JSON.parse(row.scopes as unknown as string),
      created_at: rfc3339(row.created_at as unknown as number),
      expires_at: row.expires_at === null ? null : rfc3339(row.expires_at as unknown as number),
      revoked_at: row.revoked_at === null ? null : rfc3339(row.revoked_at as unknown as number),
    }))
  }

  /** The unverified claims of a token; undefined if it is malformed. */
  function claimed(token: string): Claims | undefined {
    if (token.length > MAX_LENGTH || !FORM.test(token)) return undefined
    const [, , message = '', footer = ''] = token.split('.')
    try {
      const { kid } = JSON.parse(Buffer.from(footer, 'base64url').toString())
      const signed = Buffer.from(message, 'base64url').subarray(0, -SIGNATURE_BYTES)
      const { jti, org, sub } = JSON.parse(signed.toString())
      return { jti: String(jti), org: String(org), sub: String(sub), kid: String(kid) }
    } catch {
      return undefined
    }
  }

  /** The claims of a token signed by one of our keys for this installation, or undefined. Ignores the expiry. */
  async function verify(token: string): Promise<Claims | undefined> {
    if (token.length > MAX_LENGTH || !FORM.test(token)) return undefined
    try {
      const { kid } = JSON.parse(new TextDecoder().decode(InspectFooter(token))) as { kid: string }
      const own = await keys.verification(String(kid))
      const signer = own ? { key: own, implicitAssertion, org: undefined } : await former(token)
      if (!signer) return undefined
      const { claims } = await v4.Verify(signer.key, token, {
        implicitAssertion: signer.implicitAssertion,
        allowNonExpiring: true,
        clockTolerance: UNLIMITED_S, // the database checks expiry; the clock may have been wrong at signing
      })
      if (claims.typ !== 'api' || (signer.org !== undefined && claims.org !== signer.org)) return undefined
      return { jti: String(claims.jti), org: String(claims.org), sub: String(claims.sub), kid }
    } catch {
      return undefined
    }
  }

  /** The key of a server that the organisation of a token was at: for this organisation only. */
  async function former(token: string) {
    const { org, kid } = claimed(token) ?? { org: '', kid: '' }
    if (isOwnKey.get(kid) !== undefined) return undefined // retired, or its file is gone
    const found = formerKey(org, kid)
    if (!found) return undefined
    const key = await verifier(createPublicKey(found.key))
    return { key, implicitAssertion: boundTo(found.installation), org }
  }

  return { create, sign, findOrg, revoke, list, claimed, verify }
}

const boundTo = (installation: string): Uint8Array => encoder.encode(`dealbox:${installation}`)

/** Parses `all` or a list such as `rest.crm.deals.read,rest.crm.tags.read`. Throws Problem 422. */
export function parseScopes(text: string): Scope[] {
  if (text === 'all') return [...SCOPES]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined) {
    throw new Problem(
      422,
      'unknown_scope',
      `There is no scope "${unknown}". Use all, or one or more of: ${SCOPES.join(', ')}.`,
    )
  }
  return [...new Set(names)] as Scope[]
}
