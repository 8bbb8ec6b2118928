import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { MenuButton } from '../../../components/menu.tsx'
import type { RowProps } from '../../../components/windowed.tsx'
import { mayWrite } from '../../../data/may.ts'
import { mayWriteTranscripts } from '../state.ts'
import { texts } from '../texts.ts'
import { clockOf } from './clock.ts'
import { change } from './data.ts'
import { nameOfSpeaker } from './quote.ts'
import { playAt } from './recording.ts'
import type { Mark } from './search.ts'
import { given, shadeOf } from './speakers.ts'
import type { Segment, Transcript } from './types.ts'

export type Acts = { note: () => void; task: () => void; link: () => void }

type SegmentRowProps = {
  meeting: string
  transcript: Transcript
  segment: Segment
  row: RowProps
  /** Somebody else spoke before. */
  isNew: boolean
  isHere: boolean
  marks: readonly Mark[]
  /** Of these, the one that one stands on. */
  nowMarks: readonly Mark[]
  recording: string | null
  onEnter: () => void
  acts: Acts
}

/** What was said in one go: its time, who said it, and, where one stands, what can be made of it. */
export function SegmentRow(props: SegmentRowProps) {
  const { transcript, segment, row, isNew, isHere, marks, nowMarks, onEnter } = props
  const name = nameOfSpeaker(transcript, segment.speaker)
  return (
    // biome-ignore lint/a11y/useSemanticElements: windowed rows are placed by themselves, so they are no li of one ul
    // biome-ignore lint/a11y/useKeyWithClickEvents: the time in it is the button
    <div
      {...row}
      role="listitem"
      class={isHere ? 'segment is-at' : 'segment'}
      data-segment={segment.index}
      aria-current={isHere || undefined}
      onClick={onEnter}
    >
      <button
        type="button"
        class="num time"
        tabIndex={isHere ? 0 : -1}
        aria-label={[clockOf(segment.start_ms), name].filter(Boolean).join(' ')}
        onFocus={onEnter}
      >
        {clockOf(segment.start_ms)}
      </button>
      <div class="said">
        {isNew && (
          <p class={`row who ${shadeOf(transcript.speakers, segment.speaker)}`}>
            <i class="dot" />
            <b dir="auto">{name ?? texts().unknown}</b>
          </p>
        )}
        <p class="words" dir="auto">
          <Marked text={segment.text} marks={marks} now={nowMarks} />
        </p>
        {isHere && <SegmentActs {...props} />}
      </div>
    </div>
  )
}

/** Pressing these leaves the text chosen that they are about. */
const keepChoice = (event: MouseEvent): void => event.preventDefault()

function SegmentActs({ meeting, transcript, segment, recording, acts }: SegmentRowProps) {
  const words = texts()
  const time = clockOf(segment.start_ms)
  const { speakers } = transcript
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border of its own
    <div class="row acts" role="group" aria-label={time} onMouseDown={keepChoice}>
      {mayWrite('notes') && (
        <Button icon="note" onClick={acts.note}>
          {words.quote}
        </Button>
      )}
      {mayWrite('tasks') && (
        <Button icon="task" onClick={acts.task}>
          {words.makeTask}
        </Button>
      )}
      <Button plain icon="link" onClick={acts.link}>
        {words.linkTo(time)}
      </Button>
      {recording && (
        <a class="row" href={playAt(recording, segment.start_ms)} target="_blank" rel="noreferrer">
          <Icon name="to" small /> {words.playAt(time)}
        </a>
      )}
      {mayWriteTranscripts() && speakers.length > 1 && (
        <MenuButton
          plain
          icon="person"
          menuLabel={words.saidBy}
          groups={() => [
            {
              items: speakers.slice(0, 50).map((each) => ({
                label: each.name ?? each.key,
                checked: each.key === segment.speaker,
                onPick: () =>
                  change(meeting, words.isSaidBy(time, each.name ?? each.key), (before) =>
                    given(before, segment.index, each.key),
                  ),
              })),
            },
          ]}
        >
          {words.saidBy}
        </MenuButton>
      )}
    </div>
  )
}

function Marked({ text, marks, now }: { text: string; marks: readonly Mark[]; now: readonly Mark[] }) {
  if (marks.length === 0) return <>{text}</>
  const parts: preact.ComponentChildren[] = []
  let done = 0
  marks.forEach((mark, index) => {
    parts.push(text.slice(done, mark.from))
    parts.push(
      <mark key={index} class={now.includes(mark) ? 'now' : undefined}>
        {text.slice(mark.from, mark.to)}
      </mark>,
    )
    done = mark.to
  })
  return (
    <>
      {parts}
      {text.slice(done)}
    </>
  )
}
