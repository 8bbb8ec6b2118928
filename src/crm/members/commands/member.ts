import { type Answer, type AuditedWrites, command, json, type Opens, org } from '../../../command/command.ts'
import { aligned } from '../../../command/text.ts'
import { usage } from '../../../lib/problem.ts'
import { validate } from '../../../lib/validate.ts'
import type { Member } from '../members.ts'
import { MemberPatch, MemberSettings, memberSettings } from '../settings.ts'

const fields = {
  name: { type: 'string', placeholder: 'NAME', help: 'display name' },
  role: { type: 'string', placeholder: 'ROLE', help: 'owner, admin, member or viewer' },
  timezone: { type: 'string', placeholder: 'ZONE', help: 'such as Europe/Berlin' },
} as const

const email = { email: 'email of the member' }

export const memberList = command({
  name: 'member list',
  summary: 'List the members of an organisation',
  options: { org, json },
  run: ({ openOrg }) =>
    openOrg((store, org) => {
      const members = memberSettings(store).all(org)
      const rows = members.map(({ email, name, role, status, timezone }) => [email, name, role, status, timezone])
      return { json: members, text: aligned([['EMAIL', 'NAME', 'ROLE', 'STATUS', 'TIMEZONE'], ...rows]) }
    }),
})

export const memberAdd = command({
  name: 'member add',
  summary: 'Add a member to an organisation',
  args: email,
  options: { ...fields, role: { ...fields.role, default: 'member' }, org, json },
  audit: 'member.added',
  run: ({ options, args, write, openOrg }) => {
    const { name = args.email.split('@')[0], role, timezone } = options
    const given = validate(MemberSettings, { email: args.email, name, role, ...(timezone ? { timezone } : {}) })
    return change({ write, openOrg }, (members, org) => members.add(org, given))
  },
})

export const memberSet = command({
  name: 'member set',
  summary: 'Change the name, role or time zone of a member',
  args: email,
  options: { ...fields, org, json },
  audit: 'member.changed',
  run: ({ options, args, write, openOrg }) => {
    const given = Object.fromEntries(
      Object.keys(fields).flatMap((name) => {
        const value = options[name as keyof typeof fields]
        return value === undefined ? [] : [[name, value]]
      }),
    )
    if (Object.keys(given).length === 0) throw usage('Use at least one of --name, --role and --timezone.')
    const patch = validate(MemberPatch, given)
    return change({ write, openOrg }, (members, org) => members.set(org, args.email, patch))
  },
})

export const memberActivate = command({
  name: 'member activate',
  summary: 'Reactivate a deactivated member',
  args: email,
  options: { org, json },
  audit: 'member.activated',
  run: ({ args, write, openOrg }) =>
    change({ write, openOrg }, (members, org) => members.set(org, args.email, { status: 'active' })),
})

export const memberDeactivate = command({
  name: 'member deactivate',
  summary: 'Deactivate a member: their tokens stop working with the next request',
  args: email,
  options: { org, json },
  audit: 'member.deactivated',
  run: ({ args, write, openOrg }) =>
    change({ write, openOrg }, (members, org) => members.set(org, args.email, { status: 'deactivated' })),
})

function change(
  { write, openOrg }: Pick<AuditedWrites & Opens, 'write' | 'openOrg'>,
  job: (members: ReturnType<typeof memberSettings>, org: number) => Member,
): Promise<Answer> {
  return openOrg((store, org) =>
    write(store, () => {
      const member = job(memberSettings(store), org)
      const { id, name, email, role, status, timezone } = member
      return {
        json: member,
        text: `${name} <${email}>: ${role}, ${status}, ${timezone}`,
        audit: { record: id, detail: { role, status } },
      }
    }),
  )
}
