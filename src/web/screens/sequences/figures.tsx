import { Segmented } from '../../components/segmented.tsx'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { query, setQuery } from '../../lib/router.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { type Interval, percent, performancePath } from './sequences.tsx'
import { texts } from './texts.ts'
import type { Performance } from './wire.ts'

const INTERVALS = ['day', 'week', 'month'] as const
const HEIGHT = 120
const GAP = 24

/** The figures of the chosen range, and how they went. What is not tracked is said, and never shown as 0. */
export function Figures({ id }: { id: string }) {
  const given = query.value.get('by')
  const interval: Interval = INTERVALS.find((each) => each === given) ?? 'week'
  const found = useAsk<Performance>(performancePath(id, interval), ['enrollments']).value
  const words = texts()
  const number = (count: number | null) => (count === null ? words.notTracked : format.value.number(count))
  const share = (rate: number | null) => (rate === null ? '' : ` ${percent(rate)}`)
  const facts = found && [
    [words.enrolled, number(found.summary.enrolled), ''],
    [words.activeNow, number(found.summary.active), ''],
    [words.sentOf, number(found.summary.sent), ''],
    [words.repliedOf, number(found.summary.replied), share(found.summary.reply_rate)],
    [words.meetings, number(found.summary.meetings_booked), ''],
    [words.bounced, number(found.summary.bounced), share(found.summary.bounce_rate)],
  ]
  return (
    <section aria-label={words.chart}>
      <div class="row">
        <h2 class="grow">{words.chart}</h2>
        <Segmented
          label={words.interval}
          value={interval}
          choices={INTERVALS.map((value) => ({ value, label: words.intervals[value] }))}
          onChange={(by) => setQuery({ by })}
        />
      </div>
      {facts && (
        <dl class="seq-facts">
          {facts.map(([name, value, rate]) => (
            <div key={name}>
              <dt class="small mute">{name}</dt>
              <dd>
                {value}
                <small>{rate}</small>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {found && <Chart found={found} />}
      {found && found.steps.length > 0 && <Steps found={found} />}
      <p class="small mute">{words.how}</p>
    </section>
  )
}

/** The figures of each step in the range; those of removed ones stay readable. */
function Steps({ found: { steps } }: { found: Performance }) {
  const words = texts()
  const number = (count: number | null) => (count === null ? '—' : format.value.number(count))
  return (
    <table class="seq-table small">
      <caption class="sr">{words.stepFigures}</caption>
      <thead>
        <tr class="mute">
          {[words.step, words.sentWord, words.repliedWord, words.rate, words.bounced].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map(({ step_id, position, type, is_current, sent, replied, reply_rate, bounced }) => (
          <tr key={step_id}>
            <th scope="row">
              {position + 1} {words.addStep[type]} {!is_current && <span class="mute">({words.removed})</span>}
            </th>
            <td>{number(sent)}</td>
            <td>{number(replied)}</td>
            <td>{reply_rate === null ? '—' : percent(reply_rate)}</td>
            <td>{number(bounced)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Two bars for each day, week or month, with the same numbers as a table for those who do not see them. */
function Chart({ found: { timeline } }: { found: Performance }) {
  const words = texts()
  const most = Math.max(1, ...timeline.map(({ sent, replied }) => Math.max(sent, replied ?? 0)))
  const high = (count: number) => (count / most) * HEIGHT
  const dayOf = (date: string) => format.value.day(`${date}T12:00:00Z`, now.value)
  return (
    <>
      <svg
        class="seq-chart"
        viewBox={`0 0 ${timeline.length * GAP} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {timeline.map(({ from, sent, replied }, at) => (
          <g key={from}>
            <rect class="sent" x={at * GAP + 3} width="9" y={HEIGHT - high(sent)} height={high(sent)} />
            <rect
              class="said"
              x={at * GAP + 13}
              width="8"
              y={HEIGHT - high(replied ?? 0)}
              height={high(replied ?? 0)}
            />
          </g>
        ))}
      </svg>
      <p class="seq-legend row small dim" aria-hidden="true">
        <span class="grow">{dayOf(timeline[0]?.from ?? '')}</span>
        <span class="is-sent">{words.sentWord}</span>
        <span class="is-said">{words.repliedWord}</span>
      </p>
      <table class="sr">
        <caption>{words.chart}</caption>
        <thead>
          <tr>
            <th scope="col">{words.from}</th>
            <th scope="col">{words.sentWord}</th>
            <th scope="col">{words.repliedWord}</th>
          </tr>
        </thead>
        <tbody>
          {timeline.map(({ from, sent, replied }, at) => (
            <tr key={from}>
              <th scope="row">
                {dayOf(from)}
                {at === timeline.length - 1 && ` (${words.soFar})`}
              </th>
              <td>{sent}</td>
              <td>{replied ?? words.notTracked}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
