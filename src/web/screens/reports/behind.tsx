import { useEffect, useRef, useState } from 'preact/hooks'
import type { Item } from '../../../site/reports/cut.ts'
import type { Report, ReportList, ToldPart } from '../../../site/reports/reports.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Money } from '../../components/money.tsx'
import { sayWhy } from '../../components/say-why.ts'
import { memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { listCsv } from './csv.ts'
import { Sums } from './figures.tsx'
import { barName, type SeriesName } from './kinds.ts'
import { texts } from './texts.ts'

type BehindProps = {
  report: Report
  part: ToldPart
  bar: string | null
  series: string | null
  asked: URLSearchParams
  onClose: () => void
}

const AT_ONCE = 50

/** The list behind a bar: the same records, with the same count and sums. */
export function Behind({ report, part, bar, series, asked, onClose }: BehindProps) {
  const words = texts()
  const section = useRef<HTMLElement>(null)
  const [list, setList] = useState<ReportList | undefined>(undefined)
  const [error, setError] = useState<unknown>(undefined)
  const [isBusy, setBusy] = useState(false)
  const path = (cursor: string | null, limit = AT_ONCE): string => {
    const of = new URLSearchParams(asked)
    of.set('as_of', report.as_of)
    of.set('part', part.id)
    if (bar !== null) of.set('bar', bar)
    if (series !== null) of.set('series', series)
    of.set('limit', String(limit))
    if (cursor !== null) of.set('cursor', cursor)
    return `/app/reports/${report.name}/list?${of}`
  }
  const key = path(null)

  async function more(): Promise<void> {
    if (isBusy) return
    setBusy(true)
    try {
      const page = await client().api.get<ReportList>(path(list?.next_cursor ?? null))
      setList(list ? { ...page, measure: list.measure, data: [...list.data, ...page.data] } : page)
      setError(undefined)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  useEffect(() => {
    void more().then(() => section.current?.scrollIntoView({ block: 'nearest' }))
  }, [key])

  const told = part.bars.find((each) => each.bar === bar)
  const name = [
    told ? barName(report, part, told) : words.behind.all,
    ...(series ? [words.series[series as SeriesName]] : []),
  ].join(', ')
  const count = list?.measure.count ?? 0
  return (
    <section ref={section} class="rl-behind" aria-label={name} aria-busy={isBusy}>
      <header class="row strip">
        <h2>{name}</h2>
        {list && <span class="mute">{words.deals(count, format.value.number(count))}</span>}
        <span class="grow" />
        {list && count > 0 && (
          <Button plain icon="save" onClick={() => void listCsv({ report, part, name, path })}>
            {words.csvOfList}
          </Button>
        )}
        <Button plain icon="x" title={words.behind.close} onClick={onClose} />
      </header>
      {error !== undefined && (
        <Empty icon="alert" title={words.failed} actions={<Button onClick={() => void more()}>{words.again}</Button>}>
          {sayWhy(error)}
        </Empty>
      )}
      {list && (
        <>
          <Rows report={report} part={part} list={list} name={name} />
          <footer class="row">
            <span class="mute">
              {words.behind.shown(format.value.number(list.data.length), format.value.number(count))}
            </span>
            {list.next_cursor !== null && <Button onClick={() => void more()}>{words.behind.more}</Button>}
          </footer>
        </>
      )}
    </section>
  )
}

function Rows({ report, part, list, name }: { report: Report; part: ToldPart; list: ReportList; name: string }) {
  const words = texts().behind
  const isTimes = part.id === 'times'
  const hasChance = report.name === 'forecast'
  const { measure } = list
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is no group of fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keyboard
    <div class="rt-scroll" role="group" tabIndex={0} aria-label={name}>
      <table class="rt">
        <thead>
          <tr>
            <th scope="col">{words.deal}</th>
            <th scope="col">{words.owner}</th>
            <th scope="col">{words.at[isTimes ? 'times' : (report.name as 'forecast')]}</th>
            {isTimes ? (
              <th scope="col" class="num">
                {words.time}
              </th>
            ) : (
              <th scope="col" class="num">
                {words.amount}
              </th>
            )}
            {hasChance && (
              <th scope="col" class="num">
                {words.chance}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {list.data.map((item, at) => (
            <tr key={at}>
              <th scope="row" dir="auto">
                <a href={`/deals/${item.id}`}>{item.title}</a>
              </th>
              <td>{item.owner_id && <Owner id={item.owner_id} />}</td>
              <td class="nowrap">{item.at !== null && format.value.dayOfMonth(item.at, now.value)}</td>
              {isTimes ? (
                <td class="num">{item.ms === null ? words.unknown : format.value.duration(item.ms)}</td>
              ) : (
                <td class="num">
                  <Money amount={amountOf(item)} currency={item.currency} />
                </td>
              )}
              {hasChance && <td class="num">{item.chance !== null && format.value.percent(item.chance)}</td>}
            </tr>
          ))}
        </tbody>
        {!isTimes && (
          <tfoot>
            <tr>
              <th scope="row">{texts().sum}</th>
              <td />
              <td>
                {measure.unpriced > 0 && (
                  <span class="mute">{texts().unpriced(measure.unpriced, format.value.number(measure.unpriced))}</span>
                )}
              </td>
              <td class="num">
                <Sums measure={measure} />
              </td>
              {hasChance && <td />}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  )
}

function Owner({ id }: { id: string }) {
  const name = memberName(id) ?? ''
  return (
    <span class="row">
      <Avatar kind="member" id={id} name={name} />
      <bdi class="cut">{name}</bdi>
    </span>
  )
}

export const amountOf = ({ amount_micros }: Item): string | null =>
  amount_micros === null ? null : fromMicros(BigInt(amount_micros))
