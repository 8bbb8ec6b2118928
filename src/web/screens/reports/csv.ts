import type { Report, ReportList, ToldPart } from '../../../site/reports/reports.ts'
import { sayFailed } from '../../components/say-failed.ts'
import { showToast } from '../../components/toast.tsx'
import { memberName } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { csvCell, downloadCsv } from '../../lib/csv.ts'
import { fromMicros } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import { figureText, shownAmount, wholeOf } from './figures.tsx'
import { barName, type Column, columnsOf, measureIn, partTexts, type ReportName } from './kinds.ts'
import { texts } from './texts.ts'

/** More rows are not put into one file: it says how many are missing. */
const MOST = 20_000
const AT_ONCE = 100

const line = (cells: readonly string[]): string => cells.map(csvCell).join(',')

/** What is on the screen, part after part: each currency has columns of its own, and amounts are numbers with a point. */
export function reportCsv(report: Report): void {
  const lines = report.parts.flatMap((part, at) => [...(at === 0 ? [] : ['']), ...partLines(report, part)])
  downloadCsv([report.name, report.from, report.to].filter(Boolean).join(' '), lines)
}

function partLines(report: Report, part: ToldPart): string[] {
  const columns = columnsOf(report, part)
  const { first } = partTexts(report, part)
  const currencies = [...new Set(part.bars.flatMap(({ all }) => all.sums.map(({ currency }) => currency)))]
  const isAmount = ({ what }: Column): boolean => what === 'sums' || what === 'weighted'
  const heads = columns.flatMap((column) =>
    isAmount(column) ? currencies.map((currency) => `${column.head} ${currency ?? ''}`.trim()) : [column.head],
  )
  const rows = part.id === 'stages' ? part.bars : [...part.bars, wholeOf(part)]
  return [
    line([first, ...heads]),
    ...rows.map((told, at) => {
      const isWhole = at === part.bars.length
      const cells = columns.flatMap((column) => {
        const measure = measureIn(told, column.series)
        if (column.what === 'count') return [String(measure.count)]
        if (!isAmount(column)) return [figureText(column, told, part.bars[at - 1], part.bars[0])]
        return currencies.map((currency) => {
          const sum = measure.sums.find((each) => each.currency === currency)
          return sum ? shownAmount(sum, column.what === 'weighted') : '0'
        })
      })
      return line([isWhole ? texts().sum : barName(report, part, told), ...cells])
    }),
  ]
}

type ListOf = { report: Report; part: ToldPart; name: string; path: (cursor: string | null, limit: number) => string }

/** The list behind a bar, whole. */
export async function listCsv({ report, part, name, path }: ListOf): Promise<void> {
  const words = texts().behind
  const isTimes = part.id === 'times'
  const when = words.at[isTimes ? 'times' : (report.name as ReportName)]
  const lines = [
    line([words.deal, words.owner, when, ...(isTimes ? [words.time] : [texts().currency, words.amount, words.chance])]),
  ]
  try {
    let cursor: string | null = null
    let total = 0
    do {
      const page: ReportList = await client().api.get<ReportList>(path(cursor, AT_ONCE))
      total = page.measure.count
      for (const { title, owner_id, at, currency, amount_micros, chance, ms } of page.data) {
        const values = isTimes
          ? [ms === null ? words.unknown : format.peek().duration(ms)]
          : [
              currency ?? '',
              amount_micros === null ? '' : fromMicros(BigInt(amount_micros)),
              chance === null ? '' : String(chance),
            ]
        lines.push(
          line([
            title,
            owner_id === null ? '' : (memberName(owner_id) ?? ''),
            at === null ? '' : new Date(at).toISOString(),
            ...values,
          ]),
        )
      }
      cursor = page.next_cursor
    } while (cursor !== null && lines.length <= MOST)
    const rows = lines.length - 1
    const left = cursor === null ? undefined : words.left(format.peek().number(total - rows))
    if (left) lines.push(line([left]))
    downloadCsv(name, lines)
    showToast({ text: left ?? words.exported(format.peek().number(rows)), icon: 'save' })
  } catch (error) {
    sayFailed(texts().failed, error)
  }
}
