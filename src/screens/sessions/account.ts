import type { Context } from 'koa'
import { auditLog } from '../../audit/log.ts'
import type { Access } from '../../auth/access.ts'
import { type Credentials, credentialStore } from '../../auth/credentials.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { newTotpSecret, totpUrl } from '../../auth/totp.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { orgGate } from '../../store/org-states.ts'
import { orgOf } from '../../store/orgs.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { counting, pauseAfter, tooManyAttempts } from './attempts.ts'
import { newPassword } from './new-password.ts'
import { qrSvg } from './qr.ts'

const NewPassword = f.object({ current: f.optional(f.line(1024)), new: f.line(1024) })
const Code = f.object({ code: f.line(20) })
const Password = f.object({ password: f.optional(f.line(1024)) })
const Nothing = f.object({})

/**
 * The own password and second factor. These are no routes of the kernel, which keeps a hash of a request with an
 * Idempotency-Key: one of a password would be too easy to try.
 */
export function accountHandlers(parts: ScreenParts): Handler[] {
  const { store, bodies, passwords } = parts
  const credentials = credentialStore(store)
  const sessions = sessionStore(store)
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
      note(org, member, session, 'password.changed')
      return sessions.endAll(org, member, session)
    })
    answerJson(ctx, 204)
  }

  async function proposeTotp(ctx: Context, { who }: Access): Promise<void> {
    await readBody(ctx, bodies, Nothing)
    const [org, member] = [who.org, who.member as string]
    const secret = newTotpSecret()
    await store.write(() => {
      refuseMoved(org) // without an entry of the audit log, which would refuse it
      refuseConfirmed(credentials.get(org, member))
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

  /**
   * Whoever uses a session that somebody left open does not know the password. Attempts count as those of signing in.
   * Throws Problem 422 and 429. A member without a password, who came by a link, has none to confirm.
   */
  async function confirmPassword(before: Credentials | undefined, password: string | undefined, pointer: string) {
    if (!before?.password) return
    if (password === undefined) throw invalid(field(pointer, 'required', 'is required'))
    await store.write(() => {
      const now = credentials.get(before.org, before.member) ?? before
      const at = store.clock.now()
      const pause = pauseAfter(now, at)
      if (pause > 0) throw tooManyAttempts(pause)
      credentials.setFailures(now, counting(now, at) + 1, at)
      return undefined
    })
    if (!(await passwords.verify(password, before.password)))
      throw invalid(field(pointer, 'wrong_password', 'is not your password'))
    await store.write(() => void credentials.setFailures(before, 0, null))
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

/** Somebody else may have changed or reset the password while it was checked. */
function checkUnchanged(before: Credentials | undefined, now: Credentials | undefined): void {
  if ((before?.password ?? null) === (now?.password ?? null)) return
  throw conflict('changed_since', 'The password was changed in the meantime. Sign in again.')
}
