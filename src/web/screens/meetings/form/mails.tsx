import { useEffect, useState } from 'preact/hooks'
import { Check } from '../../../components/check.tsx'
import { Icon } from '../../../components/icon.tsx'
import { sayWhy } from '../../../components/say-why.ts'
import { ApiProblem } from '../../../data/api.ts'
import { client } from '../../../data/current.ts'
import type { Fields } from '../../../data/types.ts'
import { format } from '../../../lib/locale.ts'
import { texts } from '../texts.ts'

/** Who would get which mail, as /app/meetings/mails has it. */
export type Mails = {
  mails: { kind: 'invitation' | 'update' | 'cancellation' | 'removal' | 'answer'; to: Person[] }[]
  is_sent: boolean
  is_theirs: boolean
}
type Person = { name: string | null; email: string }
type Known = { mails: Mails | undefined; error: unknown }

const PAUSE_MS = 200

/** Asks again whenever what would be saved changes; `given` is null for a deletion and undefined while it cannot be saved. */
export function useMails(id: string | null, given: Fields | null | undefined): Known {
  const [known, setKnown] = useState<Known>({ mails: undefined, error: undefined })
  const key = JSON.stringify(given)
  useEffect(() => {
    if (given === undefined) return setKnown({ mails: undefined, error: undefined })
    let isStopped = false
    const timer = setTimeout(async () => {
      const next = await client()
        .api.request<Mails>('POST', '/app/meetings/mails', { body: { id, given } })
        .then(({ body }): Known => ({ mails: body, error: undefined }))
        .catch((error: unknown): Known => ({ mails: undefined, error }))
      if (!isStopped) setKnown(next)
    }, PAUSE_MS)
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [id, key])
  return known
}

export const countOf = (mails: Mails | undefined): number =>
  (mails?.mails ?? []).reduce((sum, { to }) => sum + to.length, 0)

/** What is wrong with a meeting in words of its own, where those that all forms share do not say enough. */
export function whyNot(error: unknown): string {
  const [first] = error instanceof ApiProblem ? error.errors : []
  const own = texts().refusals as Readonly<Record<string, string>>
  return (first && own[first.code]) ?? sayWhy(error)
}

type TellProps = {
  known: Known
  isTold: boolean
  onTold: (isTold: boolean) => void
  /** The meeting is there already: others may have it in their calendars. */
  isThere: boolean
}

/** Whether the participants are told, and who of them would get which mail. */
export function WhoIsTold({ known: { mails, error }, isTold, onTold, isThere }: TellProps) {
  const words = texts()
  return (
    <section class="who-is-told stack boxed" aria-label={words.whoIsTold}>
      <Check checked={isTold} onChange={onTold}>
        {words.tell}
      </Check>
      <div role="status">
        {error !== undefined && (
          <p class="help late">
            <Icon name="alert" small />
            {whyNot(error)}
          </p>
        )}
        {isTold && mails?.mails.length === 0 && <p class="small mute">{words.noMails}</p>}
        {isTold && mails && mails.mails.length > 0 && (
          <ul>
            {mails.mails.map(({ kind, to }) => (
              <li key={kind} class="small">
                <Icon name="mail" small /> <b>{words.mails[kind](to.length)}</b>{' '}
                <span dir="auto">
                  {format.value.list(to.map(({ name, email }) => (name ? `${name} (${email})` : email)))}
                </span>
              </li>
            ))}
          </ul>
        )}
        {!isTold && <p class="small mute">{isThere && mails?.is_sent ? words.theyKeep : words.nobodyTold}</p>}
      </div>
    </section>
  )
}
