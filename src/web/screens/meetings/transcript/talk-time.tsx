import { format } from '../../../lib/locale.ts'
import { Section } from '../../../record/section.tsx'
import { texts } from '../texts.ts'
import { clockOf } from './clock.ts'
import { entryOf } from './data.ts'
import { SpeakerMenu } from './speaker-menu.tsx'
import { isUnknown, shadeOf } from './speakers.ts'

/** Who spoke how long; who is unknown is asked about here, and two can be made one. */
export function TalkTime({ meeting }: { meeting: string }) {
  const transcript = entryOf(meeting).value.value
  const words = texts()
  if (!transcript || transcript.speakers.length === 0) return null
  const { speakers } = transcript
  const sum = speakers.reduce((all, { talk_ms }) => all + talk_ms, 0)
  const ours = speakers.reduce((all, { talk_ms, member_id }) => all + (member_id ? talk_ms : 0), 0)
  const sorted = [...speakers].sort((one, other) => other.talk_ms - one.talk_ms)
  return (
    <Section title={words.talkTime} count={clockOf(sum)}>
      <ul class="talk">
        {sorted.map((speaker) => (
          <li key={speaker.key} class={shadeOf(speakers, speaker.key)}>
            <span class="row">
              <i class="dot" />
              <span class="cut grow" dir="auto">
                {speaker.contact_id ? (
                  <a href={`/contacts/${speaker.contact_id}`}>{speaker.name ?? speaker.key}</a>
                ) : (
                  (speaker.name ?? speaker.key)
                )}
                {isUnknown(speaker) && <small>{words.unknown}</small>}
              </span>
              <span class="num small">{clockOf(speaker.talk_ms)}</span>
              <SpeakerMenu meeting={meeting} speaker={speaker} speakers={speakers} />
            </span>
            <span class="share" style={{ inlineSize: `${sum > 0 ? (100 * speaker.talk_ms) / sum : 0}%` }} />
          </li>
        ))}
      </ul>
      {sum > 0 && ours > 0 && (
        <p class="small mute">{words.weSpoke(format.value.percent(Math.round((100 * ours) / sum)))}</p>
      )}
    </Section>
  )
}
