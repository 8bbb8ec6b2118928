import * as v from 'valibot'
import { isAllowed } from '../../auth/scopes.ts'
import { type Deps, once } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import type { Asked, Rendered, Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { amountJson } from '../../lib/money.ts'
import * as c from '../../store/columns.ts'
import { finder } from '../../store/find.ts'
import { type Range, type Sent, type StepOf, sequenceFigures, type Won } from './figures.ts'
import { dayAt, daysBefore, INTERVALS, type Interval, type Span, spansOf } from './intervals.ts'
import { STEP_TYPES } from './sequence.ts'

// How a sequence does. What is counted is in figures.ts.

// 1. The wire form.

const MAX_INTERVALS = 400
const DEFAULT_DAYS = 30

const count = (text: string) => f.doc(f.count(), text)
const tracked = (text: string) => f.doc(f.nullable(f.count()), text)
const rate = (text: string) =>
  f.doc(f.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1))), `${text} From 0 to 1.`)
const day = (text: string) => f.doc(f.date, text)

const DEALS = 'rest.crm.deals.read'
const ofDeals = <Schema extends v.GenericSchema>(schema: Schema, text: string) =>
  f.doc(schema, `${text} Null where the token lacks \`${DEALS}\`.`)

const UNHEARD = 'null where none of its mails went by a mailbox that listens'
const replied = `${UNHEARD}, unless an answer is known anyway`
const bounced = `${UNHEARD}, unless one that came back is known anyway`
const unsubscribed = `null where nobody could: without \`public_base_url\`, and ${UNHEARD.slice(5)}`

const AmountWon = f.object({
  currency: f.nullable(f.currency),
  amount: v.pipe(v.number(), v.minValue(0)),
})

const Summary = f.object({
  enrolled: count('Enrollments that were made in the range.'),
  active: count(
    'Enrollments that were neither completed nor stopped at the end of the range, whenever they were made; also those that are paused, or still to start.',
  ),
  completed: count('Enrollments that came to the end of their steps in the range.'),
  stopped: count('Enrollments that ended before that in the range, also where a step failed.'),
  sent: count('Mails that were sent in the range.'),
  replied: tracked(`Enrollments whose contact first answered in the range; ${replied}.`),
  bounced: tracked(`Mails that came back in the range; ${bounced}.`),
  unsubscribed: tracked(
    `Enrollments whose contact unsubscribed in the range, by one of their mails or while they went on; ${unsubscribed}.`,
  ),
  meetings_booked: count('Enrollments whose contact first booked a meeting in the range.'),
  deals_won: ofDeals(
    v.nullable(f.count()),
    'Deals that enrollments are about and that were won in the range; each counts once.',
  ),
  amount_won: ofDeals(
    v.nullable(v.array(AmountWon)),
    'The amounts of these deals by their currency, in its order; last, with null, those of deals without one. Deals without an amount are left out.',
  ),
  reply_rate: rate(
    'Of the contacts to whom a mail was sent in the range, the share that answered after that, by now; null where none was sent, or answers are not tracked.',
  ),
  bounce_rate: rate(
    'Of the mails that were sent in the range, the share that came back, by now; null where none was sent, or that is not tracked.',
  ),
})

const StepPerformance = f.object({
  step_id: f.id,
  position: f.doc(f.count(), 'Its place among the steps, from 0; of one that is no more, the last that it had.'),
  type: f.oneOf(STEP_TYPES),
  is_current: f.doc(
    f.flag,
    'Whether the sequence has it still. Those that it had are told of where they have figures.',
  ),
  sent: tracked('Its mails that were sent in the range; null where it sends none.'),
  replied: tracked(
    `Enrollments whose contact first answered in the range, after this step and before the next; ${replied}.`,
  ),
  bounced: tracked('Its mails that came back in the range; null where it sends none, or that is not tracked.'),
  reply_rate: rate('Of its mails that were sent in the range, the share after which the first answer came, by now.'),
  bounce_rate: rate('Of its mails that were sent in the range, the share that came back, by now.'),
})

