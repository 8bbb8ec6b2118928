import { useEffect, useState } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { showToast } from '../../components/toast.tsx'
import { boot, me } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { isAdmin } from '../../data/may.ts'
import type { Member } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { type Session, SessionRow } from '../settings-me/sessions.tsx'
import { TextField } from '../sign-in/fields.tsx'
import { useForm } from '../sign-in/setup/use-form.ts'
import { change, changeWithUndo, failed, givableRoles, mayChange, type Role, setRole } from './actions.ts'
import { askHandOver } from './hand-over/actions.ts'
import { WorkPart } from './hand-over/work-part.tsx'
import { texts } from './texts.ts'

/** One member: role, name, where they are signed in, and whether they are active. */
export function MemberPanel({ member, onClose }: { member: Member; onClose: () => void }) {
  const { id, name, email, status, created_at } = member
  const mayEdit = mayChange(member)
  return (
    <aside class="pn" aria-label={name}>
      <section class="part">
        <div class="row head">
          <Avatar kind="member" id={id} name={name} size={40} />
          <div class="grow">
            <h2>{name}</h2>
            <p class="dim cut" dir="auto">
              {email}, {texts().since(format.value.date(created_at))}
            </p>
          </div>
          <IconButton plain icon="x" title={texts().close} onClick={onClose} />
        </div>
      </section>
      {status === 'active' && <RoleSection member={member} mayEdit={mayEdit} />}
      {mayEdit && <NameSection member={member} />}
      {isAdmin() && status === 'active' && <SessionsSection member={member} mayEdit={mayEdit || id === me.value.id} />}
      <WorkPart member={member} />
      {mayEdit && (
        <section class="part">
          {status === 'active' ? (
            <>
              <p class="small mute">{texts().deactivateBody}</p>
              <Button danger onClick={() => void askHandOver(member, true)}>
                {texts().deactivate}
              </Button>
            </>
          ) : (
            <Button onClick={() => void changeWithUndo(member, { status: 'active' }, texts().activated(name))}>
              {texts().reactivate}
            </Button>
          )}
        </section>
      )}
    </aside>
  )
}

function RoleSection({ member, mayEdit }: { member: Member; mayEdit: boolean }) {
  const roles: readonly Role[] = mayEdit ? givableRoles() : [member.role]
  const owners = boot.value.members.filter(({ role, status }) => role === 'owner' && status === 'active')
  return (
    <section class="part">
      <h3>{texts().role}</h3>
      <div role="radiogroup" aria-label={texts().changeRole(member.name)}>
        {roles.map((role) => (
          <label key={role} class={role === member.role ? 'rl on' : 'rl'}>
            <input
              type="radio"
              name="role"
              checked={role === member.role}
              disabled={!mayEdit}
              onChange={() => void setRole(member, role)}
            />
            <span>
              <b class="mid">{texts().roles[role]}</b>
              <small>{texts().roleNotes[role]}</small>
            </span>
          </label>
        ))}
      </div>
      <p class="small mute note">
        {member.id === me.value.id && isAdmin()
          ? texts().ownRole
          : mayEdit
            ? texts().roleBody
            : texts().ownersOnly(format.value.list(owners.map(({ name }) => name)))}
      </p>
    </section>
  )
}

function NameSection({ member }: { member: Member }) {
  const [name, setName] = useState(member.name)
  const form = useForm(async () => {
    await change(member, { name: name.trim() })
    showToast({ text: texts().renamed })
  })
  return (
    <section class="part">
      <form class="rename" noValidate ref={form.ref} onSubmit={form.submit({ '/name': name })}>
        <TextField
          label={texts().rename}
          {...form.field('/name', name, setName)}
          autocomplete="off"
          error={form.errors['/name'] ?? form.message ?? undefined}
        />
        {name.trim() !== member.name && (
          <Button type="submit" working={form.isWorking ? texts().saving : undefined}>
            {texts().save}
          </Button>
        )}
      </form>
    </section>
  )
}

function SessionsSection({ member, mayEdit }: { member: Member; mayEdit: boolean }) {
  const [sessions, setSessions] = useState<Session[] | null>(null)
  const path = `/app/members/${member.id}/sessions`
  const read = () =>
    client()
      .api.get<{ data: Session[] }>(path)
      .then(({ data }) => setSessions(data), failed)
  useEffect(() => void read(), [path])

  async function end(url: string, text: string): Promise<void> {
    try {
      await client().api.request('DELETE', url)
      showToast({ text })
    } catch (error) {
      failed(error)
    }
    await read()
  }

  return (
    <section class="part">
      <div class="row">
        <h3 class="grow">
          {texts().sessions} <span class="n mute small">{sessions?.length}</span>
        </h3>
        {mayEdit && sessions && sessions.length > 1 && (
          <Button plain onClick={() => void end(path, texts().signedOut(member.name))}>
            {texts().signOutEverywhere}
          </Button>
        )}
      </div>
      {sessions?.length === 0 && <p class="small mute">{texts().noSessions}</p>}
      <ul>
        {sessions?.map((session) => (
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
    </section>
  )
}
