import type { Context } from 'koa'
import { makeOrg, newOrgSettings } from '../../app/settings/new-org.ts'
import { credentialStore } from '../../auth/credentials.ts'
import { setupLink } from '../../auth/links.ts'
import { auditLog } from '../../events/audit/log.ts'
import { emailKey } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import { Problem } from '../../lib/problem.ts'
import { preferenceStore } from '../../personal/preferences.ts'
import { allOrgsEver } from '../../store/orgs/orgs.ts'
import { type Handler, readBody } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { newPassword } from './new-password.ts'
import { signingIn } from './signing-in.ts'

export const LANGUAGE = f.oneOf(['en', 'de'])

const Setup = f.object({
  token: f.line(200),
  org: f.object({ name: f.title, currency: f.currency, timezone: f.timezone }),
  owner: f.object({ name: f.title, email: f.email, password: f.line(1024), language: f.optional(LANGUAGE) }),
  start: f.oneOf(['sample', 'empty']),
})

export const linkUsed = (): Problem =>
  new Problem(410, 'link_used', 'This link was used already. Sign in instead, or ask for another one.')
export const linkExpired = (): Problem =>
  new Problem(410, 'link_expired', 'This link has expired. Ask for another one.')
export const unknownLink = (): Problem =>
  new Problem(404, 'unknown_link', 'There is no such link. Open it again as you got it, with all of its characters.')

/** The first owner: by the link that the server prints while its data folder has no organisation. */
export function setupHandlers(parts: ScreenParts): Handler[] {
  const { store, deps, bodies, passwords } = parts
  const link = setupLink(store)
  const credentials = credentialStore(store)
  const preferences = preferenceStore(deps)
  const { start, answer } = signingIn(parts)
  const audit = auditLog(store)

  async function setup(ctx: Context): Promise<void> {
    const given = await readBody(ctx, bodies, Setup)
    check(given.token)
    const { org, owner } = given
    const email = emailKey(owner.email)
    const settings = newOrgSettings({ ...org, owner: { email, name: owner.name } })
    const password = await newPassword(passwords, '/owner/password', owner.password, { org: org.name, email })
    const made = await store.write(() => {
      check(given.token)
      const { org, owner: member } = makeOrg(store, settings)
      credentials.setPassword(org, member, password)
      const who = { org, member }
      if (owner.language) preferences.patch(who, preferences.find(who), { language: owner.language })
      const actor = { type: 'stranger' } as const
      audit.record({ org, actor, action: 'org.created', record: audit.nameOf(org), detail: { member_id: member } })
      return start(ctx, org, member, 'setup')
    })
    if (given.start === 'sample') await parts.installSample(made.org, made.member)
    answer(ctx, 201, made)
  }

  /** Throws Problem 404 and 410. */
  function check(token: string): number {
    const expires = link.expiryOf(token)
    if (expires === undefined) throw unknownLink()
    if (allOrgsEver(store.db).length > 0) throw linkUsed()
    if (expires <= store.clock.now())
      throw new Problem(410, 'link_expired', 'This link has expired. Start the server again: it prints another one.')
    return expires
  }

  return [{ method: 'POST', path: '/app/setup', role: null, answer: setup }]
}
