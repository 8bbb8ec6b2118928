import type { Context } from 'koa'
import { credentialStore } from '../../auth/credentials.ts'
import { type Link, linkStore, setupLink } from '../../auth/links.ts'
import { hasRole, type Role } from '../../auth/roles.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { auditLog } from '../../events/audit/log.ts'
import { emailKey } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { preferenceStore } from '../../personal/preferences.ts'
import { orgGate } from '../../store/orgs/org-states.ts'
import { allOrgsEver, orgOf } from '../../store/orgs/orgs.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import { newPassword } from './new-password.ts'
import type { SignInParts } from './parts.ts'
import { LANGUAGE, linkExpired, linkUsed, unknownLink } from './setup.ts'
import { codeRequired, invalidCode, signingIn } from './signing-in.ts'

const Check = f.object({ token: f.line(200) })
const Accept = f.object({
  token: f.line(200),
  name: f.optional(f.title),
  email: f.optional(f.email),
  password: f.optional(f.line(1024)),
  /** Of the second factor, for a link that signs in. */
  code: f.optional(f.line(50)),
  language: f.optional(LANGUAGE),
})

/** The pages behind links: what a link is for, and taking it up. Looking at a link does not use it up. */
export function linkHandlers(parts: SignInParts): Handler[] {
  const { store, deps, bodies, passwords, counters, refused } = parts
  const links = linkStore(store)
  const gate = orgGate(store.db)
  const setup = setupLink(store)
  const credentials = credentialStore(store)
  const preferences = preferenceStore(deps)
  const members = memberSettings(store)
  const audit = auditLog(store)
  const notices = noticeQueue(deps)
  const { start, answer, checkCode } = signingIn(parts)

  async function check(ctx: Context): Promise<void> {
    const { token } = await readBody(ctx, bodies, Check)
    const expires = setup.expiryOf(token)
    if (expires !== undefined) {
      if (allOrgsEver(store.db).length > 0) throw linkUsed()
      if (expires <= store.clock.now()) throw linkExpired()
      return answerJson(ctx, 200, { kind: 'setup', expires_at: rfc3339(expires) })
    }
    const link = open(token)
    const { name: org_name } = orgOf(store.db, link.org)
    const expires_at = rfc3339(link.expires_at)
    const [member, inviter] = [memberOf(link, link.member_id), memberOf(link, link.invited_by)]
    if (link.kind === 'sign_in')
      return answerJson(ctx, 200, { kind: 'sign_in', org_name, email: member?.email, expires_at })
    const { role, email } = link
    answerJson(ctx, 200, { kind: 'invite', org_name, role, email, invited_by: inviter?.name ?? null, expires_at })
  }

  async function accept(ctx: Context): Promise<void> {
    const { token, ...given } = await readBody(ctx, bodies, Accept)
    const link = open(token)
    if (link.kind === 'sign_in') return signIn(ctx, token, link, given.code)
    const { name, password } = given
    const address = given.email ?? link.email
    const email = address === null ? undefined : emailKey(address)
    const needed = { name, email, password }
    const missing = Object.entries(needed).filter(([, value]) => value === undefined)
    if (missing.length > 0) throw invalid(...missing.map(([key]) => field(`/${key}`, 'required', 'is required')))
    if (link.email !== null && email !== link.email)
      throw invalid(field('/email', 'other_email', `must be ${link.email}, the address that was invited`))
    await join(ctx, token, link, { ...(needed as Required<Joining>), language: given.language })
  }

  type Joining = { name: string; email: string; password: string; language?: 'en' | 'de' | undefined }

  async function join(ctx: Context, token: string, link: Link, { name, email, password, language }: Joining) {
    const about = { org: orgOf(store.db, link.org).name, email }
    const stored = await newPassword(passwords, '/password', password, about)
    const joined = await store.write(() => {
      const { org, role } = open(token)
      const member = add(org, { name, email, role: role as Role })
      credentials.setPassword(org, member, stored)
      links.markUsed(link, member)
      const actor = { type: 'member', member, via: `invitation ${link.id}` } as const
      audit.record({ org, actor, action: 'member.joined', record: member, detail: { role } })
      notices.put(org, null, { kind: 'members' })
      const who = { org, member }
      if (language) preferences.patch(who, preferences.find(who), { language })
      return start(ctx, org, member, 'invitation')
    })
    answer(ctx, 201, joined)
  }

  function add(org: number, given: { name: string; email: string; role: Role }): string {
    if (members.all(org).some(({ email }) => email === given.email))
      throw conflict('already_member', 'There is already an account with this email. Sign in with it instead.')
    return members.add(org, given).id
  }

  /** A link takes the place of a password, and not that of the second factor. Wrong codes count, and do not use it up. */
  async function signIn(ctx: Context, token: string, found: Link, code: string | undefined): Promise<void> {
    const { org } = found
    const member = found.member_id as string
    const attempt = code === undefined ? undefined : await counters.begin(counters.ofLink(found))
    const signedIn = await store.write(
      () => {
        const link = open(token)
        const checked = checkCode(credentials.get(org, member), code)
        if (checked !== 'right') return checked
        links.markUsed(link, member)
        return start(ctx, org, member, 'link')
      },
      { isSmall: true },
    )
    if (signedIn === 'code_required') throw codeRequired()
    if (signedIn === 'invalid_code') {
      refused.note([{ org, member }])
      throw invalidCode()
    }
    await attempt?.succeed()
    answer(ctx, 200, signedIn)
  }

  /** The link of a secret, as long as it can be taken up. Throws Problem 404 and 410. */
  function open(token: string): Link {
    const link = links.find(token)
    if (!link) throw unknownLink()
    gate(link.org)
    if (link.used_at !== null) throw linkUsed()
    if (link.expires_at <= store.clock.now()) throw linkExpired()
    const { kind, member_id, invited_by, role } = link
    if (kind === 'sign_in' && memberOf(link, member_id)?.status !== 'active') throw withdrawn()
    // A command invites without a member. Whoever may no longer invite has not invited any more.
    const inviter = invited_by === null ? undefined : memberOf(link, invited_by)
    if (inviter && (inviter.status !== 'active' || !mayInvite(inviter.role, role as Role))) throw withdrawn()
    return link
  }

  const memberOf = ({ org }: Link, id: string | null) => members.all(org).find((member) => member.id === id)

  return [
    { method: 'POST', path: '/app/links/check', role: null, answer: check },
    { method: 'POST', path: '/app/links/accept', role: null, answer: accept },
  ]
}

/** Owners and administrators invite, with their own role at most. */
export const mayInvite = (inviter: Role, role: Role): boolean => hasRole(inviter, 'admin') && hasRole(inviter, role)

const withdrawn = (): Problem => new Problem(410, 'link_withdrawn', 'This link was withdrawn. Ask for another one.')
