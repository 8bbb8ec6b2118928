import { useEffect, useMemo } from 'preact/hooks'
import { Avatar } from '../../components/avatar.tsx'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { State } from '../../components/state.tsx'
import { Windowed } from '../../components/windowed.tsx'
import { memberName } from '../../data/boot.ts'
import { mayWrite } from '../../data/may.ts'
import { nameOf } from '../../data/names.ts'
import { list } from '../../data/pages.ts'
import { patch, record } from '../../data/records.ts'
import type { Enrollment } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { query, setQuery } from '../../lib/router.ts'
import { attempt } from '../../shell/pages/attempt.ts'
import { texts } from './texts.ts'
import type { SequenceShown } from './wire.ts'

const STATES = ['scheduled', 'active', 'paused', 'completed', 'stopped', 'failed'] as const
const MARKS = {
  scheduled: 'hollow',
  active: 'good',
  paused: 'warn',
  completed: '',
  stopped: '',
  failed: 'late',
} as const
const ROW = 40

/** Everybody who is or was in it, newest first: how they stand, why they stopped, and what can be done about it. */
export function People({ sequence }: { sequence: SequenceShown }) {
  const given = query.value.get('who')
  const status = STATES.find((each) => each === given)
  const rows = useMemo(
    () => list('enrollments', { sequence_id: sequence.id, sort: '-created_at', ...(status ? { status } : {}) }),
    [sequence.id, status],
  )
  useEffect(() => {
    void rows.more()
    return rows.dispose
  }, [rows])
  // Whoever is enrolled here is shown at once.
  const fresh = rows.fresh.value
  useEffect(() => {
    if (fresh > 0) rows.showFresh()
  }, [fresh])
  const ids = rows.ids.value
  const words = texts()
  return (
    <section aria-label={words.people}>
      <div class="row">
        <h2 class="grow">{words.people}</h2>
        <select
          class="seq-version"
          aria-label={words.state}
          value={status ?? ''}
          onChange={(event) => setQuery({ who: event.currentTarget.value || null })}
        >
          <option value="">{words.any}</option>
          {STATES.map((each) => (
            <option key={each} value={each}>
              {words.enrollmentStates[each]}
            </option>
          ))}
        </select>
      </div>
      {ids.length === 0 && rows.done.value ? (
        <p class="mute">{words.noPeople}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
        <div class="seq-people" data-scroller tabIndex={0}>
          <Windowed
            keys={ids}
            rowHeight={ROW}
            total={rows.total.value}
            label={words.people}
            onEnd={(last) => {
              if (last >= ids.length - 10 && !rows.done.peek()) void rows.more()
            }}
            render={(index, props) => {
              const id = ids[index] as string
              return (
                // biome-ignore lint/a11y/useSemanticElements: rows of a windowed list are placed by its component
                <div key={id} class="seq-person row strip" role="listitem" {...props}>
                  <Person id={id} sequence={sequence} />
                </div>
              )
            }}
          />
        </div>
      )}
    </section>
  )
}

function Person({ id, sequence }: { id: string; sequence: SequenceShown }) {
  const found = record('enrollments', id).value as Enrollment | null | undefined
  const words = texts()
  if (!found) return null
  const { contact_id, status, stop_reason, current_step, next_step_at, finished_at, updated_at, sender_id } = found
  const name = contact_id === null ? words.gone : (nameOf('contacts', contact_id) ?? '…')
  const reason = stop_reason === null ? '' : `: ${words.reasons[stop_reason]}`
  const sender = sender_id === null ? undefined : memberName(sender_id)
  const set = (next: 'paused' | 'active' | 'stopped', said: string) =>
    void attempt(() => patch('enrollments', id, { status: next }), said)
  const isLive = status === 'scheduled' || status === 'active' || status === 'paused'
  return (
    <>
      {contact_id === null ? (
        <span class="grow cut mute">{name}</span>
      ) : (
        <a class="grow row" href={`/contacts/${contact_id}`}>
          <Avatar kind="contact" name={name} size={24} />
          <span class="cut" dir="auto">
            {name}
          </span>
        </a>
      )}
      <span class="seq-how cut">
        <State is={MARKS[status]}>
          {words.enrollmentStates[status]}
          {reason}
        </State>
      </span>
      <span class="seq-num small dim not-on-phone">
        {words.of(String(current_step), stepsOf(found, sequence) ?? current_step)}
      </span>
      <span class="seq-when small dim not-on-phone">
        {format.value.when(next_step_at ?? finished_at ?? updated_at, now.value)}
      </span>
      {sender !== undefined && sender_id !== null && <Avatar kind="member" id={sender_id} name={sender} alone />}
      {isLive && mayWrite() ? (
        <MenuButton
          plain
          class="icon"
          menuLabel={words.actionsOf(name)}
          title={words.actionsOf(name)}
          aria-label={words.actionsOf(name)}
          align="end"
          groups={() => [
            {
              items: [
                status === 'paused'
                  ? { label: words.resumeOne, onPick: () => set('active', words.goesOn(name)) }
                  : { label: words.pauseOne, onPick: () => set('paused', words.paused(name)) },
                { label: words.stopOne, danger: true, onPick: () => set('stopped', words.stopped(name)) },
              ],
            },
          ]}
        >
          <Icon name="dots" />
        </MenuButton>
      ) : (
        <span class="seq-none" />
      )}
    </>
  )
}

/** Of the version that it follows; undefined if that is an older one. */
const stepsOf = ({ sequence_version }: Enrollment, { current_version, steps }: SequenceShown): number | undefined =>
  sequence_version === current_version ? steps.length : undefined