const TimelineEntry = f.object({
  from: day('Its first day; it ends before the next one, the last one with `to`.'),
  enrolled: f.count(),
  sent: f.count(),
  replied: f.nullable(f.count()),
  bounced: f.nullable(f.count()),
  unsubscribed: f.nullable(f.count()),
  meetings_booked: f.count(),
})

const Performance = f.doc(
  f.object({
    sequence_id: f.id,
    from: day('The first day of the range.'),
    to: day('The last day of the range.'),
    interval: f.oneOf(INTERVALS),
    timezone: f.doc(f.timezone, 'That of the organisation, in which days begin.'),
    summary: f.doc(Summary, 'Everything counts when it happened, whenever its enrollment was made.'),
    steps: f.doc(v.array(StepPerformance), 'Those of now in their order, then those of earlier versions.'),
    timeline: f.doc(v.array(TimelineEntry), 'The summary by the intervals in which it happened, without gaps.'),
  }),
  'How a sequence does, in a range of days. What is not tracked is null, never 0.',
)
export type Performance = v.InferOutput<typeof Performance>

// 2. The row: of the sequence, its id is all that is shown.

const columns = c.columns<{ id: string }>({ id: c.plain('id') })

// 3. The rules.

type Question = { from: string; to: string; interval: Interval; spans: Span[] }

export const performanceStore = once((deps: Deps) => {
  const { db, clock } = deps
  const figures = sequenceFigures(deps)
  const find = finder(db, 'sequences', columns)
  const timezoneOf = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()

  /** Throws Problem 400. */
  function show(who: Caller, row: c.RawRow, { given }: Asked): Rendered {
    const { org } = who
    const id = row[0] as string
    const timezone = timezoneOf.get(org) as string
    const { from, to, interval, spans } = questionOf(given, timezone, dayAt(clock.now(), timezone))
    const range = { start: spans[0]!.start, end: spans.at(-1)!.end }
    const steps = figures.stepsOf(org, id)
    const known = figures.tracked(org, id, steps, range.end)
    const byStep = steps.map((step) => stepFigures(org, step, spans, range))
    const timeline = spans.map((span, index) => ({
      from: span.from,
      enrolled: figures.enrolledIn(org, id, span),
      sent: sumOf(byStep.map(({ sent }) => sent[index]!.sent)),
      replied: known.replied ? figures.happenedIn(org, id, 'replied_at', span) : null,
      bounced: known.bounced ? sumOf(byStep.map(({ bounced }) => bounced[index]!)) : null,
      unsubscribed: known.unsubscribed ? figures.happenedIn(org, id, 'unsubscribed_at', span) : null,
      meetings_booked: figures.happenedIn(org, id, 'meeting_booked_at', span),
    }))
    const total = (name: Exclude<keyof (typeof timeline)[number], 'from'>) => sumOf(timeline.map((each) => each[name]!))
    const { completed, finished } = figures.finishedIn(org, id, range)
    const deals = isAllowed(who, DEALS) ? figures.wonIn(org, id, range) : null
    const sent = sentOf(byStep.flatMap((step) => step.sent))
    const { contacts, answered } =
      sent.sent > 0 && known.replied ? figures.answeringOf(org, steps, range) : { contacts: 0, answered: 0 }
    const summary = {
      enrolled: total('enrolled'),
      active: figures.liveAt(org, id, range.end),
      completed,
      stopped: finished - completed,
      sent: sent.sent,
      replied: known.replied ? total('replied') : null,
      bounced: known.bounced ? total('bounced') : null,
      unsubscribed: known.unsubscribed ? total('unsubscribed') : null,
      meetings_booked: total('meetings_booked'),
      deals_won: deals?.length ?? null,
      amount_won: deals && AMOUNTS,
      reply_rate: known.replied ? rateOf(answered, contacts) : null,
      bounce_rate: known.bounced ? rateOf(sent.returned, sent.sent) : null,
    }
    const told = byStep.filter(({ step, isTold }) => step.is_current || isTold)
    const shown = told.map(({ step, sent, repliedTo, bounced }) => {
      const mails = sentOf(sent)
      const isMail = step.type === 'email'
      return {
        step_id: step.id,
        position: step.position,
        type: step.type,
        is_current: step.is_current,
        sent: isMail ? mails.sent : null,
        replied: known.replied ? repliedTo : null,
        bounced: isMail && known.bounced ? sumOf(bounced) : null,
        reply_rate: known.replied ? rateOf(mails.answered, mails.sent) : null,
        bounce_rate: known.bounced ? rateOf(mails.returned, mails.sent) : null,
      }
    })
    const answer = { sequence_id: id, from, to, interval, timezone, summary, steps: shown, timeline }
    return { json: JSON.stringify(answer).replace(`"${AMOUNTS}"`, amountsJson(deals ?? [])) }
  }

  /** By the spans; most steps of earlier versions have nothing in any of them. */
  function stepFigures(org: number, step: StepOf, spans: readonly Span[], range: Range) {
    const wasSent = figures.isSentIn(org, step.id, range)
    const returned = figures.bouncedIn(org, step.id, range)
    const repliedTo = figures.repliedToIn(org, step.id, range)
    return {
      step,
      isTold: wasSent || returned + repliedTo > 0,
      repliedTo,
      sent: spans.map((span) => (wasSent ? figures.sentIn(org, step.id, span) : NONE_SENT)),
      bounced: spans.map((span) => (returned > 0 ? figures.bouncedIn(org, step.id, span) : 0)),
    }
  }

  return { find, show }
})

