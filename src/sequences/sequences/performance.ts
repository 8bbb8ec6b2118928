import * as v from 'valibot'
import { isAllowed } from '../../auth/scopes.ts'
import { type Deps, once } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import type { RecordQuery, Rendered, Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { amountJson } from '../../lib/money.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { type Range, type Sent, type StepOf, sequenceFigures, type Won } from './figures.ts'
import { dayAt, daysBefore, INTERVALS, type Interval, type Span, spansOf } from './intervals.ts'
import { STEP_TYPES } from './sequence.ts'

// How well a sequence performs. The counts come from figures.ts.

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
  f.doc(schema, `${text} Null if the token lacks \`${DEALS}\`.`)

const UNHEARD = 'null if none of its mails was sent from a mailbox that receives mail'
const replied = `${UNHEARD}, unless a reply is known anyway`
const bounced = `${UNHEARD}, unless a bounce is known anyway`
const unsubscribed = `null if nobody could unsubscribe: without \`public_base_url\`, and ${UNHEARD.slice(5)}`

const AmountWon = f.named(
  'AmountWon',
  f.object({
    currency: f.nullable(f.currency),
    amount: v.pipe(v.number(), v.minValue(0)),
  }),
)

const Summary = f.named(
  'PerformanceSummary',
  f.object({
    enrolled: count('Enrollments created in the range.'),
    active: count(
      'Enrollments that were neither completed nor stopped at the end of the range, including those that are paused or scheduled, whenever they were created.',
    ),
    completed: count('Enrollments completed in the range.'),
    stopped: count('Enrollments that ended early in the range, including failed ones.'),
    sent: count('Emails sent in the range.'),
    replied: tracked(`Enrollments whose contact first replied in the range; ${replied}.`),
    bounced: tracked(`Emails that bounced in the range; ${bounced}.`),
    unsubscribed: tracked(
      `Enrollments whose contact unsubscribed in the range, with one of their emails or while they were running; ${unsubscribed}.`,
    ),
    meetings_booked: count('Enrollments whose contact first booked a meeting in the range.'),
    deals_won: ofDeals(v.nullable(f.count()), 'Deals of enrollments that were won in the range; each counts once.'),
    amount_won: ofDeals(
      v.nullable(v.array(AmountWon)),
      'Total amounts of these deals by currency, in alphabetical order; last, with null, the amount of deals without a currency. Deals without an amount are omitted.',
    ),
    reply_rate: rate(
      'Share of the contacts who were sent an email in the range and have replied since; null if no email was sent, or replies are not tracked.',
    ),
    bounce_rate: rate(
      'Share of the emails sent in the range that have bounced since; null if no email was sent, or bounces are not tracked.',
    ),
  }),
)

const StepPerformance = f.named(
  'StepPerformance',
  f.object({
    step_id: f.id,
    position: f.doc(f.count(), 'Position of the step, starting at 0; for a removed step, its last position.'),
    type: f.oneOf(STEP_TYPES),
    is_current: f.doc(
      f.flag,
      'Whether the sequence still has the step. Removed steps are included if they have figures.',
    ),
    sent: tracked('Emails of this step sent in the range; null if it sends none.'),
    replied: tracked(
      `Enrollments whose contact first replied in the range, after this step and before the next; ${replied}.`,
    ),
    bounced: tracked(
      'Emails of this step that bounced in the range; null if it sends none, or bounces are not tracked.',
    ),
    reply_rate: rate('Share of its emails sent in the range that have received the first reply since.'),
    bounce_rate: rate('Share of its emails sent in the range that have bounced since.'),
  }),
)

const TimelineEntry = f.named(
  'PerformanceInterval',
  f.object({
    from: day('First day of the interval. It ends before the next interval, the last one with `to`.'),
    enrolled: f.count(),
    sent: f.count(),
    replied: f.nullable(f.count()),
    bounced: f.nullable(f.count()),
    unsubscribed: f.nullable(f.count()),
    meetings_booked: f.count(),
  }),
)

const Performance = f.doc(
  f.object({
    sequence_id: f.id,
    from: day('First day of the range.'),
    to: day('Last day of the range.'),
    interval: f.oneOf(INTERVALS),
    timezone: f.doc(f.timezone, 'Time zone of the organisation, in which days start.'),
    summary: f.doc(
      Summary,
      'Figures for the range. Each fact counts at its own time, whenever the enrollment was created.',
    ),
    steps: f.doc(v.array(StepPerformance), 'The current steps in order, then those of earlier versions.'),
    timeline: f.doc(v.array(TimelineEntry), 'The summary by interval, without gaps.'),
  }),
  'Figures of a sequence for a range of days. What is not tracked is null, never 0.',
)
export type Performance = v.InferOutput<typeof Performance>

// 2. The row: only the id of the sequence is shown.

const columns = c.columns<{ id: string }>({ id: c.plain('id') })

// 3. The rules.

type Query = { from: string; to: string; interval: Interval; spans: Span[] }

export const performanceStore = once((deps: Deps) => {
  const { db, clock } = deps
  const figures = sequenceFigures(deps)
  const find = finder(db, 'sequences', columns)
  const timezoneOf = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()

  /** Throws Problem 400. */
  function show(who: Caller, row: c.RawRow, { given }: RecordQuery): Rendered {
    const { org } = who
    const id = row[0] as string
    const timezone = timezoneOf.get(org) as string
    const { from, to, interval, spans } = queryOf(given, timezone, dayAt(clock.now(), timezone))
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

  /** The figures per span. Most steps of earlier versions have none at all. */
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

/** Reads the parameters. Throws Problem 400. */
function queryOf(given: RecordQuery['given'], timezone: string, today: string): Query {
  const to = given.get('to') ?? today
  const from = given.get('from') ?? daysBefore(to, DEFAULT_DAYS - 1)
  if (from > to) throw badQuery('The parameter "from" must not be after "to", which is today by default.')
  const interval = (given.get('interval') ?? 'day') as Interval
  const spans = spansOf(from, to, { interval, timezone, most: MAX_INTERVALS })
  if (!spans)
    throw badQuery(`This results in more than ${MAX_INTERVALS} intervals. Use longer intervals or a shorter range.`)
  return { from, to, interval, spans }
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

const rateOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

const sentOf = (all: readonly Sent[]): Sent => ({
  sent: sumOf(all.map(({ sent }) => sent)),
  answered: sumOf(all.map(({ answered }) => answered)),
  returned: sumOf(all.map(({ returned }) => returned)),
})

/** A placeholder for the amounts, which may have more digits than a JavaScript number can hold. */
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
  description: `For the last ${DEFAULT_DAYS} days by default. There can be up to ${MAX_INTERVALS} intervals.`,
  columns,
  returns: Performance,
  isDerived: true,
  parameters: {
    from: dateParameter(`First day of the range; by default ${DEFAULT_DAYS} days including \`to\`.`),
    to: dateParameter('Last day of the range; today by default.'),
    interval: {
      schema: { type: 'string', enum: [...INTERVALS] },
      description: 'Length of the intervals of the timeline; a day by default. Weeks start on Monday.',
    },
  },
  ...performanceStore(deps),
})
