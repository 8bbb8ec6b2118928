import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { texts as inboxTexts } from '../inbox/texts.ts'
import { texts } from './texts.ts'
import type { Hit } from './wire.ts'

/** The last mails that a rule fits, and why it would not have answered one. */
export function Hits({ hits, looked, isOpen = false }: { hits: readonly Hit[]; looked: number; isOpen?: boolean }) {
  const words = texts()
  if (hits.length === 0) return <p class="small mute">{words.fitsNone(looked)}</p>
  return (
    <details open={isOpen}>
      <summary class="small mute">{words.fits(hits.length, looked)}</summary>
      <ul>
        {hits.map((hit) => (
          <li key={hit.message_id} class="row small">
            <a class="link cut grow" href={`/inbox?c=${hit.conversation_id}`}>
              {hit.subject || inboxTexts().noSubject}
            </a>
            <span class="mute cut">
              {[hit.from, hit.silence && words.silences[hit.silence]].filter(Boolean).join(' · ')}
            </span>
            <time class="mute" dateTime={hit.at}>
              {format.value.when(hit.at, now.value)}
            </time>
          </li>
        ))}
      </ul>
    </details>
  )
}
