import { Button } from '../../components/button.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { client } from '../../data/current.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { Section, Sheet } from '../../shell/pages/sheet.tsx'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { signOut } from '../../shell/sign-out.ts'
import { type Session, SessionRow } from './session-row.tsx'
import { texts } from './texts.ts'

/** Where I am signed in. */
export default function Sessions() {
  const asked = useAsk<{ data: Session[] }>('/app/sessions')
  const sessions = asked.value?.data
  const others = (sessions ?? []).filter(({ is_current }) => !is_current)

  async function end(ended: readonly Session[]): Promise<void> {
    await attempt(async () => {
      for (const { id } of ended) await client().api.request('DELETE', `/app/sessions/${id}`)
    }, texts().ended(ended.length))
    await asked.again()
  }

  return (
    <Sheet
      title={settingsTexts().sessions}
      summary={sessions && texts().sessionsCount(sessions.length)}
      actions={others.length > 0 && <Button onClick={() => void end(others)}>{texts().endOthers}</Button>}
    >
      <Section text={texts().sessionsBody}>
        {!sessions && asked.error !== undefined && <p role="alert">{sayWhy(asked.error)}</p>}
        <ul class="sessions">
          {sessions?.map((session) => (
            <SessionRow
              key={session.id}
              session={session}
              action={session.is_current ? () => void signOut() : () => void end([session])}
            />
          ))}
        </ul>
      </Section>
    </Sheet>
  )
}
