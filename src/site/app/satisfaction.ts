import type * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import { badQuery } from '../../http/query.ts'
import { changeRoute, type Need, type Route } from '../../http/route.ts'
import { beginningOf, dateIn } from '../../lib/calendar/days.ts'
import * as f from '../../lib/fields.ts'
import { type Counts, ratingStore } from '../../mail/satisfaction/ratings.ts'
import { SatisfactionSettings, satisfactionSettings, wordsOf } from '../../mail/satisfaction/settings.ts'
import { LANGUAGES } from '../../mail/satisfaction/words.ts'
import type * as c from '../../store/rows/columns.ts'
import type { RawRow } from '../../store/rows/columns.ts'

const MAX_MONTHS = 24
const USUAL_MONTHS = 12
const MONTH = /^(?:19|2\d)\d\d-(?:0[1-9]|1[0-2])$/

/** `words` are those in the mail: own ones, or of the language. */
const Shown = f.object({
  ...SatisfactionSettings.entries,
  words: f.object({ language: f.oneOf(LANGUAGES), question: f.line(), good: f.line(), not_good: f.line() }),
  version: f.count(),
})
type Shown = v.InferOutput<typeof Shown>

/** The row is JSON already. */
const columns = {
  select: '',
  json: ([json]: RawRow) => json as string,
  present: ([json]: RawRow) => JSON.parse(json as string) as Shown,
} as unknown as c.Columns<never>

/** The answers of one member in one month: `asked` are mails that were sent and asked. */
type Month = Counts & { month: string }

/** Whether customers are asked after a mail that closes, and what they said. */
export const satisfactionRoutes = (deps: Deps): Route<Need>[] => {
  const { show, apply, of } = satisfactionSettings(deps)
  const { counts } = ratingStore(deps)
  const zoneOf = deps.db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()

  const shown = (org: number): Shown => ({
    ...show(org),
    words: wordsOf(of(org)),
    version: of(org).version,
  })
  const find = ({ org }: { org: number }): RawRow => [JSON.stringify(shown(org))]

  function months(org: number, given: ReadonlyMap<string, string>): Month[] {
    const zone = zoneOf.get(org) as string
    const to = given.get('to') ?? dateIn(zone, deps.clock.now()).slice(0, 7)
    const from = given.get('from') ?? plus(to, 1 - USUAL_MONTHS)
    for (const [name, month] of Object.entries({ from, to }))
      if (!MONTH.test(month)) throw badQuery(`"${name}" must be a month, such as 2026-11.`)
    if (to < from || plus(from, MAX_MONTHS) <= to)
      throw badQuery(`"to" must be at most ${MAX_MONTHS - 1} months after "from".`)
    const all: Month[] = []
    for (let month = from; month <= to; month = plus(month, 1)) {
      const [start, end] = [month, plus(month, 1)].map((each) => beginningOf(`${each}-01`, zone)) as [number, number]
      all.push(...counts(org, start, end).map((row) => ({ month, ...row })))
    }
    return all
  }

  const common = { path: '/satisfaction', name: 'satisfaction' } as const
  return [
    {
      ...common,
      kind: 'read',
      method: 'get',
      role: 'viewer',
      summary: 'Get whether the mail that closes asks how the answer was, and how',
      columns,
      returns: Shown,
      find,
      timeDependent: true,
    },
    changeRoute({
      ...common,
      method: 'put',
      role: 'admin',
      summary: 'Set whether the mail that closes asks how the answer was, and how',
      description: 'The same as the section `satisfaction` of the settings document.',
      find,
      columns,
      body: SatisfactionSettings,
      returns: Shown,
      status: 200,
      audit: { action: 'settings.applied', detail: ({ body }) => ({ satisfaction: (body as Shown).is_active }) },
      run: ({ who, body }) => {
        apply(who.org, body)
        return shown(who.org)
      },
    }),
    {
      kind: 'data',
      method: 'get',
      path: '/satisfaction/counts',
      role: 'viewer',
      name: 'satisfaction',
      summary: 'Count what customers answered, by the member who wrote to them and by month',
      description:
        'Months are those in which the mails asked, in the time zone of the organisation. What is in none of them is 0.',
      parameters: {
        from: { schema: { type: 'string' }, description: 'The first month, such as 2026-01; 11 before the last.' },
        to: { schema: { type: 'string' }, description: 'The last month; this one. At most 23 after the first.' },
      },
      read: ({ org }, _ids, { given }) => ({ json: JSON.stringify({ data: months(org, given) }) }),
    },
  ]
}

/** The month so many after another one. */
function plus(month: string, count: number): string {
  const [year, at] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, at - 1 + count, 1)).toISOString().slice(0, 7)
}
