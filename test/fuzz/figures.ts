import type { Request } from './request.ts'
import { TIMEZONE } from './settings.ts'

// What sequences, their figures and enrollments have to be in an answer: what their fields say together.

// biome-ignore lint/suspicious/noExplicitAny: answers are JSON of every shape
type Any = any
type Rule = [what: string, isWrong: (record: Any) => boolean]

const LIVE = ['scheduled', 'active', 'paused']
const FAILURES = ['no_mailbox', 'send_failed', 'error']

export const ENROLLMENT: Rule[] = [
  ['over without finished_at, or the other way', (one) => LIVE.includes(one.status) !== (one.finished_at === null)],
  [
    'a next step of one that stands still, or none of one that goes on',
    (one) => ['scheduled', 'active'].includes(one.status) !== (one.next_step_at !== null),
  ],
  [
    'ended early for no reason, or the other way',
    (one) => ['stopped', 'failed'].includes(one.status) !== (one.stop_reason !== null),
  ],
  ['failed for what stops', (one) => (one.status === 'failed') !== FAILURES.includes(one.stop_reason)],
  ['still to start, and something is done', (one) => one.status === 'scheduled' && one.current_step > 0],
  ['a conversation before a step', (one) => one.current_step === 0 && one.conversation_id !== null],
  ['live without a contact', (one) => LIVE.includes(one.status) && one.contact_id === null],
  ['finished before it was made', (one) => one.finished_at !== null && one.finished_at < one.created_at],
]

const isMail = ({ type }: Any): boolean => type === 'email'

export const SEQUENCE: Rule[] = [
  ['no steps, and yet at work', (one) => one.steps.length === 0 && ['active', 'paused'].includes(one.status)],
  ['steps out of place', (one) => one.steps.some(({ position }: Any, index: number) => position !== index)],
  ['a step twice', (one) => new Set(one.steps.map(({ id }: Any) => id)).size !== one.steps.length],
  ['a mail without a body', (one) => one.steps.some((step: Any) => isMail(step) && step.body === null)],
  ['a first mail without a subject', (one) => one.steps.find(isMail)?.subject === null],
  ['a task without a title', (one) => one.steps.some((step: Any) => isMail(step) !== (step.task_title === null))],
]

const sumOf = (items: Any[], name: string): number => items.reduce((sum, each) => sum + each[name], 0)

/** What the summary has of the timeline, where it is tracked. */
const SUMMED = ['enrolled', 'sent', 'replied', 'bounced', 'unsubscribed', 'meetings_booked']

export const PERFORMANCE: Rule[] = [
  [
    'a summary that is not the sum of its timeline',
    ({ summary, timeline }) =>
      SUMMED.some((name) => summary[name] !== null && sumOf(timeline, name) !== summary[name]) ||
      SUMMED.some((name) => timeline.some((each: Any) => (each[name] === null) !== (summary[name] === null))),
  ],
  [
    'mails that are of no step',
    ({ summary, steps }) =>
      sumOf(steps, 'sent') !== summary.sent ||
      (summary.bounced !== null && sumOf(steps, 'bounced') !== summary.bounced),
  ],
  ['a timeline that does not begin with it', ({ from, timeline }) => timeline[0]?.from !== from],
  [
    'a timeline out of order, or behind its end',
    ({ to, timeline }) =>
      timeline.some((each: Any, at: number) => each.from > to || each.from <= timeline[at - 1]?.from),
  ],
  ['a range the wrong way round', ({ from, to }) => from > to],
  [
    'a step of now behind one of before',
    ({ steps }) => steps.findLastIndex(isNow) > steps.findIndex(isOld) && steps.some(isOld),
  ],
  ['a rate of nothing', ({ summary, steps }) => [summary, ...steps].some(hasRateOfNothing)],
]

const isNow = ({ is_current }: Any): boolean => is_current
const isOld = ({ is_current }: Any): boolean => !is_current
const hasRateOfNothing = ({ sent, reply_rate, bounce_rate }: Any): boolean =>
  !sent && (reply_rate !== null || bounce_rate !== null)

/** Of several that one request makes. */
export const ENROLLED: Rule[] = [
  ...ENROLLMENT.map(([what, isWrong]): Rule => [what, ({ data }) => data.some(isWrong)]),
  [
    'one contact twice',
    ({ data, skipped }) => new Set(contactsOf(data, skipped)).size !== data.length + skipped.length,
  ],
]

const contactsOf = (...lists: Any[][]): string[] => lists.flat().map(({ contact_id }) => contact_id)

/** Everybody who was named is enrolled or skipped, in the order of the request; one alone is answered bare. */
export function enrolledFaults(given: Any, body: Any): string[] {
  if ((given.contact_id === undefined) !== Array.isArray(body.data))
    return ['one is answered as several, or the other way']
  const made: Any[] = body.data ?? [body]
  const said: string[] = []
  if (made.some(({ sequence_id, current_step }) => sequence_id !== given.sequence_id || current_step !== 0))
    said.push('another sequence than was asked for, or behind its first step')
  if (made.some(({ sender_id }) => given.sender_id !== undefined && sender_id !== given.sender_id))
    said.push('another sender than was asked for')
  if (given.contact_id !== undefined && body.contact_id !== given.contact_id) said.push('another contact')
  if (given.contact_ids === undefined) return said
  const places = (list: Any[]): number[] => contactsOf(list).map((id) => given.contact_ids.indexOf(id))
  const [data, skipped] = [places(made), places(body.skipped)]
  const isAll = data.length + skipped.length === given.contact_ids.length && ![...data, ...skipped].includes(-1)
  const isOrdered = [data, skipped].every((all) => all.every((place, at) => at === 0 || place > all[at - 1]!))
  return isAll && isOrdered ? said : [...said, 'others, or in another order, than were asked for']
}

const DAY_MS = 86_400_000
const MAX_INTERVALS = 400

/** Whether figures are asked for of days in the wrong order, or of too many: a schema has no word for it. */
export function isNoRange({ operation, target }: Pick<Request, 'operation' | 'target'>): boolean {
  if (operation?.id !== 'getSequencePerformance') return false
  const query = new URLSearchParams(target.split('?')[1])
  const interval = query.get('interval') ?? 'day'
  const today = Temporal.Now.plainDateISO(TIMEZONE).toString()
  const [given, to] = [query.get('from'), query.get('to') ?? today]
  if (given === null) return false
  const from = Date.parse(given)
  if (given > to) return true
  const days = (Date.parse(to) - from) / DAY_MS + 1
  if (interval === 'day') return days > MAX_INTERVALS
  const parts = (text: string): number => Number(text.slice(0, 4)) * 12 + Number(text.slice(5, 7))
  if (interval === 'month') return parts(to) - parts(given) + 1 > MAX_INTERVALS
  // 1970 began on a Thursday.
  const week = (ms: number): number => Math.floor((ms / DAY_MS + 3) / 7)
  return week(Date.parse(to)) - week(from) + 1 > MAX_INTERVALS
}
