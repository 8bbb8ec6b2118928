import type { Need, RecordQuery, Rendered, Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import type { ScreenParts } from '../parts.ts'
import { PARAMETERS } from '../reports/question.ts'
import { reportAsker } from '../reports/report-asker.ts'
import { type Behind, REPORT_NAMES } from '../reports/reports.ts'

const text = (description: string, maxLength = 300) => ({ schema: { type: 'string' as const, maxLength }, description })

const parameters = {
  ...PARAMETERS,
  as_of: text(
    'The time as of which it is; now. Nothing that happened since is left out: it is for days and running times.',
  ),
}

/** Figures over many records, and the lists behind them: docs/decisions/083-reports.md. */
export const reportRoutes = ({ deps, stopping }: Pick<ScreenParts, 'deps' | 'stopping'>): Route<Need>[] => {
  const { db, clock } = deps
  const ask = reportAsker(db, stopping)
  const asking = ({ org }: Caller, name: string, { given }: RecordQuery) => ({
    ...{ org, name, now: clock.now(), given: [...given] },
  })
  const common = { method: 'get', role: 'viewer', name: 'report' } as const
  return [
    {
      ...common,
      kind: 'data',
      path: '/reports/:name',
      summary: 'Get a report',
      description: `One of ${REPORT_NAMES.join(', ')}. Months are those of the time zone of the organisation.`,
      parameters,
      read: async (who, [name = ''], query): Promise<Rendered> => ({
        json: JSON.stringify(await ask(asking(who, name, query))),
      }),
    },
    {
      ...common,
      kind: 'data',
      path: '/reports/:name/list',
      summary: 'List what is behind a bar of a report, with its count and sums',
      parameters: {
        ...parameters,
        part: text('A part of the report; required.'),
        bar: text('One of its bars; all of them if omitted.', 2000),
        series: text('One of its series; all of them if omitted.'),
      },
      paged: true,
      read: async (who, [name = ''], query): Promise<Rendered> => {
        const { limit, after } = query
        const { next, ...list } = (await ask({ ...asking(who, name, query), list: { limit, after } })) as Behind
        const next_cursor = next ? query.cursorAt(next) : null
        return { json: JSON.stringify({ ...list, next_cursor }), next: next_cursor }
      },
    },
  ]
}
