import { useEffect, useState } from 'preact/hooks'
import { laterInFocus } from '../../components/later.tsx'
import { boot, me } from '../../data/boot.ts'
import { isAdmin } from '../../data/may.ts'
import type { Member } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { query, setQuery } from '../../lib/router.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { texts as workTexts } from '../../lib/texts/work/texts.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { ListPage } from '../../shell/pages/list-page.tsx'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { givableRoles, type Invite, mayChange, type NewInvite, setRole } from './actions.ts'
import { asked, left, readLeft } from './hand-over/actions.ts'
import { sumOf } from './hand-over/plan.ts'
import { texts as handOverTexts } from './hand-over/texts.ts'
import { InviteForm, InvitePanel, MadeCard } from './invitation.tsx'
import { MemberPanel } from './panel.tsx'
import { RoleTable } from './role-table.tsx'
import { texts } from './texts.ts'
import './members.css'

const HandOverDialog = laterInFocus(() => import('./hand-over/dialog.tsx').then((module) => module.HandOverDialog))

type Row = { id: string; role: Member['role']; status: Member['status'] | 'invited' } & (
  | { member: Member; invite?: undefined }
  | { member?: undefined; invite: Invite }
)

/** Who works here, with which role, and who is invited. */
export default function Members() {
  const [made, setMade] = useState<NewInvite | null>(null)
  const mayInvite = isAdmin()
  const invites = useAsk<{ data: Invite[] }>(mayInvite ? '/app/invites' : null, ['members'])
  const seen = useAsk<{ data: { id: string; seen_at: string }[] }>(mayInvite ? '/app/members/seen' : null, ['members'])
  useEffect(() => void attempt(readLeft), [])
  const { members } = boot.value
  const active = members.filter(({ status }) => status === 'active').length
  const open = invites.value?.data ?? []
  const seenAt = new Map(seen.value?.data.map(({ id, seen_at }) => [id, seen_at]))
  const onMade = (invite: NewInvite) => {
    setMade(invite)
    void invites.again()
  }
  const rows: Row[] = [
    ...members.map((member) => ({ id: member.id, role: member.role, status: member.status, member })),
    ...open.map((invite) => ({ id: invite.id, role: invite.role, status: 'invited' as const, invite })),
  ]

  return (
    <>
      <ListPage
        at="/settings/members"
        title={settingsTexts().members}
        summary={texts().summary(active, open.length)}
        aside={texts().never}
        rows={rows}
        idOf={({ id }) => id}
        hrefOf={({ id }) => `/settings/members?member=${id}`}
        isTall
        tabs={{
          by: 'state',
          values: ['active', ...(mayInvite ? ['invited'] : []), 'deactivated'],
          of: ({ status }) => status,
          names: { active: words().active, invited: words().invited, deactivated: words().deactivated },
          label: texts().tabsLabel,
        }}
        columns={(column) => [
          column.name(words().name, ({ member, invite }) =>
            member
              ? {
                  name: member.name,
                  mark: { kind: 'member', id: member.id },
                  note: member.id === me.value.id && words().you,
                  below: member.email,
                }
              : {
                  name: invite.email ?? texts().anyone,
                  mark: { kind: invite.email ? 'contact' : 'nobody' },
                },
          ),
          column.choice(words().role, {
            width: '7rem',
            of: ({ role }) => role,
            names: words().roles,
            choices: ({ member }) => (member && member.status === 'active' && mayChange(member) ? givableRoles() : []),
            label: ({ member }) => texts().changeRole(member?.name ?? ''),
            onPick: ({ member }, role) => void (member && setRole(member, role)),
          }),
          column.state(words().state, (row) => (row.member ? standing(row.member) : waiting(row.invite)), {
            width: '9.5rem',
          }),
          ...(mayInvite
            ? [
                column.when(words().lastSeen, ({ id }) => seenAt.get(id), {
                  none: words().never,
                  width: '7rem',
                  isNumber: true,
                  phone: null,
                }),
              ]
            : []),
        ]}
        create={
          mayInvite
            ? {
                id: 'members.invite',
                title: () => texts().invite,
                keys: 'n',
                icon: 'useradd',
                onOpen() {
                  setMade(null)
                  // Where the panel takes the place of the list, the form would be behind it.
                  void setQuery({ member: null }, { replace: true })
                },
                form: (close) => <InviteForm onMade={onMade} onClose={close} />,
              }
            : undefined
        }
        empty={(tab) => ({ title: texts().none, text: texts().noneBody(words()[tab as 'active']) })}
        panel={{
          id: query.value.get('member') ?? '',
          of: ({ member, invite }) =>
            member ? (
              <MemberPanel key={member.id} member={member} />
            ) : (
              <InvitePanel key={invite.id} invite={invite} onMade={onMade} onGone={invites.again} />
            ),
        }}
      >
        {made && (
          <section>
            <MadeCard
              invite={made}
              onGone={() => {
                setMade(null)
                void invites.again()
              }}
            />
          </section>
        )}
        <section>
          <RoleTable />
        </section>
      </ListPage>
      {asked.value && <HandOverDialog key={asked.value.member.id} about={asked.value} />}
    </>
  )
}

function standing({ id, status }: Member) {
  const until = boot.value.away[id]
  const still = left.value.get(id)
  if (status === 'deactivated')
    return {
      text: words().deactivated,
      below: still && handOverTexts().stillTheirs(workTexts().records(sumOf(still))),
    }
  if (until === undefined) return { is: 'good' as const, text: words().active }
  return { is: 'hollow' as const, text: handOverTexts().awayUntil(format.value.day(until, now.value)) }
}

function waiting({ expires_at }: Invite) {
  const time = format.value.duration(Math.max(0, Date.parse(expires_at) - now.value))
  return { is: 'hollow' as const, text: texts().invitedFor(time) }
}
