import { Avatar } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import { State } from '../../components/state.tsx'
import type { RowProps } from '../../components/windowed.tsx'
import { nameOf } from '../../data/names.ts'
import type { Meeting } from '../../data/types.ts'
import { lengthOf, timeOf } from './days.ts'
import type { Hit } from './hits.ts'
import { stateOf } from './state.ts'
import { texts } from './texts.ts'
import { clockOf } from './transcript/clock.ts'

const MOST_FACES = 4

type MeetingRowProps = {
  meeting: Meeting
  row: RowProps
  isHere: boolean
  hit: Hit | undefined
  q: string
  onEnter: () => void
}

/** A meeting in one line, or with a second one that says where a search has found something. */
export function MeetingRow({ meeting, row, isHere, hit, q, onEnter }: MeetingRowProps) {
  const isCanceled = meeting.status === 'canceled'
  const { is, text } = stateOf(meeting)
  const place = hit?.start_ms == null ? '' : `#t=${Math.floor(hit.start_ms / 1000)}`
  const search = q === '' ? '' : `?${new URLSearchParams({ q })}`
  return (
    // biome-ignore lint/a11y/useSemanticElements: windowed rows are placed by themselves, so they are no li of one ul
    <div
      {...row}
      role="listitem"
      class={`meeting-row pick${isHere ? ' is-at' : ''}${isCanceled ? ' is-canceled' : ''}`}
      data-id={meeting.id}
      onFocusIn={onEnter}
    >
      <span class="at">
        <span class="num">{timeOf(meeting)}</span>
        <small>{lengthOf(meeting)}</small>
      </span>
      <span class="what">
        <a class="cut mid" dir="auto" href={`/meetings/${meeting.id}${search}${place}`} tabIndex={isHere ? 0 : -1}>
          {meeting.title}
        </a>
        <small class="cut" dir="auto">
          {meeting.company_id ? nameOf('companies', meeting.company_id) : (meeting.location ?? '')}
        </small>
        {hit && (
          <small class="said" dir="auto">
            {hit.start_ms !== null && <Icon name="mic" small />}
            {hit.start_ms !== null && <span class="num">{clockOf(hit.start_ms)} </span>}
            {hit.speaker && `${hit.speaker}: `}“{hit.text}”
          </small>
        )}
      </span>
      <Faces meeting={meeting} />
      <span class="how">
        <State is={is}>{text}</State>
      </span>
      <span class="more small mute">
        {meeting.has_transcript && <Icon name="mic" small title={texts().hasTranscript} />}
        {!meeting.has_transcript && meeting.recording_url && <Icon name="link" small title={texts().hasRecording} />}
      </span>
    </div>
  )
}

function Faces({ meeting: { participants } }: { meeting: Meeting }) {
  const shown = participants.slice(0, MOST_FACES)
  const names = participants.map(({ name, email }) => name ?? email ?? '').join(', ')
  return (
    <span class="faces" title={names}>
      {shown.map(({ member_id, name, email }, at) => (
        <Avatar
          key={at}
          kind={member_id ? 'member' : 'contact'}
          id={member_id ?? undefined}
          name={name ?? email ?? ''}
        />
      ))}
      {participants.length > shown.length && <small>+{participants.length - shown.length}</small>}
      {participants.length > 0 && <span class="sr">{names}</span>}
    </span>
  )
}
