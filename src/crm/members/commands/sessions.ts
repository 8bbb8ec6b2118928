import { sessionStore } from '../../../auth/sessions.ts'
import { command, json, org } from '../../../command/command.ts'
import { aligned, oneLine } from '../../../command/text.ts'
import { emailKey } from '../../../lib/email.ts'
import { Problem } from '../../../lib/problem.ts'
import { memberSettings } from '../settings.ts'

export const sessionsList = command({
  name: 'sessions list',
  summary: 'List where members are signed in to the screens',
  options: { org, json },
  run: ({ openOrg }) =>
    openOrg((store, org) => {
      const emails = new Map(
        memberSettings(store)
          .all(org)
          .map(({ id, email }) => [id, email]),
      )
      const list = sessionStore(store)
        .listAll(org)
        .map((session) => ({ ...session, email: emails.get(session.member_id) as string }))
      const rows = list.map(({ id, email, seen_at, address, user_agent }) => [
        ...[id, email, seen_at, address ?? '', oneLine(user_agent ?? '', 60)],
      ])
      return { json: list, text: aligned([['ID', 'EMAIL', 'LAST SEEN', 'ADDRESS', 'BROWSER'], ...rows]) }
    }),
})

export const sessionsEnd = command({
  name: 'sessions end',
  summary: 'Sign a member out everywhere: their sessions stop working with the next request',
  args: { email: 'email of the member' },
  options: { org, json },
  audit: 'sessions.ended',
  run: ({ args, write, openOrg }) =>
    openOrg((store, org) => {
      const member = memberSettings(store)
        .all(org)
        .find(({ email }) => email === emailKey(args.email))
      if (!member)
        throw new Problem(
          404,
          'no_such_member',
          `There is no member ${args.email}. "dealbox member list" shows all members.`,
        )
      return write(store, () => {
        const ended = sessionStore(store).endAll(org, member.id)
        return {
          json: { ended },
          text: `Ended ${ended} ${ended === 1 ? 'session' : 'sessions'} of ${member.email}.`,
          audit: { record: member.id, detail: { ended } },
        }
      })
    }),
})
