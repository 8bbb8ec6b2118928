import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { IconButton } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { State } from '../../components/state.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { load, record } from '../../data/records.ts'
import type { Meeting } from '../../data/types.ts'
import { whole } from '../../lib/base.ts'
import { locale } from '../../lib/locale.ts'
import type { Place, ScreenProps } from '../../lib/router/types.ts'
import { navigate, setTitle } from '../../lib/router.ts'
import { isPhone } from '../../lib/widths.ts'
import { timeIn } from '../../lib/zoned.ts'
import { Bar } from '../../shell/bar.tsx'
import { visited } from '../../shell/commands/recent.ts'
import { provideTargets, register } from '../../shell/commands/registry.ts'
import { copyText } from '../../shell/copy.ts'
import { Missing } from '../../shell/screen-host.tsx'
import { cancelMeeting, removeMeeting, setFields } from './acts.tsx'
import { Aside } from './aside.tsx'
import { whenOf, wholeDays } from './days.ts'
import { MeetingForm } from './form/meeting-form.tsx'
import { hasBegun, mayWriteMeetings, stateOf } from './state.ts'
import { texts } from './texts.ts'
import { TranscriptPart } from './transcript/part.tsx'
import './meeting.css'

export const prepare = ({ params }: Place): Promise<unknown> => load('meetings', params.id ?? '').catch(() => undefined)

/** One meeting: who comes, what is to be talked about, what was said, and what came of it. */
export default function MeetingScreen({ params: { id = '' } }: ScreenProps) {
  const meeting = record('meetings', id).value as Meeting | null | undefined
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    load('meetings', id).catch(() => setGone(true))
  }, [id])
  if (meeting === null || (isGone && !meeting)) return <Missing />
  if (!meeting) return <Bar title="" crumbs={[{ href: '/meetings', label: texts().title }]} />
  return <Whole key={id} meeting={meeting} />
}

const PARTS = ['transcript', 'facts'] as const

function Whole({ meeting }: { meeting: Meeting }) {
  const words = texts()
  const { id, title, timezone } = meeting
  const [isEditing, setEditing] = useState(false)
  const [part, setPart] = useState<(typeof PARTS)[number]>(meeting.has_transcript ? 'transcript' : 'facts')
  useEffect(() => {
    setTitle(title)
    visited({ kind: 'meetings', id, title })
  }, [id, title])
  const leave = () => void navigate('/meetings')
  const current = () => record('meetings', id).peek() as Meeting
  const copyLink = () => void copyText(whole(`/meetings/${id}`), words.linkCopied)
  useLayoutEffect(() => {
    const free = () => mayWriteMeetings()
    return register([
      {
        id: 'meeting.edit',
        title: () => texts().edit,
        group: 'record',
        keys: 'e',
        icon: 'pen',
        when: free,
        run: () => setEditing(true),
      },
      { id: 'meeting.copy', title: () => texts().copyLink, group: 'record', icon: 'link', run: copyLink },
      {
        id: 'meeting.cancel',
        title: () => texts().cancelMeeting,
        group: 'record',
        icon: 'x',
        when: () => free() && current().status !== 'canceled',
        run: () => cancelMeeting(current()),
      },
      {
        id: 'meeting.delete',
        title: () => texts().remove,
        group: 'record',
        keys: 'Backspace',
        icon: 'trash',
        isDanger: true,
        when: free,
        run: () => removeMeeting(current(), leave),
      },
    ])
  }, [id])
  useLayoutEffect(() => provideTargets(() => ({ kind: 'meetings', ids: [id] })), [id])
  const { is, text } = stateOf(meeting)
  const isElsewhere = timezone !== null && timezone !== locale.value.timezone && !wholeDays(meeting)
  return (
    <>
      <Bar
        title={title}
        crumbs={[{ href: '/meetings', label: words.title }]}
        actions={
          <>
            <IconButton plain icon="link" title={words.copyLink} onClick={copyLink} />
            {mayWriteMeetings() && <More meeting={meeting} onEdit={() => setEditing(true)} leave={leave} />}
          </>
        }
      />
      <div class="meeting-head strip">
        <p class="row facts">
          <span class="row">
            <Icon name="cal" small /> {whenOf(meeting)}
          </span>
          {isElsewhere && timezone && (
            <span class="row">
              <Icon name="globe" small /> {words.there(timeIn(Date.parse(meeting.starts_at), timezone), timezone)}
            </span>
          )}
          <State is={is}>{text}</State>
          {meeting.location && (
            <span class="cut" dir="auto">
              {meeting.location}
            </span>
          )}
          {meeting.conference_url && meeting.status !== 'canceled' && (
            <a href={meeting.conference_url} target="_blank" rel="noreferrer">
              {words.join}
            </a>
          )}
        </p>
        {mayWriteMeetings() && <Outcome meeting={meeting} />}
      </div>
      {isPhone.value && (
        <Tabs
          label={words.parts}
          value={part}
          tabs={PARTS.map((value) => ({ value, label: words.partNames[value] }))}
          panel="meeting-part"
          onChange={setPart}
        />
      )}
      <div class="meeting-page" id="meeting-part" role={isPhone.value ? 'tabpanel' : undefined}>
        {(!isPhone.value || part === 'transcript') && <TranscriptPart meeting={meeting} />}
        {(!isPhone.value || part === 'facts') && <Aside meeting={meeting} onEdit={() => setEditing(true)} />}
      </div>
      {isEditing && (
        <MeetingForm meeting={meeting} onClose={() => setEditing(false)} onSaved={() => setEditing(false)} />
      )}
    </>
  )
}

const OUTCOMES = ['completed', 'no_show'] as const

/** What came of it: from its start on, not before; a cancelled one has none. It can be taken back. */
function Outcome({ meeting }: { meeting: Meeting }) {
  const words = texts()
  const { status } = meeting
  if (status === 'canceled' || !hasBegun(meeting)) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has a border of its own
    <div class="row outcome" role="group" aria-label={words.outcome}>
      {OUTCOMES.map((each) => (
        <button
          key={each}
          type="button"
          class={each === status ? 'btn is-on' : 'btn'}
          aria-pressed={each === status}
          onClick={() =>
            setFields(
              meeting,
              { status: each === status ? 'scheduled' : each },
              each === status ? words.noOutcomeNow : words.outcomeIs(words.states[each]),
            )
          }
        >
          {each === status && <Icon name="check" small />}
          {words.outcomes[each]}
        </button>
      ))}
    </div>
  )
}

function More({ meeting, onEdit, leave }: { meeting: Meeting; onEdit: () => void; leave: () => void }) {
  const words = texts()
  const isCanceled = meeting.status === 'canceled'
  return (
    <MenuButton
      plain
      class="icon"
      icon="dots"
      aria-label={words.more}
      menuLabel={words.more}
      align="end"
      groups={() => [
        { items: [{ label: words.edit, icon: 'pen', keys: 'E', onPick: onEdit }] },
        {
          items: [
            ...(isCanceled
              ? []
              : [{ label: words.cancelMeeting, icon: 'x' as const, onPick: () => void cancelMeeting(meeting) }]),
            {
              label: words.remove,
              icon: 'trash',
              danger: true,
              keys: 'Backspace',
              onPick: () => void removeMeeting(meeting, leave),
            },
          ],
        },
      ]}
    />
  )
}
