import { credentialStore } from '../../../auth/credentials.ts'
import { linkStore, linkUrl } from '../../../auth/links.ts'
import { ROLES } from '../../../auth/roles.ts'
import { sessionStore } from '../../../auth/sessions.ts'
import { command, json, org } from '../../../command/command.ts'
import { addressOfScreens, isLocal, linkOptions, listenerUrl, localNote } from '../../../http/listener/screens-url.ts'
import { emailKey } from '../../../lib/email.ts'
import * as f from '../../../lib/fields.ts'
import { conflict, Problem } from '../../../lib/problem.ts'
import { validate } from '../../../lib/validate.ts'
import type { CommandStore } from '../../../store/open.ts'
import { allOrgs } from '../../../store/orgs/orgs.ts'
import type { Member } from '../members.ts'
import { memberSettings } from '../settings.ts'

const email = { email: 'email of the member' }

const Invite = f.object({ email: f.email, role: f.oneOf(ROLES) })

export const memberInvite = command({
  name: 'member invite',
  summary: 'Print a link with which somebody becomes a member: it works once, for seven days',
  args: email,
  options: {
    role: { type: 'string', placeholder: 'ROLE', default: 'member', help: 'owner, admin, member or viewer' },
    ...linkOptions,
    org,
    json,
  },
  audit: 'invitation.created',
  run: ({ options, args, write, openOrg }) => {
    const given = validate(Invite, { email: emailKey(args.email), role: options.role })
    return openOrg((store, org) => {
      const origin = addressFor(store, options)
      return write(store, () => {
        if (
          memberSettings(store)
            .all(org)
            .some((member) => member.email === given.email)
        )
          throw conflict('already_member', `There is already a member ${given.email}.`)
        const { id, secret, expires_at } = linkStore(store).makeInvite(org, { ...given, invited_by: null })
        const url = linkUrl(origin, 'invite', secret)
        const until = `It works once, for ${given.email}, until ${expires_at}.`
        const warning = isLocal(url) ? 'loopback' : null
        return {
          json: { id, url, expires_at, ...given, warning },
          text: url,
          note: warning ? `${until} ${localNote(options.screensListen)}` : until,
          audit: { record: id, detail: { role: given.role } },
        }
      })
    })
  },
})

export const memberReset = command({
  name: 'member reset',
  summary: 'Remove the password of a member, end their sessions, and print a link to sign in once',
  args: email,
  options: {
    secondFactor: {
      type: 'boolean',
      help: 'remove the second factor, too: for who has lost the phone and the recovery codes',
    },
    ...linkOptions,
    org,
    json,
  },
  audit: 'member.reset',
  run: ({ options, args, write, openOrg }) =>
    openOrg((store, org) => {
      const origin = addressFor(store, options)
      return write(store, () => {
        const { id } = activeMember(store, org, args.email)
        const credentials = credentialStore(store)
        credentials.removePassword(org, id)
        if (options.secondFactor) credentials.removeTotp(org, id)
        sessionStore(store).endAll(org, id)
        const url = linkUrl(origin, 'sign_in', linkStore(store).makeSignIn(org, id))
        const second_factor = credentials.get(org, id)?.totp_confirmed_at != null
        const until = `It signs in once, within 24 hours${second_factor ? WITH_CODE : ''}. A new password is set in the settings then.`
        const note = isLocal(url) ? `${until} ${localNote(options.screensListen)}` : until
        const detail = options.secondFactor ? { second_factor: 'removed' } : {}
        return { json: { url, second_factor }, text: url, note, audit: { record: id, detail } }
      })
    }),
})

const WITH_CODE =
  ', with a code of the authenticator app or a recovery code (if both are lost, run this again with --second-factor)'

/**
 * Makes a link that signs a member of the only organisation in once; `screens` is the URL of the listener. Returns
 * undefined unless the member is there and active.
 */
export function signInUrl(store: CommandStore, email: string, screens: string): string | undefined {
  const [org, ...more] = allOrgs(store.db)
  if (!org || more.length > 0) return undefined
  const member = memberSettings(store)
    .all(org.id)
    .find((each) => each.email === email && each.status === 'active')
  const secret = member && store.transaction(() => linkStore(store).makeSignIn(org.id, member.id))
  return secret && linkUrl(addressOfScreens(store, { url: screens }), 'sign_in', secret)
}

type LinkOptions = { screensListen: string; host: string; basePath: string; tlsCert: string | undefined }

const addressFor = (store: CommandStore, { screensListen: listen, host, ...rest }: LinkOptions): string =>
  addressOfScreens(store, { host, url: listenerUrl({ listen, ...rest }) })

/** Throws Problem 404 and 409. */
function activeMember(store: CommandStore, org: number, email: string): Member {
  const member = memberSettings(store)
    .all(org)
    .find((each) => each.email === emailKey(email))
  if (!member)
    throw new Problem(404, 'no_such_member', `There is no member ${email}. "dealbox member list" shows all members.`)
  if (member.status === 'active') return member
  throw conflict(
    'member_deactivated',
    `The member ${email} is deactivated. Activate it with "dealbox member activate" first.`,
  )
}
