import { useEffect, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { client } from '../../data/current.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { signOut } from '../../shell/sign-out.ts'
import { texts as shellTexts } from '../../shell/texts.ts'
import { deviceOf } from './device.ts'
import { texts } from './texts.ts'
import './sessions.css'

export type Session = {
  id: string
  created_at: string
  seen_at: string
  user_agent: string | null
  address: string | null
  is_current: boolean
}

/** Where I am signed in. */
export default function Sessions() {
  const [sessions, setSessions] = useState<Session[] | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const read = () =>
    client()
      .api.get<{ data: Session[] }>('/app/sessions')
      .then(
        ({ data }) => setSessions(data),
        (error) => setFailure(sayWhy(error)),
      )
  useEffect(() => void read(), [])

  async function end(ended: readonly Session[]): Promise<void> {
    try {
      for (const { id } of ended) await client().api.request('DELETE', `/app/sessions/${id}`)
      showToast({ text: texts().ended(ended.length) })
    } catch (error) {
      showToast({ kind: 'error', text: sayWhy(error) })
    }
    await read()
  }

  const others = (sessions ?? []).filter(({ is_current }) => !is_current)
  return (
    <SettingsFrame
      title={shellTexts().places.sessions}
      summary={sessions ? texts().sessionsCount(sessions.length) : undefined}
      actions={others.length > 0 && <Button onClick={() => void end(others)}>{texts().endOthers}</Button>}
    >
      <div class="sheet">
        <section>
          <p class="dim">{texts().sessionsBody}</p>
          {failure !== null && sessions === null && <p role="alert">{failure}</p>}
          <ul class="sessions">
            {sessions?.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                action={session.is_current ? () => void signOut() : () => void end([session])}
              />
            ))}
          </ul>
        </section>
      </div>
    </SettingsFrame>
  )
}

/** One place where somebody is signed in: device, address, when it was last used. */
export function SessionRow({ session, action }: { session: Session; action: (() => void) | undefined }) {
  const { icon, name } = deviceOf(session.user_agent)
  const seen = format.value.when(session.seen_at, now.value)
  return (
    <li class="ss">
      <Icon name={icon} />
      <div class="cut" dir="auto">
        {name ?? texts().unknownDevice} {session.is_current && <span class="mute">{texts().thisOne}</span>}
        <small class="cut" dir="auto">
          {[session.address, seen].filter(Boolean).join(' · ')}
        </small>
      </div>
      {action && (
        <Button plain aria-label={`${texts().signOut}, ${name ?? texts().unknownDevice}`} onClick={action}>
          {texts().signOut}
        </Button>
      )}
    </li>
  )
}
