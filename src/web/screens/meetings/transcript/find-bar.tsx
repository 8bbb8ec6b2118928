import type { RefObject } from 'preact'
import { IconButton } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { MenuButton } from '../../../components/menu.tsx'
import type { Meeting } from '../../../data/types.ts'
import { base } from '../../../lib/base.ts'
import { format } from '../../../lib/locale.ts'
import { setFields } from '../acts.tsx'
import { mayWriteMeetings, mayWriteTranscripts } from '../state.ts'
import { texts } from '../texts.ts'
import { pathOf } from './data.ts'
import { removeTranscript } from './files.ts'
import { canShift, shiftOf, withShift } from './recording.ts'
import type { Transcript } from './types.ts'

type FindBarProps = {
  input: RefObject<HTMLInputElement | null>
  meeting: Meeting
  transcript: Transcript
  q: string
  onQ: (q: string) => void
  /** Which of the hits one stands on, and how many there are. */
  at: number
  count: number
  onStep: (by: number) => void
  speaker: string
  onSpeaker: (speaker: string) => void
  onReplace: () => void
}

/** Search in what was said, whose words are shown, and what can be done with the whole of it. */
export function FindBar({
  input,
  meeting,
  transcript,
  q,
  onQ,
  at,
  count,
  onStep,
  speaker,
  onSpeaker,
  onReplace,
}: FindBarProps) {
  const words = texts()
  const { speakers } = transcript
  return (
    <div class="find-bar row strip">
      <label class="search">
        <Icon name="search" small />
        <input
          ref={input}
          type="search"
          dir="auto"
          aria-label={words.find}
          placeholder={words.find}
          value={q}
          onInput={(event) => onQ(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') {
              event.preventDefault()
              onStep(event.shiftKey ? -1 : 1)
            } else if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        <span class="num small mute nowrap" role="status">
          {q.trim() !== '' &&
            (count === 0 ? words.noHit : words.hitOf(format.value.number(at + 1), format.value.number(count)))}
        </span>
      </label>
      <IconButton
        plain
        icon="up"
        title={words.hitBefore}
        off={count === 0 ? words.noHit : undefined}
        onClick={() => onStep(-1)}
      />
      <IconButton
        plain
        icon="down"
        title={words.nextHit}
        off={count === 0 ? words.noHit : undefined}
        onClick={() => onStep(1)}
      />
      <span class="grow" />
      {meeting.recording_url && <Shift meeting={meeting} address={meeting.recording_url} />}
      <select aria-label={words.speaker} value={speaker} onChange={(event) => onSpeaker(event.currentTarget.value)}>
        <option value="">{words.allSpeakers}</option>
        {speakers.map(({ key, name }) => (
          <option key={key} value={key}>
            {name ?? key}
          </option>
        ))}
      </select>
      <MenuButton
        plain
        class="icon"
        icon="dots"
        aria-label={words.transcriptMenu}
        menuLabel={words.transcriptMenu}
        align="end"
        groups={() => [
          {
            items: [
              { label: words.asVtt, icon: 'file', onPick: () => void save(meeting, 'text/vtt', 'vtt') },
              { label: words.asText, icon: 'file', onPick: () => void save(meeting, 'text/plain', 'txt') },
            ],
          },
          ...(mayWriteTranscripts()
            ? [
                {
                  items: [
                    { label: words.replaceTranscript, icon: 'upload' as const, onPick: onReplace },
                    {
                      label: words.removeTranscript,
                      icon: 'trash' as const,
                      danger: true,
                      onPick: () => void removeTranscript(meeting.id),
                    },
                  ],
                },
              ]
            : []),
        ]}
      />
    </div>
  )
}

/** By how many seconds the recording is behind the clock of the transcript. */
function Shift({ meeting, address }: { meeting: Meeting; address: string }) {
  const words = texts()
  if (!mayWriteMeetings() || !canShift(address)) return null
  return (
    <label class="row small shift" title={words.shiftNote}>
      {words.shift}
      <span class="input">
        <input
          class="bare"
          type="number"
          step={1}
          value={shiftOf(address)}
          onChange={(event) => {
            const next = withShift(address, Number(event.currentTarget.value))
            if (next !== undefined && next !== address) setFields(meeting, { recording_url: next }, words.shifted)
          }}
        />
      </span>
    </label>
  )
}

async function save(meeting: Meeting, type: string, ending: string): Promise<void> {
  const answer = await fetch(base + pathOf(meeting.id), { headers: { Accept: type } })
  if (!answer.ok) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = `${meeting.title.replace(/[^\p{L}\p{N} _-]+/gu, ' ').trim() || 'transcript'}.${ending}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
