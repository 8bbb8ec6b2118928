import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { laterInFocus } from '../../components/later.tsx'
import { boot, me } from '../../data/boot.ts'
import { isAdmin } from '../../data/may.ts'
import { query, setQuery } from '../../lib/router.ts'
import { CommandButton } from '../../shell/commands/command-button.tsx'
import { register } from '../../shell/commands/registry.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { texts as shellTexts } from '../../shell/texts.ts'
import { failed, invites, type NewInvite, readInvites } from './actions.ts'
import { asked, readLeft } from './hand-over/actions.ts'
import { InviteCard, InviteForm, MadeCard } from './invitation.tsx'
import { MemberTable } from './member-table.tsx'
import { MemberPanel } from './panel.tsx'
import { RoleTable } from './role-table.tsx'
import { texts } from './texts.ts'
import './members.css'

const HandOverDialog = laterInFocus(() => import('./hand-over/dialog.tsx').then((module) => module.HandOverDialog))

const TABS = ['all', 'active', 'invited', 'deactivated'] as const
export type Tab = (typeof TABS)[number]

/** Who works here, with which role, and who is invited. */
export default function Members() {
  const [isInviting, setInviting] = useState(false)
  const [made, setMade] = useState<NewInvite | null>(null)
  useEffect(() => void Promise.all([readInvites(), readLeft()]).catch(failed), [])
  useLayoutEffect(
    () =>
      isAdmin()
        ? register([
            {
              id: 'members.invite',
              title: () => texts().invite,
              group: 'new',
              keys: 'n',
              icon: 'useradd',
              run: () => {
                setMade(null)
                setInviting(true)
                // Where the panel takes the place of the list, the form would be behind it.
                void setQuery({ member: null, invite: null }, { replace: true })
              },
            },
          ])
        : undefined,
    [],
  )

  const { members } = boot.value
  const tab = (TABS as readonly string[]).includes(query.value.get('state') ?? '')
    ? (query.value.get('state') as Tab)
    : 'all'
  const chosen = members.find(({ id }) => id === query.value.get('member'))
  const invited = invites.value.find(({ id }) => id === query.value.get('invite'))
  const active = members.filter(({ status }) => status === 'active')
  const counts = {
    all: members.length + invites.value.length,
    active: active.length,
    invited: invites.value.length,
    deactivated: members.length - active.length,
  }

  return (
    <SettingsFrame
      title={shellTexts().places.members}
      summary={texts().summary(active.length, invites.value.length)}
      actions={isAdmin() && <CommandButton id="members.invite" first isIconOnPhone />}
    >
      <div class={chosen ? 'ms has-panel' : 'ms'}>
        <div class="ls">
          <div class="filters">
            <nav class="tabs" aria-label={texts().tabsLabel}>
              {TABS.filter((each) => each !== 'invited' || isAdmin()).map((each) => (
                <a
                  key={each}
                  href={each === 'all' ? '/settings/members' : `/settings/members?state=${each}`}
                  aria-current={each === tab ? 'page' : undefined}
                >
                  {texts().tabs[each]} <span class="n">{counts[each]}</span>
                </a>
              ))}
            </nav>
            <span class="small mute cut" dir="auto">
              {texts().never}
            </span>
          </div>
          <section class="table">
            <MemberTable tab={tab} chosen={chosen?.id ?? invited?.id} ownId={me.value.id} />
          </section>
          {isAdmin() && (
            <section>
              {isInviting && (
                <InviteForm
                  onMade={(invite) => {
                    setInviting(false)
                    setMade(invite)
                  }}
                  onCancel={() => setInviting(false)}
                />
              )}
              {made && <MadeCard invite={made} onWithdrawn={() => setMade(null)} />}
              {invited && invited.id !== made?.id && <InviteCard invite={invited} onMade={setMade} />}
            </section>
          )}
          <section>
            <RoleTable />
          </section>
        </div>
        {asked.value && <HandOverDialog key={asked.value.member.id} about={asked.value} />}
        {chosen && <MemberPanel key={chosen.id} member={chosen} onClose={() => void setQuery({ member: null })} />}
      </div>
    </SettingsFrame>
  )
}