const NONE_SENT: Sent = { sent: 0, answered: 0, returned: 0 }

/** What is asked for. Throws Problem 400. */
function questionOf(given: Asked['given'], timezone: string, today: string): Question {
  const to = given.get('to') ?? today
  const from = given.get('from') ?? daysBefore(to, DEFAULT_DAYS - 1)
  if (from > to) throw badQuery('The parameter "from" must not be after "to", which is today where it is left out.')
  const interval = (given.get('interval') ?? 'day') as Interval
  const spans = spansOf(from, to, { interval, timezone, most: MAX_INTERVALS })
  if (!spans)
    throw badQuery(`This makes more than ${MAX_INTERVALS} intervals; take longer ones, or "from" and "to" nearer.`)
  return { from, to, interval, spans }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

const rateOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const sentOf = (all: readonly Sent[]): Sent => ({
  sent: sumOf(all.map(({ sent }) => sent)),
  answered: sumOf(all.map(({ answered }) => answered)),
  returned: sumOf(all.map(({ returned }) => returned)),
})

/** Stands in the answer for its amounts, which may have more digits than a number carries. */
const AMOUNTS = 'amounts'

function amountsJson(deals: readonly Won[]): string {
  const sums = new Map<string | null, bigint>()
  for (const { currency, micros } of deals)
    if (micros !== null) sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(micros))
  const sorted = [...sums].sort(([one], [other]) => ((one ?? '~') < (other ?? '~') ? -1 : 1))
  const items = sorted.map(
    ([currency, sum]) => `{"currency":${JSON.stringify(currency)},"amount":${amountJson(`${sum}`)}}`,
  )
  return `[${items.join()}]`
}

// 4. The route.

const dateParameter = (description: string) => ({ schema: { type: 'string', format: 'date' } as const, description })

export const performanceRoute = (deps: Deps): Route => ({
  kind: 'read',
  method: 'get',
  path: '/sequences/:id/performance',
  scope: 'rest.sequences.sequences.read',
  name: 'sequence performance',
  summary: 'Get the performance of a sequence',
  description: `Of the last ${DEFAULT_DAYS} days unless said otherwise. There may be up to ${MAX_INTERVALS} intervals.`,
  columns,
  returns: Performance,
  isDerived: true,
  parameters: {
    from: dateParameter(`The first day of the range; ${DEFAULT_DAYS} days with \`to\` where it is left out.`),
    to: dateParameter('The last day of the range; today where it is left out.'),
    interval: {
      schema: { type: 'string', enum: [...INTERVALS] },
      description: 'What the timeline is cut into: days unless said otherwise. Weeks begin on Monday.',
    },
  },
  ...performanceStore(deps),
})
