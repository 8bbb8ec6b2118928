import { Avatar } from '../../components/avatar.tsx'
import { Empty } from '../../components/empty.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { State } from '../../components/state.tsx'
import { boot } from '../../data/boot.ts'
import { isAdmin } from '../../data/may.ts'
import type { Member } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { texts as workTexts } from '../../lib/texts/work/texts.ts'
import { givableRoles, type Invite, invites, mayChange, seen, setRole } from './actions.ts'
import { left } from './hand-over/actions.ts'
import { sumOf } from './hand-over/plan.ts'
import { texts as handOverTexts } from './hand-over/texts.ts'
import { texts } from './texts.ts'

type Tab = 'all' | 'active' | 'invited' | 'deactivated'
type MemberTableProps = { tab: Tab; chosen: string | undefined; ownId: string }

export function MemberTable({ tab, chosen, ownId }: MemberTableProps) {
  const members = boot.value.members.filter(({ status }) => tab === 'all' || status === tab)
  const invited = tab === 'all' || tab === 'invited' ? invites.value : []
  if (members.length + invited.length === 0) {
    return <Empty title={texts().none}>{texts().noneBody(texts().tabs[tab])}</Empty>
  }
  return (
    <table class="grid mt">
      <colgroup>
        <col />
        <col class="c-role" />
        <col class="c-state" />
        {isAdmin() && <col class="c-seen" />}
      </colgroup>
      <thead>
        <tr>
          <th scope="col">{texts().name}</th>
          <th scope="col">{texts().role}</th>
          <th scope="col">{texts().state}</th>
          {isAdmin() && (
            <th scope="col" class="num">
              {texts().lastSeen}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {members.map((member) => (
          <MemberRow key={member.id} member={member} isChosen={member.id === chosen} isMe={member.id === ownId} />
        ))}
        {invited.map((invite) => (
          <InviteRow key={invite.id} invite={invite} isChosen={invite.id === chosen} />
        ))}
      </tbody>
    </table>
  )
}

function MemberRow({ member, isChosen, isMe }: { member: Member; isChosen: boolean; isMe: boolean }) {
  const { id, name, email, role, status } = member
  const at = seen.value.get(id)
  return (
    <tr class={isChosen ? 'is-at' : undefined}>
      <td>
        <a class="row who" href={`/settings/members?member=${id}`} aria-current={isChosen ? 'true' : undefined}>
          <Avatar kind="member" id={id} name={name} size={24} />
          <span class="cut" dir="auto">
            <span class="mid">{name}</span> {isMe && <span class="mute">{texts().you}</span>}
            <small class="cut" dir="auto">
              {email}
            </small>
          </span>
        </a>
      </td>
      <td>
        {mayChange(member) && status === 'active' ? (
          <MenuButton
            plain
            class="role"
            menuLabel={texts().changeRole(name)}
            aria-label={`${texts().changeRole(name)}: ${texts().roles[role]}`}
            groups={() => [
              {
                items: givableRoles().map((each) => ({
                  label: texts().roles[each],
                  checked: each === role,
                  onPick: () => void (each === role || setRole(member, each)),
                })),
              },
            ]}
          >
            {texts().roles[role]}
            <Icon name="down" small />
          </MenuButton>
        ) : (
          <span class="dim">{texts().roles[role]}</span>
        )}
      </td>
      <td>
        <Status member={member} />
      </td>
      {isAdmin() && <td class="dim num">{at ? format.value.when(at, now.value) : texts().notSeen}</td>}
    </tr>
  )
}

function Status({ member: { id, status } }: { member: Member }) {
  const until = boot.value.away[id]
  const still = left.value.get(id)
  if (status === 'deactivated')
    return (
      <>
        <State>{texts().states.deactivated}</State>
        {still && <small>{handOverTexts().stillTheirs(workTexts().records(sumOf(still)))}</small>}
      </>
    )
  if (until === undefined) return <State is="good">{texts().states.active}</State>
  return <State is="hollow">{handOverTexts().awayUntil(format.value.day(until, now.value))}</State>
}

function InviteRow({ invite, isChosen }: { invite: Invite; isChosen: boolean }) {
  const { id, email, role, expires_at } = invite
  const left = format.value.duration(Math.max(0, Date.parse(expires_at) - now.value))
  const name = email ?? texts().anyone
  return (
    <tr class={isChosen ? 'is-at' : undefined}>
      <td>
        <a class="row who" href={`/settings/members?invite=${id}`} aria-current={isChosen ? 'true' : undefined}>
          <Avatar kind={email ? 'contact' : 'nobody'} name={name} size={24} />
          <span class="cut" dir="auto">
            <span class="mid">{name}</span>
          </span>
        </a>
      </td>
      <td>
        <span class="dim">{texts().roles[role]}</span>
      </td>
      <td>
        <State is="hollow">{texts().invitedFor(left)}</State>
      </td>
      <td class="dim num">{texts().notSeen}</td>
    </tr>
  )
}
