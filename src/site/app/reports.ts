import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { PARAMETERS } from '../../reports/question.ts'
import { REPORT_NAMES, reportStore } from '../../reports/reports.ts'

const text = (description: string, maxLength = 300) => ({ schema: { type: 'string' as const, maxLength }, description })

const parameters = {
  ...PARAMETERS,
  as_of: text(
    'The time as of which it is; now. Nothing that happened since is left out: it is for days and running times.',
  ),
}

/** Figures over many records, and the lists behind them: docs/decisions/083-reports.md. */
export const reportRoutes = (deps: Deps): Route<Need>[] => {
  const { report, behind } = reportStore(deps)
  const common = { method: 'get', role: 'viewer', name: 'report' } as const
  return [
    {
      ...common,
      kind: 'data',
      path: '/reports/:name',
      summary: 'Get a report',
      description: `One of ${REPORT_NAMES.join(', ')}. Months are those of the time zone of the organisation.`,
      parameters,
      read: ({ org }, [name = ''], query) => ({ json: JSON.stringify(report(org, name, query)) }),
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
      read: ({ org }, [name = ''], query) => {
        const list = behind(org, name, query)
        return { json: JSON.stringify(list), next: list.next_cursor }
      },
    },
  ]
}
