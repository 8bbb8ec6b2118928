import { Button, IconButton } from '../../components/button.tsx'
import { boot } from '../../data/boot.ts'
import type { Meeting } from '../../data/types.ts'
import { format, locale } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { setQuery } from '../../lib/router.ts'
import { today } from '../../lib/today.ts'
import { isPhone } from '../../lib/widths.ts'
import { zoned } from '../../lib/zoned.ts'
import { filterOf, state } from './address.ts'
import { addDays, daysBetween, daysOf, startOf, timeOf, wholeDays } from './days.ts'
import { weekOf } from './rows.ts'
import { texts } from './texts.ts'
import { useMeetings } from './use-meetings.ts'
import { type Placed, placed } from './week-places.ts'

const LONGEST_DAYS = 14
/** More are in no week that anybody reads. */
const MOST = 500
const HOUR_PX = 44
const USUAL_HOURS: [number, number] = [8, 18]

/** The meetings of a week, by day and hour of the member's zone; those of whole days stand above, without a time. */
export function WeekView() {
  const { week } = state.value
  const { timezone } = locale.value
  const days = daysBetween(week, addDays(week, 6))
  const at = (day: string) => new Date(startOf(day, timezone)).toISOString()
  const { found, meetings } = useMeetings(
    {
      ...filterOf(state.value),
      sort: 'starts_at',
      'starts_at[gte]': at(addDays(week, -LONGEST_DAYS)),
      // A whole day of another zone may begin later than here.
      'starts_at[lt]': at(addDays(week, 8)),
    },
    { most: MOST },
  )
  const words = texts()
  const blocks = days.map((day) => placed(meetings, day, timezone))
  const [first, last] = hoursOf(blocks.flat())
  const isThis = days.includes(today.value)
  const go = (day: string | null) => void setQuery({ week: day })
  return (
    <section class="week fill" aria-label={words.views.week} aria-busy={!found.done.value}>
      <div class="row strip week-head">
        <IconButton plain icon="left" title={words.weekBefore} onClick={() => go(addDays(week, -7))} />
        <IconButton plain icon="right" title={words.weekAfter} onClick={() => go(addDays(week, 7))} />
        <h2>{words.fromTo(format.value.date(week), format.value.date(addDays(week, 6)))}</h2>
        <span class="grow" />
        <Button
          off={isThis ? words.isThisWeek : undefined}
          onClick={() => go(weekOf(today.peek(), boot.peek().first_weekday))}
        >
          {words.thisWeek}
        </Button>
      </div>
      <div class="scroll week-days" data-scroll="week">
        {days.map((day, index) => (
          <section
            key={day}
            class={day === today.value ? 'week-day is-today' : 'week-day'}
            aria-label={format.value.weekdayAndDay(day, now.value)}
          >
            <h3>{dayName(day)}</h3>
            <div class="whole-days">
              {meetings
                .filter((meeting) => isWholeOn(meeting, day))
                .map((meeting) => (
                  <Block key={meeting.id} meeting={meeting} />
                ))}
            </div>
            <div class="hours" style={isPhone.value ? undefined : { height: `${(last - first) * HOUR_PX}px` }}>
              {day === today.value && <NowLine first={first} last={last} />}
              {(blocks[index] ?? []).map((each) => (
                <Block key={each.meeting.id} meeting={each.meeting} place={each} first={first} />
              ))}
            </div>
          </section>
        ))}
        <ol class="hour-names" aria-hidden="true">
          {Array.from({ length: last - first }, (_, index) => (
            <li key={index} style={{ height: `${HOUR_PX}px` }}>
              {String(first + index)}:00
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

const dayName = (day: string): string =>
  new Intl.DateTimeFormat(format.value.tag, { weekday: 'short', day: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(day),
  )

function isWholeOn(meeting: Meeting, day: string): boolean {
  const [first, last] = daysOf(meeting)
  return wholeDays(meeting) !== undefined && first <= day && day <= last
}

/** The hours of an ordinary day, and as many more as the meetings need. */
function hoursOf(all: readonly Placed[]): [number, number] {
  const [from, to] = USUAL_HOURS
  const first = Math.min(from, ...all.map(({ start }) => Math.floor(start / 60)))
  return [first, Math.max(to, ...all.map(({ end }) => Math.ceil(end / 60)))]
}

function NowLine({ first, last }: { first: number; last: number }) {
  const { hour, minute } = zoned(now.value, locale.value.timezone)
  const at = hour + minute / 60 - first
  return at < 0 || at > last - first ? null : <i class="now-line" style={{ top: `${at * HOUR_PX}px` }} />
}

function Block({ meeting, place, first = 0 }: { meeting: Meeting; place?: Placed; first?: number }) {
  const { id, title, status, starts_at } = meeting
  const isLong = place !== undefined && place.end - place.start >= 45
  const style = place &&
    !isPhone.value && {
      top: `${(place.start / 60 - first) * HOUR_PX}px`,
      height: `${Math.max(20, ((place.end - place.start) / 60) * HOUR_PX - 2)}px`,
      'inset-inline-start': `${(place.lane / place.lanes) * 100}%`,
      width: `calc(${100 / place.lanes}% - 2px)`,
    }
  const isOpen =
    meeting.participants.some(({ response }) => response === 'pending') && Date.parse(starts_at) > now.value
  return (
    <a
      class={['block', place && 'is-placed', status === 'canceled' && 'is-canceled', isOpen && 'is-open']
        .filter(Boolean)
        .join(' ')}
      href={`/meetings/${id}`}
      style={style || undefined}
      title={place ? `${timeOf(meeting)} ${title}` : title}
    >
      {place && <span class={isLong ? 'block-time' : undefined}>{timeOf(meeting)} </span>}
      <span dir="auto">{title}</span>
    </a>
  )
}
