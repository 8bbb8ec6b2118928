import type { Report } from '../../../site/reports/reports.ts'
import { Button } from '../../components/button.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { boot } from '../../data/boot.ts'
import { query } from '../../lib/router.ts'
import { Bar } from '../../shell/bar.tsx'
import { useAsk } from '../../shell/pages/ask.ts'
import { Columns } from './chart.tsx'
import { Figures } from './figures.tsx'
import { Filters, filtersInAddress } from './filters.tsx'
import { How } from './how.tsx'
import { NAMES, type ReportName } from './kinds.ts'
import { Lead, usuallyDrawn } from './lead.tsx'
import { texts } from './texts.ts'
import './reports.css'

/** All reports, each with its first figures. */
export function Screen() {
  return (
    <>
      <Bar title={texts().title} />
      <Filters currencies={[]} timezone={boot.value.org.timezone} />
      <div class="rp tiles" data-scroll="reports">
        {NAMES.map((name) => (
          <Tile key={name} name={name} />
        ))}
      </div>
    </>
  )
}

function Tile({ name }: { name: ReportName }) {
  const words = texts()
  const given = filtersInAddress()
  const asked = useAsk<Report>(`/app/reports/${name}?${given}`)
  const report = asked.value
  const part = report?.parts[0]
  const address = `/reports/${name}${given.size > 0 ? `?${given}` : ''}`
  const title = words.reports[name].name
  /** A bar leads to its report, where its list is open. */
  const hrefOf = (bar: string | undefined, series?: string): string => {
    const next = new URLSearchParams(query.value)
    if (part) next.set('part', part.id)
    if (bar !== undefined) next.set('bar', bar)
    if (series !== undefined) next.set('series', series)
    return `/reports/${name}?${next}`
  }
  return (
    <section class="tile" aria-label={title}>
      <h2>
        <a href={address}>{title}</a>
      </h2>
      {asked.error !== undefined && (
        <p role="alert">
          {words.failed}. {sayWhy(asked.error)} <Button onClick={() => void asked.again()}>{words.again}</Button>
        </p>
      )}
      {!report && asked.error === undefined && [0, 1, 2].map((row) => <Grey key={row} row={row} />)}
      {report && part && asked.error === undefined && (
        <>
          <Lead report={report} />
          {part.total.all.count === 0 ? (
            <p class="mute">{words.nothingText}</p>
          ) : part.id === 'months' ? (
            <Columns report={report} part={part} drawn={usuallyDrawn(report)} bar={null} hrefOf={hrefOf} />
          ) : (
            <Figures report={report} part={part} drawn="count" open={null} hrefOf={hrefOf} />
          )}
          <How report={report} part={part} />
        </>
      )}
    </section>
  )
}
