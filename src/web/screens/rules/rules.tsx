import type { Hit } from '../../../mail/rules/dry-run.ts'
import type { RuleSettings } from '../../../mail/rules/settings.ts'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { texts as settingsTexts } from '../../shell/settings/texts.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { texts as inboxTexts } from '../inbox/texts.ts'
import { texts } from './texts.ts'
import './rules.css'

type Tried = RuleSettings & { hits: Hit[] }

/** The rules as sentences, and what each would have done with the last mails. They are changed in the settings document. */
export default function Rules() {
  const { value, error } = useAsk<{ looked: number; data: Tried[] }>('/app/rules')
  return (
    <SettingsFrame title={settingsTexts().rules} summary={texts().summary}>
      {!value && !error && [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
      {error !== undefined && (
        <Empty icon="alert" title={texts().failed}>
          {sayWhy(error)}
        </Empty>
      )}
      {value?.data.length === 0 && (
        <Empty icon="filter" title={texts().none}>
          {texts().noneBody}
        </Empty>
      )}
      {value && value.data.length > 0 && (
        <div class="sheet rules">
          <p class="mute">{texts().intro}</p>
          <ol>
            {value.data.map((rule) => (
              <RuleView key={rule.key} rule={rule} looked={value.looked} />
            ))}
          </ol>
        </div>
      )}
    </SettingsFrame>
  )
}

function RuleView({ rule, looked }: { rule: Tried; looked: number }) {
  const { name, is_active = true, hits } = rule
  const words = texts()
  const acts = rule.do
  return (
    <li class="card">
      <h2>
        <bdi>{name}</bdi> {!is_active && <span class="small mute">{words.off}</span>}
      </h2>
      <p dir="auto">{words.sentence(whenOf(rule), doesOf(rule))}</p>
      {acts.answer !== undefined && (
        <p class="answer mute" dir="auto">
          {acts.answer}
        </p>
      )}
      {is_active && hits.length === 0 && <p class="small mute">{words.fitsNone(looked)}</p>}
      {hits.length > 0 && (
        <details>
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
      )}
    </li>
  )
}

function whenOf({ when = {} }: Tried): string {
  const { when: words } = texts()
  const parts = [
    when.mailbox && words.mailbox(when.mailbox),
    when.from && words.from(when.from),
    when.subject && words.subject(when.subject),
    when.text && words.text(when.text),
    when.sender && words[when.sender],
  ].filter(Boolean)
  return parts.length === 0 ? words.any : `${words.mail} ${parts.join(', ')}`
}

function doesOf({ do: acts }: Tried): string {
  const { does: words } = texts()
  const nameOf = (email: string) => boot.value.members.find((member) => member.email === email)?.name ?? email
  const parts = [
    acts.assign && words.assign(nameOf(acts.assign)),
    acts.tags && acts.tags.length > 0 && words.tags(format.value.list(acts.tags)),
    acts.priority && words.priority(inboxTexts().priorities[acts.priority]),
    acts.answer !== undefined && words.answer,
    acts.close && words.close,
  ].filter((each) => typeof each === 'string')
  return format.value.list(parts)
}
