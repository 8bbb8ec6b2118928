import type { Deps } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import type { RecordQuery } from '../../http/route.ts'
import { notFound } from '../../lib/problem.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import type { Position } from '../../store/list/query.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { type Bar, type Bars, type Chosen, type Cut, cutReader, type Item } from './cut.ts'
import { forecast, forecastMonths, LATER, NO_DATE, PASSED } from './kinds/forecast.ts'
import { funnel, visits } from './kinds/funnel.ts'
import { sources } from './kinds/sources.ts'
import { wonLostParts } from './kinds/won-lost.ts'
import type { Measure } from './measure.ts'
import { type Question, questionOf } from './question.ts'

// The list of reports: what each is cut into. What is counted, and how, stands in kinds/.

/** A part of a report: its bars, with the words for those that no screen knows by itself. */
type Part = Bars & { id: string; cut: Cut; labels?: ReadonlyMap<string, string> }

type Names = { id: string; name: string }[]

/** What the parts need of the settings of an organisation. */
type Setting = { reasons: Names; stages: (Names[number] & { pipeline_id: string })[] }

const OUTCOMES = ['won', 'lost']
const STATES = ['open', 'won', 'lost']

/** Reports of one pipeline: the default one, unless another is asked for. */
const OF_PIPELINE: readonly string[] = ['funnel']
/** Reports of now, which have no months of their own. */
const OF_NOW: readonly string[] = ['forecast']

const labelsOf = (all: Names): Map<string, string> => new Map(all.map(({ id, name }) => [id, name]))

const REPORTS: Record<string, (question: Question, setting: Setting) => Part[]> = {
  'won-lost': (question, { reasons }) => [
    { id: 'months', names: question.months, series: OUTCOMES, cut: wonLostParts.months(question) },
    {
      ...{ id: 'reasons', names: reasons.map(({ id }) => id), series: OUTCOMES },
      ...{ cut: wonLostParts.reasons(question), labels: labelsOf(reasons) },
    },
    { id: 'owners', names: [], hasOthers: true, series: OUTCOMES, cut: wonLostParts.owners(question) },
  ],
  forecast: (question) => [
    {
      id: 'months',
      names: [PASSED, ...forecastMonths(question), LATER, NO_DATE],
      series: ['committed', 'possible'],
      cut: forecast(question),
    },
  ],
  funnel: (question, { stages }) => {
    const own = stages.filter(({ pipeline_id }) => pipeline_id === question.pipeline)
    const ids = own.map(({ id }) => id)
    return [
      {
        ...{ id: 'stages', names: [...own, null].map((_, at) => String(at + 1)), series: STATES },
        labels: new Map(own.map(({ name }, at) => [String(at + 1), name])),
        cut: funnel(question, ids),
      },
      {
        ...{ id: 'times', names: ids, series: ['finished', 'running', 'unknown'] },
        ...{ labels: labelsOf(own), cut: visits(question, ids) },
      },
    ]
  },
  sources: (question) => [{ id: 'sources', names: [], hasOthers: true, series: STATES, cut: sources(question) }],
}

export const REPORT_NAMES = Object.keys(REPORTS)

/** A bar as it is told. `is_running`: its month is not over. */
export type ToldBar = Bar & { label?: string; is_running?: true }
/** `total` has all bars together. */
export type ToldPart = { id: string; series: readonly string[]; total: Omit<Bar, 'bar'>; bars: ToldBar[] }
export type Report = {
  name: string
  /** Of the organisation: in it months and days begin. */
  timezone: string
  /** Give it back when asking for a list: days and running times are as of then. */
  as_of: string
  /** The months; null where a report is of now. */
  from: string | null
  to: string | null
  pipeline: { id: string; name: string } | null
  parts: ToldPart[]
}
export type ReportList = { measure: Measure; data: Item[]; next_cursor: string | null }

/** What a list of so many items after a position is asked with. */
export type Asked = Pick<RecordQuery, 'given' | 'limit' | 'after'>
/** `next` is the position at which it goes on. */
export type Behind = { measure: Measure; data: Item[]; next: Position | undefined }

/** The reports of organisations. All throw Problem 400 and 404. */
export function reportsOf({ db, clock }: { db: Database; clock: Pick<Deps['clock'], 'now'> }) {
  const { cutUp, chosenOf, measure, list } = cutReader(db)
  const zoneOf = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()
  const reasons = db.prepare('SELECT id, name FROM close_reasons WHERE org_id = ? ORDER BY outcome DESC, position, id')
  const stages = db.prepare(
    'SELECT id, name, pipeline_id FROM stages WHERE org_id = ? AND is_open = 1 ORDER BY pipeline_id, position',
  )
  const pipelines = db.prepare('SELECT id, name FROM pipelines WHERE org_id = ? ORDER BY is_default DESC, position')

  function ask(org: number, name: string, given: ReadonlyMap<string, string>) {
    const partsOf = Object.hasOwn(REPORTS, name) ? REPORTS[name] : undefined
    if (!partsOf) throw notFound()
    const asOf = given.get('as_of')
    const now = asOf === undefined ? clock.now() : parseTime(asOf)
    if (now === undefined || now > clock.now())
      throw badQuery('"as_of" must be a time that has passed, such as 2026-11-30T10:06:00.000Z.')
    const asked = questionOf(org, zoneOf.get(org) as string, now, given)
    const all = pipelines.all(org) as Names
    const pipeline = all.find(({ id }) => id === asked.pipeline) ?? (OF_PIPELINE.includes(name) ? all[0] : undefined)
    if (asked.pipeline && pipeline?.id !== asked.pipeline) throw badQuery('There is no pipeline with this id.')
    const question = { ...asked, pipeline: pipeline?.id }
    const setting = { reasons: reasons.all(org) as Names, stages: stages.all(org) as Setting['stages'] }
    return { question, pipeline: pipeline ?? null, parts: partsOf(question, setting) }
  }

  function report(org: number, name: string, { given }: Pick<Asked, 'given'>): Report {
    const { question, pipeline, parts } = ask(org, name, given)
    const { months, timezone, today, now } = question
    const isOfNow = OF_NOW.includes(name)
    const running = today.slice(0, 7)
    return {
      ...{ name, timezone, as_of: rfc3339(now), pipeline },
      from: isOfNow ? null : (months[0] as string),
      to: isOfNow ? null : (months.at(-1) as string),
      parts: parts.map(({ id, cut, labels, ...wanted }) => {
        const { total, bars } = cutUp(cut, wanted)
        const told = bars.map((each): ToldBar => {
          const label = labels?.get(each.bar)
          return {
            ...each,
            ...(label === undefined ? {} : { label }),
            ...(each.bar === running ? { is_running: true } : {}),
          }
        })
        return { id, series: wanted.series, total, bars: told }
      }),
    }
  }

  /** What is behind a bar: the parameters `part`, `bar` and `series`. */
  function behind(org: number, name: string, { given, limit, after }: Asked): Behind {
    const { parts } = ask(org, name, given)
    const part = parts.find(({ id }) => id === given.get('part'))
    if (!part) throw badQuery(`"part" must be one of ${parts.map(({ id }) => id).join(', ')}.`)
    const series = given.get('series')
    if (series !== undefined && !part.series.includes(series))
      throw badQuery(`"series" must be one of ${part.series.join(', ')}.`)
    const chosen: Chosen = chosenOf(part.cut, part, { bar: given.get('bar'), series })
    const { items, next } = list(part.cut, chosen, limit, after)
    return { measure: measure(part.cut, chosen), data: items, next }
  }

  return { report, behind }
}
