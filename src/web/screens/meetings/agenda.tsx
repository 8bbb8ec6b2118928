import type { Ref } from 'preact'
import { useImperativeHandle, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Windowed, type WindowedHandle } from '../../components/windowed.tsx'
import type { Query } from '../../data/pages.ts'
import { format, locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { scaled } from '../../lib/scale.ts'
import { today } from '../../lib/today.ts'
import { isPhone } from '../../lib/widths.ts'
import { filterOf, type State, state } from './address.ts'
import { addDays, startOf } from './days.ts'
import { useHits } from './hits.ts'
import { MeetingRow } from './meeting-row.tsx'
import { keyOf, type Row, rowsOf, type Span } from './rows.ts'
import { texts } from './texts.ts'
import { useMeetings } from './use-meetings.ts'

export type AgendaHandle = { step: (by: number) => void }

/** One of whole days may have begun so long ago and still go on. */
const LONGEST_DAYS = 14

type AgendaProps = { onHere: (id: string) => void; ref?: Ref<AgendaHandle> }

/** Meetings by day: those to come from today on, those that are over backwards, and what a search finds in all of them. */
export function Agenda({ onHere, ref }: AgendaProps) {
  const { asked, span } = askedFor(state.value)
  const { found, meetings } = useMeetings(asked)
  const rows = rowsOf(meetings, span)
  const list = useRef<WindowedHandle>(null)
  const [at, setAt] = useState<string | null>(null)
  const keys = rows.map(keyOf)
  const stops = rows.flatMap((row, index) => (row.kind === 'meeting' ? [index] : []))
  const here = Math.max(
    0,
    stops.findIndex((index) => keys[index] === at),
  )
  const { q } = state.value
  const hits = useHits(q, q === '' ? [] : meetings.map(({ id }) => id))

  const enter = (row: Extract<Row, { kind: 'meeting' }>) => {
    setAt(keyOf(row))
    onHere(row.meeting.id)
  }
  const step = (by: number) => {
    const isIn = document.activeElement?.closest('.meeting-row') !== null
    const next = stops[Math.max(0, Math.min(stops.length - 1, isIn ? here + by : here))]
    if (next === undefined) return
    setAt(keys[next] ?? null)
    list.current?.focus(next)
  }
  useImperativeHandle(ref ?? null, () => ({ step }))

  return (
    <section
      class="scroll agenda"
      data-scroller
      data-scroll="meetings"
      aria-label={texts().title}
      onKeyDown={(event) => {
        if (!(event.target as Element).closest('.meeting-row') || event.ctrlKey || event.metaKey || event.altKey) return
        if (event.key === 'ArrowDown') step(1)
        else if (event.key === 'ArrowUp') step(-1)
        else return
        event.preventDefault()
      }}
    >
      {rows.length === 0 && (
        <Nothing isFailed={found.error.value !== undefined} isDone={found.done.value} again={() => void found.more()} />
      )}
      <Windowed
        ref={list}
        keys={keys}
        rowHeight={scaled(isPhone.value ? 64 : 52)}
        measured
        label={texts().title}
        onEnd={(index) => {
          if (index > rows.length - 20) void found.more()
        }}
        render={(index, row) => {
          const each = rows[index]
          if (!each) return null
          if (each.kind === 'day') return <DayHead key={each.day} day={each.day} count={each.count} row={row} />
          return (
            <MeetingRow
              key={keyOf(each)}
              meeting={each.meeting}
              row={row}
              isHere={index === stops[here]}
              hit={hits.get(each.meeting.id)}
              q={q}
              onEnter={() => enter(each)}
            />
          )
        }}
      />
    </section>
  )
}

/** What the server is asked for, and which days of it are shown. */
function askedFor(given: State): { asked: Query; span: Span } {
  const { timezone } = locale.value
  const from = today.value
  const at = (day: string) => new Date(startOf(day, timezone)).toISOString()
  if (given.q !== '') return { asked: { ...filterOf(given), sort: '-starts_at' }, span: { isDescending: true } }
  if (given.view === 'past')
    return {
      // A day of another zone may begin earlier than here.
      asked: { ...filterOf(given), sort: '-starts_at', 'starts_at[lt]': at(addDays(from, 1)) },
      span: { to: addDays(from, -1), isDescending: true },
    }
  return {
    asked: { ...filterOf(given), sort: 'starts_at', 'starts_at[gte]': at(addDays(from, -LONGEST_DAYS)) },
    span: { from },
  }
}

function DayHead({ day, count, row }: { day: string; count: number; row: object }) {
  const away = Math.round((Date.parse(day) - Date.parse(today.value)) / 86_400_000)
  const words = texts()
  const near = { '-1': words.yesterday, 0: words.today, 1: words.tomorrow }[away as 0]
  return (
    // biome-ignore lint/a11y/useSemanticElements: see MeetingRow
    <div {...row} role="listitem" class="day-head">
      <h2>{near ?? format.value.weekdayAndDay(day, now.value)}</h2>
      <span class="n">{near ? format.value.weekdayAndDay(day, now.value) : count}</span>
    </div>
  )
}

function Nothing({ isFailed, isDone, again }: { isFailed: boolean; isDone: boolean; again: () => void }) {
  const words = texts()
  const { q, view } = state.value
  if (isFailed)
    return (
      <Empty
        icon="alert"
        title={words.failed}
        actions={
          <Button first onClick={again}>
            {words.tryAgain}
          </Button>
        }
      />
    )
  if (!isDone) return null
  return <Empty icon="cal" title={q !== '' ? words.noneFound : view === 'past' ? words.nonePast : words.noneUpcoming} />
}
