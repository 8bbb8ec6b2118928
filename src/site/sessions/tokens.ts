import type { Context } from 'koa'
import type { Access } from '../../auth/access.ts'
import { credentialStore } from '../../auth/credentials.ts'
import { keyring } from '../../auth/keys.ts'
import { refuseHigher } from '../../auth/roles.ts'
import { SCOPES } from '../../auth/scopes.ts'
import { type TokenInfo, type Tokens, tokens } from '../../auth/tokens.ts'
import type { Member } from '../../crm/members/members.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { auditLog } from '../../events/audit/log.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller, Session } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid, notFound } from '../../lib/problem.ts'
import { DAY_MS } from '../../lib/time.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { checkUnchanged, passwordCheck } from './confirm-password.ts'
import type { SignInParts } from './parts.ts'

/** Of an organisation, also those that have ended: each is a row of a list that a page shows whole. */
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

/** Finds the member to whom a token belongs. Throws Problem 422. */
function memberFinder({ store }: Pick<ScreenParts, 'store'>): (who: Caller, id: string) => Member {
  const members = memberSettings(store)
  return ({ org }, id) => {
    const found = members.all(org).find((member) => member.id === id)
    if (!found) throw invalid(field('/member_id', 'unknown_member', 'is not the id of a member'))
    if (found.status !== 'active') throw invalid(field('/member_id', 'member_deactivated', 'is deactivated'))
    return found
  }
}

/** The tokens of an organisation for administrators, without the tokens themselves. */
export function tokenRoutes(parts: ScreenParts): Route<Need>[] {
  const { list, revoke } = tokensOf(parts)
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
      summary: 'List the API tokens, newest first, and the scopes that there are',
      read: ({ org }) => ({ json: JSON.stringify({ data: list(org), scopes: SCOPES }) }),
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
  const findMember = memberFinder(parts)
  const notices = noticeQueue(deps)
  const credentials = credentialStore(store)
  const confirmPassword = passwordCheck(parts)
  const audit = auditLog(store)

  async function create(ctx: Context, { who, role, token: session }: Access): Promise<void> {
    const { member_id, scopes, days, password } = await readBody(ctx, bodies, NewToken)
    const [org, own] = [who.org, who.member as string]
    const before = credentials.get(org, own)
    await confirmPassword(before, password, '/password')
    const owner = findMember(who, member_id)
    refuseHigher(role, owner.role)
    if (scopes.length === 0) throw invalid(field('/scopes', 'required', 'needs one scope at least'))
    if (days === 0) throw invalid(field('/days', 'out_of_range', 'must be 1 at least, or null'))
    if (owner.role === 'viewer' && scopes.some((scope) => scope.endsWith('.write')))
      throw invalid(field('/scopes', 'member_reads_only', 'must be read scopes only: the member is a viewer'))
    if (list(org).length >= MAX_TOKENS)
      throw conflict('too_many_tokens', `There are ${MAX_TOKENS} tokens. Ask for those that have ended to be removed.`)
    const expiresAt = days === null ? null : store.clock.now() + days * DAY_MS
    const { created, keep } = await sign(org, owner.email, [...new Set(scopes)], expiresAt)
    await store.write(() => {
      checkUnchanged(before, credentials.get(org, own))
      refuseHigher(role, findMember(who, member_id).role)
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
