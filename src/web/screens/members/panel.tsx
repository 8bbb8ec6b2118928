import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/fields/form-field.tsx'
import { useForm } from '../../components/fields/use-form.ts'
import { boot, me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { isAdmin } from '../../data/may.ts'
import type { Member } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { t } from '../../lib/texts/texts.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { Panel, Part, Radios } from '../../shell/pages/panel.tsx'
import { type Session, SessionRow } from '../settings-me/session-row.tsx'
import { changeMember, givableRoles, mayChange, setRole } from './actions.ts'
import { askHandOver } from './hand-over/actions.ts'
import { WorkPart } from './hand-over/work-part.tsx'
import { texts } from './texts.ts'

/** One member: role, name, where they are signed in, and whether they are active. */
export function MemberPanel({ member }: { member: Member }) {
  const { id, name, email, status, created_at } = member
  const mayEdit = mayChange(member)
  const isActive = status === 'active'
  return (
    <Panel
      name={name}
      below={`${email}, ${texts().since(format.value.date(created_at))}`}
      avatar={{ kind: 'member', id }}
      by="member"
    >
      {isActive && <RolePart member={member} mayEdit={mayEdit} />}
      {mayEdit && <NamePart member={member} />}
      {isAdmin() && isActive && <SessionsPart member={member} mayEdit={mayEdit || id === me.value.id} />}
      <WorkPart member={member} />
      {mayEdit && isActive && (
        <Part>
          <p class="small mute">{texts().deactivateBody}</p>
          <Button danger onClick={() => void askHandOver(member, true)}>
            {texts().deactivate}
          </Button>
        </Part>
      )}
      {mayEdit && !isActive && (
        <Part>
          <Button onClick={() => void changeMember(member, { status: 'active' }, texts().activated(name))}>
            {texts().reactivate}
          </Button>
        </Part>
      )}
    </Panel>
  )
}

type PartProps = { member: Member; mayEdit: boolean }

function RolePart({ member, mayEdit }: PartProps) {
  const owners = boot.value.members.filter(({ role, status }) => role === 'owner' && status === 'active')
  const note =
    member.id === me.value.id && isAdmin()
      ? texts().ownRole
      : mayEdit
        ? texts().roleBody
        : texts().ownersOnly(format.value.list(owners.map(({ name }) => name)))
  return (
    <Part title={words().role}>
      <Radios
        label={texts().changeRole(member.name)}
        value={member.role}
        choices={(mayEdit ? givableRoles() : [member.role]).map((value) => ({
          value,
          label: words().roles[value],
          note: texts().roleNotes[value],
        }))}
        off={!mayEdit}
        onPick={(role) => void setRole(member, role)}
      />
      <p class="small mute note">{note}</p>
    </Part>
  )
}

function NamePart({ member }: { member: Member }) {
  const [field] = useState({ key: 'name', label: words().name, type: 'text' as const, is_required: true })
  const form = useForm([field], { name: member.name })
  const props = form.of(field)
  async function save(event: Event): Promise<void> {
    event.preventDefault()
    const values = form.check(event.currentTarget as HTMLElement)
    if (values) await changeMember(member, values, texts().renamed)
  }
  return (
    <Part>
      <form class="rename" noValidate onSubmit={(event) => void save(event)}>
        <FormField {...props} />
        {String(props.draft).trim() !== member.name && <Button type="submit">{t().save}</Button>}
      </form>
    </Part>
  )
}

function SessionsPart({ member, mayEdit }: PartProps) {
  const path = `/app/members/${member.id}/sessions`
  const sessions = useAsk<{ data: Session[] }>(path)
  const found = sessions.value?.data
  const end = async (url: string, said: string) => {
    await attempt(() => client().api.request('DELETE', url), said)
    await sessions.again()
  }
  return (
    <Part
      title={texts().sessions}
      count={found?.length}
      actions={
        mayEdit &&
        found &&
        found.length > 1 && (
          <Button plain onClick={() => void end(path, texts().signedOut(member.name))}>
            {texts().signOutEverywhere}
          </Button>
        )
      }
    >
      {found?.length === 0 && <p class="small mute">{texts().noSessions}</p>}
      <ul>
        {found?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            action={
              mayEdit && !session.is_current
                ? () => void end(`/app/sessions/${session.id}`, texts().sessionEnded)
                : undefined
            }
          />
        ))}
      </ul>
    </Part>
  )
}
