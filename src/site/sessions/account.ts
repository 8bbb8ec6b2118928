import type { Context } from 'koa'
import type { Access } from '../../auth/access.ts'
import { type Credentials, credentialStore } from '../../auth/credentials.ts'
import { linkStore } from '../../auth/links.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { newTotpSecret, totpUrl } from '../../auth/totp.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { auditLog } from '../../events/audit/log.ts'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { orgGate } from '../../store/orgs/org-states.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import { checkUnchanged, passwordCheck } from './confirm-password.ts'
import { newPassword } from './new-password.ts'
import type { SignInParts } from './parts.ts'
import { qrSvg } from './qr.ts'

const NewPassword = f.object({ current: f.optional(f.line(1024)), new: f.line(1024) })
const Code = f.object({ code: f.line(20) })
const Password = f.object({ password: f.optional(f.line(1024)) })

/**
 * The own password and second factor. These are no routes of the kernel, which keeps a hash of a request with an
 * Idempotency-Key: one of a password would be too easy to try.
 */
export function accountHandlers(parts: SignInParts): Handler[] {
  const { store, bodies, passwords } = parts
  const confirmPassword = passwordCheck(parts)
  const credentials = credentialStore(store)
  const sessions = sessionStore(store)
  const links = linkStore(store)
  const members = memberSettings(store)
  const audit = auditLog(store)
  const refuseMoved = orgGate(store.db)

  const note = (org: number, member: string, session: string, action: string): void =>
    audit.record({ org, actor: { type: 'member', member, via: `session ${session}` }, action, record: member })

  async function changePassword(ctx: Context, { who, token: session }: Access): Promise<void> {
    const given = await readBody(ctx, bodies, NewPassword)
    const [org, member] = [who.org, who.member as string]
    const before = credentials.get(org, member)
    await confirmPassword(before, given.current, '/current')
    const stored = await newPassword(passwords, '/new', given.new, about(org, member))
    await store.write(() => {
      checkUnchanged(before, credentials.get(org, member))
      credentials.setPassword(org, member, stored)
      links.revokeSignIn(org, member) // it may have been made for whoever knew the old one
      note(org, member, session, 'password.changed')
      return sessions.endAll(org, member, session)
    })
    answerJson(ctx, 204)
  }

  async function proposeTotp(ctx: Context, { who }: Access): Promise<void> {
    const { password } = await readBody(ctx, bodies, Password)
    const [org, member] = [who.org, who.member as string]
    const before = credentials.get(org, member)
    refuseConfirmed(before)
    await confirmPassword(before, password, '/password')
    const secret = newTotpSecret()
    await store.write(() => {
      refuseMoved(org) // without an entry of the audit log, which would refuse it
      const now = credentials.get(org, member)
      checkUnchanged(before, now)
      refuseConfirmed(now)
      credentials.proposeTotp(org, member, secret)
      return undefined
    })
    const { org: issuer, email } = about(org, member)
    const url = totpUrl(secret, issuer, email)
    answerJson(ctx, 200, { secret, url, qr_svg: qrSvg(url) })
  }

  async function confirmTotp(ctx: Context, { who, token: session }: Access): Promise<void> {
    const { code } = await readBody(ctx, bodies, Code)
    const [org, member] = [who.org, who.member as string]
    const answer = await store.write(() => {
      const now = credentials.get(org, member)
      refuseConfirmed(now)
      if (!now?.totp) throw conflict('no_second_factor', 'Start again: there is no second factor to confirm.')
      const recovery_codes = credentials.confirmTotp(now, code.replace(/\s/g, ''))
      if (!recovery_codes)
        throw invalid(
          field('/code', 'invalid_code', 'is not the code that the app shows now; check the time of the phone'),
        )
      sessions.endAll(org, member, session)
      note(org, member, session, 'second_factor.on')
      return { recovery_codes }
    })
    answerJson(ctx, 200, answer)
  }

  async function removeTotp(ctx: Context, { who, token: session }: Access): Promise<void> {
    const { password } = await readBody(ctx, bodies, Password)
    const [org, member] = [who.org, who.member as string]
    const before = credentials.get(org, member)
    await confirmPassword(before, password, '/password')
    await store.write(() => {
      checkUnchanged(before, credentials.get(org, member))
      credentials.removeTotp(org, member)
      note(org, member, session, 'second_factor.off')
      return undefined
    })
    answerJson(ctx, 204)
  }

  function about(org: number, member: string): { org: string; email: string } {
    const { email } = members.all(org).find(({ id }) => id === member) as { email: string }
    return { org: orgOf(store.db, org).name, email }
  }

  return [
    { method: 'POST', path: '/app/password', role: 'viewer', answer: changePassword },
    { method: 'POST', path: '/app/totp', role: 'viewer', answer: proposeTotp },
    { method: 'POST', path: '/app/totp/confirm', role: 'viewer', answer: confirmTotp },
    { method: 'DELETE', path: '/app/totp', role: 'viewer', answer: removeTotp },
  ]
}

function refuseConfirmed(now: Credentials | undefined): void {
  if (now?.totp_confirmed_at)
    throw conflict('second_factor_on', 'The second factor is on already. Turn it off first to use another app.')
}
