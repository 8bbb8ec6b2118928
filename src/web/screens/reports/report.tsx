import { useEffect } from 'preact/hooks'
import type { Report, ToldPart } from '../../../site/reports/reports.ts'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import type { ScreenProps } from '../../lib/router/types.ts'
import { query, setQuery, setTitle } from '../../lib/router.ts'
import { Bar } from '../../shell/bar.tsx'
import { useAsk } from '../../shell/pages/ask.ts'
import { Behind } from './behind.tsx'
import { Columns } from './chart.tsx'
import { reportCsv } from './csv.ts'
import { Figures } from './figures.tsx'
import { Choice, clearFilters, Filters, filtersInAddress } from './filters.tsx'
import { How } from './how.tsx'
import { isReport, partTexts, type ReportName } from './kinds.ts'
import { currenciesOf, Lead, usuallyDrawn } from './lead.tsx'
import { texts } from './texts.ts'
import './reports.css'

/** One report: drawn, as a table, and the list behind the bar that is open. All of it stands in the address. */
export function Screen({ params }: ScreenProps) {
  const name = params.name ?? ''
  if (!isReport(name))
    return (
      <>
        <Bar title={texts().title} crumbs={[{ href: '/reports', label: texts().title }]} />
        <Empty icon="alert" title={texts().noSuch}>
          {texts().noSuchText}
        </Empty>
      </>
    )
  return <Shown key={name} name={name} />
}

function Shown({ name }: { name: ReportName }) {
  const words = texts()
  const given = filtersInAddress()
  const asked = useAsk<Report>(`/app/reports/${name}?${given}`)
  const report = asked.value
  const title = words.reports[name].name
  useEffect(() => setTitle(title), [title])
  const hasFailed = asked.error !== undefined
  return (
    <>
      <Bar
        title={title}
        crumbs={[{ href: '/reports', label: words.title }]}
        actions={
          <>
            <Button plain onClick={() => void asked.again()}>
              {words.again}
            </Button>
            {report && (
              <Button icon="save" onClick={() => reportCsv(report)}>
                {words.csv}
              </Button>
            )}
          </>
        }
      />
      <Filters
        report={name}
        currencies={report ? currenciesOf(report) : []}
        timezone={report?.timezone ?? boot.value.org.timezone}
      />
      <div class="rp" data-scroll="report">
        {hasFailed && (
          <Empty
            icon="alert"
            title={words.failed}
            actions={<Button onClick={() => void asked.again()}>{words.again}</Button>}
          >
            {sayWhy(asked.error)}
          </Empty>
        )}
        {!report && !hasFailed && [0, 1, 2, 3].map((row) => <Grey key={row} row={row} />)}
        {report && !hasFailed && <Parts report={report} given={given} />}
      </div>
    </>
  )
}

function Parts({ report, given }: { report: Report; given: URLSearchParams }) {
  const words = texts()
  const isEmpty = report.parts.every(({ total }) => total.all.count === 0)
  const drawn = query.value.get('drawn') ?? usuallyDrawn(report)
  const currencies = currenciesOf(report)
  return (
    <>
      <div class="row wrap">
        <Lead report={report} />
        <span class="grow" />
        {currencies.length > 0 && report.name !== 'funnel' && (
          <Choice
            label={words.drawn}
            value={drawn}
            choices={[
              ['count', words.byCount],
              ...currencies.map((currency) => [currency, words.inCurrency(currency)] as const),
            ]}
            onChoose={(next) => void setQuery({ drawn: next === usuallyDrawn(report) ? null : next })}
          />
        )}
      </div>
      <p class="small mute">
        {words.counted(format.value.when(report.as_of, now.value), report.timezone)}
        {report.pipeline && ` ${words.pipeline}: ${report.pipeline.name}.`}
      </p>
      {isEmpty ? (
        <Empty
          icon="chart"
          title={words.nothing}
          actions={given.size > 0 && <Button onClick={clearFilters}>{words.clear}</Button>}
        >
          {words.nothingText}
        </Empty>
      ) : (
        report.parts.map((part) => <Part key={part.id} report={report} part={part} drawn={drawn} given={given} />)
      )}
    </>
  )
}

type PartProps = { report: Report; part: ToldPart; drawn: string; given: URLSearchParams }

function Part({ report, part, drawn, given }: PartProps) {
  const isOpen = query.value.get('part') === part.id
  const open = isOpen ? { bar: query.value.get('bar'), series: query.value.get('series') } : null
  /** The address with this bar open. */
  const hrefOf = (bar: string | undefined, series?: string): string => {
    const next = new URLSearchParams(query.value)
    for (const name of ['part', 'bar', 'series']) next.delete(name)
    next.set('part', part.id)
    if (bar !== undefined) next.set('bar', bar)
    if (series !== undefined) next.set('series', series)
    return `/reports/${report.name}?${next}`
  }
  return (
    <section class="rp-part" aria-label={partTexts(report, part).name}>
      <h2>{partTexts(report, part).name}</h2>
      {part.id === 'months' && (
        <Columns report={report} part={part} drawn={drawn} bar={open?.bar ?? null} hrefOf={hrefOf} />
      )}
      <Figures report={report} part={part} drawn={part.id === 'stages' ? 'count' : drawn} open={open} hrefOf={hrefOf} />
      <How report={report} part={part} />
      {open && (
        <Behind
          key={`${open.bar} ${open.series} ${report.as_of}`}
          report={report}
          part={part}
          bar={open.bar}
          series={open.series}
          asked={given}
          onClose={() => void setQuery({ part: null, bar: null, series: null })}
        />
      )}
    </section>
  )
}
