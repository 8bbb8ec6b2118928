import type { Context } from 'koa'
import type { Access } from '../../auth/access.ts'
import { credentialStore } from '../../auth/credentials.ts'
import { keyring } from '../../auth/keys.ts'
import { refuseHigher, requireRole } from '../../auth/roles.ts'
import { SCOPES } from '../../auth/scopes.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { type TokenInfo, type Tokens, tokens } from '../../auth/tokens.ts'
import type { Member } from '../../crm/members/members.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { auditLog } from '../../events/audit/log.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller, Session } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid, notFound, Problem } from '../../lib/problem.ts'
import { DAY_MS } from '../../lib/time.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { checkUnchanged, passwordCheck } from './confirm-password.ts'
import type { SignInParts } from './parts.ts'

/** Of an organisation, that can be used. A page lists them whole, with as many of the others as fit beside them. */
const MAX_TOKENS = 1000

/** `days` is how long it is valid, null for ever. The password is that of who makes it. */
const NewToken = f.object({
  member_id: f.id,
  scopes: f.arrayOf(f.oneOf(SCOPES), SCOPES.length),
  days: f.nullable(f.count(3650)),
  password: f.optional(f.line(1024)),
})

const tokensOf = ({ store, dataDir }: Pick<ScreenParts, 'store' | 'dataDir'>): Tokens =>
  tokens(keyring(dataDir, store), store)

/**
 * Finds the member to whom a token is to belong, of those that whoever makes it may make one for, as they are now. Throws
 * Problem 403 and 422.
 */
function ownerFinder({ store }: Pick<ScreenParts, 'store'>): (org: number, maker: string, id: string) => Member {
  const members = memberSettings(store)
  return (org, maker, id) => {
    const all = members.all(org)
    const own = all.find((member) => member.id === maker)
    if (own?.status !== 'active') throw signedOut()
    requireRole(own.role, 'admin')
    const found = all.find((member) => member.id === id)
    if (!found) throw invalid(field('/member_id', 'unknown_member', 'is not the id of a member'))
    if (found.status !== 'active') throw invalid(field('/member_id', 'member_deactivated', 'is deactivated'))
    refuseHigher(own.role, found.role)
    return found
  }
}

const signedOut = (): Problem => new Problem(401, 'signed_out', 'Your session has ended. Sign in again.')

/** Those that can be used come first: they are all shown, with as many others as fit. */
function listed(all: readonly TokenInfo[], now: number): TokenInfo[] {
  const isOver = (token: TokenInfo) => !isUsable(token, now)
  return all.toSorted((one, other) => Number(isOver(one)) - Number(isOver(other))).slice(0, MAX_TOKENS)
}

const isUsable = ({ revoked_at, expires_at }: TokenInfo, now: number): boolean =>
  revoked_at === null && (expires_at === null || Date.parse(expires_at) > now)

/** The tokens of an organisation for administrators, without the tokens themselves. */
export function tokenRoutes(parts: ScreenParts): Route<Need>[] {
  const { list, revoke } = tokensOf(parts)
  const { clock } = parts.store
  const members = memberSettings(parts.store)
  const notices = noticeQueue(parts.deps)

  function find(who: Caller, id: string): TokenInfo {
    const found = list(who.org).find((token) => token.id === id)
    if (!found) throw notFound()
    return found
  }

  function end(who: Caller, { id, member_id }: TokenInfo): void {
    const owner = members.all(who.org).find((member) => member.id === member_id)
    if (owner) refuseHigher((who.session as Session).role, owner.role)
    revoke(who.org, id)
    notices.put(who.org, null, { kind: 'tokens' })
  }

  const common = { role: 'admin', name: 'API token' } as const
  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/tokens/list',
      summary: 'List the API tokens, those that can be used first, and the scopes that there are',
      read: ({ org }) => ({ json: JSON.stringify({ data: listed(list(org), clock.now()), scopes: SCOPES }) }),
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      path: '/tokens/:id',
      summary: 'Revoke an API token: it stops working with the next request',
      status: 204,
      audit: { action: 'token.revoked' },
      find: (who, id = '') => ({ ...find(who, id), version: 1 }),
      run: ({ who, record }) => void end(who, record as unknown as TokenInfo),
    },
  ]
}

/** Makes a token, which is answered this once: a secret, so that no repeat of the request may be answered from memory. */
export function tokenHandlers(parts: SignInParts): Handler[] {
  const { store, bodies, deps } = parts
  const { list, sign } = tokensOf(parts)
  const findOwner = ownerFinder(parts)
  const notices = noticeQueue(deps)
  const credentials = credentialStore(store)
  const sessions = sessionStore(store)
  const confirmPassword = passwordCheck(parts)
  const audit = auditLog(store)

  async function create(ctx: Context, { who, token: session }: Access): Promise<void> {
    const { member_id, scopes, days, password } = await readBody(ctx, bodies, NewToken)
    const [org, own] = [who.org, who.member as string]
    const before = credentials.get(org, own)
    const owner = findOwner(org, own, member_id)
    if (scopes.length === 0) throw invalid(field('/scopes', 'required', 'needs one scope at least'))
    if (days === 0) throw invalid(field('/days', 'out_of_range', 'must be 1 at least, or null'))
    if (owner.role === 'viewer' && scopes.some((scope) => scope.endsWith('.write')))
      throw invalid(field('/scopes', 'member_reads_only', 'must be read scopes only: the member is a viewer'))
    const now = store.clock.now()
    if (list(org).filter((token) => isUsable(token, now)).length >= MAX_TOKENS)
      throw conflict('too_many_tokens', `There are ${MAX_TOKENS} tokens that can be used. Revoke some of them first.`)
    const expiresAt = days === null ? null : now + days * DAY_MS
    // It is worth nothing before `keep`, so that all that may change meanwhile is looked at there, once.
    const { created, keep } = await sign(org, owner.email, [...new Set(scopes)], expiresAt)
    await confirmPassword(before, password, '/password')
    await store.write(() => {
      checkUnchanged(before, credentials.get(org, own))
      // Meanwhile the session may have ended, and either member may have another role, or none.
      if (!sessions.list(org, own).some(({ id }) => id === session)) throw signedOut()
      findOwner(org, own, member_id)
      keep()
      audit.record({
        org,
        actor: { type: 'member', member: own, via: `session ${session}` },
        action: 'token.created',
        record: created.id,
        detail: { member_id, scopes: created.scopes.join(), expires_at: created.expires_at },
      })
      notices.put(org, null, { kind: 'tokens' })
      return undefined
    })
    answerJson(ctx, 201, { ...created, member_id })
  }

  return [{ method: 'POST', path: '/app/tokens', role: 'admin', answer: create }]
}
