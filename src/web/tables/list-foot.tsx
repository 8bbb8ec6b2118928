import { useEffect, useState } from 'preact/hooks'
import { Money } from '../components/money.tsx'
import { MoreSums } from '../components/more-sums.tsx'
import { boot } from '../data/boot.ts'
import { record } from '../data/records.ts'
import type { Rec } from '../data/types.ts'
import { type Amount, fromMicros, sumByCurrency } from '../lib/decimal.ts'
import { format } from '../lib/locale.ts'
import { isPrinting } from '../lib/printing.ts'
import type { ListContext } from './list-context.ts'
import { countRows, rowQuery } from './list-query.ts'
import { readValue, type TableColumn } from './table/column.ts'
import type { Rows } from './table/rows.ts'
import { texts as tableTexts } from './table/texts.ts'
import { texts } from './texts.ts'

/** Counts at the left; at the right sums, once every row of them is known. */
export function ListFoot({ list, rows }: { list: ListContext; rows: Rows }) {
  const { kind, asked, askFor, columns, layout, of } = list
  const isNarrowed = list.isNarrowed.value
  const isInList = of !== undefined && asked.value.listId !== undefined
  const everything = rowQuery(askFor({ conditions: isInList ? of.filter.value : [], q: '', sort: null }))
  const [all, setAll] = useState<number | undefined>(undefined)
  const total = rows.total.value
  void rows.revision.value
  useEffect(() => {
    if (!isNarrowed) return
    let isOver = false
    void countRows(kind, everything).then(
      (count) => !isOver && setAll(count),
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [isNarrowed, kind, JSON.stringify(everything)])
  if (total === undefined) return <footer class="tfoot row" />
  const number = (value: number) => format.value.number(value)
  const things = texts()[kind].things
  const summed = columns.value.filter(
    (column) => column.isSummed && layout.value.some(({ key }) => key === column.field.key),
  )
  const isComplete = total > 0 && rows.loaded() === total
  return (
    <footer class="tfoot row">
      <span>
        {isNarrowed && all !== undefined
          ? tableTexts().shown(number(total), number(all), things(all))
          : tableTexts().all(number(total), things(total))}
      </span>
      {!isComplete && total > 0 && <span class="mute">{tableTexts().loadedOf(number(rows.loaded()))}</span>}
      <span class="grow" />
      {isComplete &&
        summed.map((column) => <ColumnSum key={column.field.key} kind={kind} column={column} rows={rows} />)}
    </footer>
  )
}

/** Amounts of different currencies are never added together, and are added exactly: the organisation's leads, the others open. */
function ColumnSum({ kind, column, rows }: { kind: ListContext['kind']; column: TableColumn; rows: Rows }) {
  const values = rows.loadedIds().flatMap((id) => {
    const found = record(kind, id).value as Rec | null | undefined
    return found ? [readValue(column, found)] : []
  })
  const label = tableTexts().sumOf(column.field.label)
  const sums = column.field.type === 'money' ? moneySums(values) : []
  const [first] = sums
  const text = first ? null : numberSum(values)
  if (!first && text === null) return null
  return (
    <>
      <span class="mute">{label}</span>
      <span class="sum">
        {first ? (
          <Money
            amount={fromMicros(first.micros)}
            currency={first.currency}
            decimals={isPrinting.value ? undefined : 'sum'}
          />
        ) : (
          text
        )}
      </span>
      {isPrinting.value &&
        sums
          .slice(1)
          .map(({ currency, micros }) => (
            <span key={currency}>{format.value.money(fromMicros(micros), currency)}</span>
          ))}
      {sums.length > 1 && <MoreSums sums={sums} hidden={sums.length - 1} label={label} />}
    </>
  )
}

const moneySums = (values: readonly unknown[]) =>
  sumByCurrency(values as { amount: Amount | null; currency: string | null }[], boot.value.org.currency)

function numberSum(values: readonly unknown[]): string | null {
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((before, value) => before + value, 0)
  return numbers.length === 0 ? null : format.value.number(Math.round(sum * 100) / 100)
}
