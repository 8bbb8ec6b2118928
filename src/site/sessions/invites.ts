import { type InviteInfo, linkStore, linkUrl } from '../../auth/links.ts'
import { ROLES, type Role } from '../../auth/roles.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { addressForOthers, hostOf, isLoopback } from '../../http/listener/hosts.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller, Session } from '../../lib/caller.ts'
import { emailKey } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import { conflict, field, invalid, notFound } from '../../lib/problem.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { publicUrls } from '../../store/orgs/orgs.ts'
import type { ScreenParts } from '../parts.ts'
import { mayInvite } from './links.ts'
import { qrSvg } from './qr.ts'

const MAX_OPEN = 200

const NewInvite = f.object({ email: f.optional(f.nullable(f.email)), role: f.oneOf(ROLES) })

/** Invitations: links that the inviter hands on in any way, since no mail server is needed. */
export function inviteRoutes({ store, deps, listen }: ScreenParts): Route<Need>[] {
  const links = linkStore(store)
  const members = memberSettings(store)
  const urls = publicUrls(store.db)
  const notices = noticeQueue(deps)
  const told = (org: number) => notices.put(org, null, { kind: 'members' })

  function create(who: Caller, given: { email?: string | null; role: Role }) {
    const { role: own, address: shown } = who.session as Session
    const email = given.email == null ? null : emailKey(given.email)
    if (!mayInvite(own, given.role))
      throw invalid(field('/role', 'role_too_high', `must not be above your own role, which is ${own}`))
    if (email !== null && members.all(who.org).some((member) => member.email === email))
      throw invalid(field('/email', 'already_member', 'is the address of a member already'))
    if (links.invites(who.org).length >= MAX_OPEN)
      throw conflict('too_many_invites', `There are ${MAX_OPEN} open invitations. Withdraw some of them first.`)
    const { id, secret, expires_at } = links.makeInvite(who.org, { email, role: given.role, invited_by: who.member })
    told(who.org)
    const address = addressForOthers(shown, listen, urls())
    const url = linkUrl(address, 'invite', secret)
    const warning = isLoopback(hostOf(new URL(address).host) ?? '') ? 'loopback' : null
    return { id, url, qr_svg: qrSvg(url), expires_at, role: given.role, email, warning }
  }

  function find(who: Caller, id: string): InviteInfo {
    const found = links.getInvite(who.org, id)
    if (!found) throw notFound()
    return found
  }

  const common = { role: 'admin', name: 'invitation' } as const
  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/invites',
      summary: 'List the open invitations',
      read: ({ org }) => ({ json: JSON.stringify({ data: links.invites(org) }) }),
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: '/invites',
      summary: 'Invite somebody',
      body: NewInvite,
      status: 201,
      isSecret: true,
      audit: { action: 'invitation.created', detail: ({ body }) => ({ role: (body as { role: Role }).role }) },
      run: ({ who, body }) => create(who, body),
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      path: '/invites/:id',
      summary: 'Withdraw an invitation',
      status: 204,
      audit: { action: 'invitation.withdrawn' },
      find: (who, id = '') => ({ ...find(who, id), version: 1 }),
      run: ({ who, record }) => {
        links.revokeInvite(who.org, record.id)
        told(who.org)
      },
    },
  ]
}
