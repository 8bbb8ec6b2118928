import { useEffect, useState } from 'preact/hooks'
import { readValue, type TableColumn } from '../../components/table/column.ts'
import type { Rows } from '../../components/table/rows.ts'
import { texts as tableTexts } from '../../components/table/texts.ts'
import { boot } from '../../data/boot.ts'
import { record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { type Amount, fromMicros, sumByCurrency } from '../../lib/decimal.ts'
import { format } from '../../lib/locale.ts'
import type { ListContext } from './list-context.ts'
import { countRows, rowQuery } from './list-query.ts'
import { texts } from './texts.ts'

/** Counts at the left; at the right sums, once every row of them is known. */
export function ListFoot({ list, rows }: { list: ListContext; rows: Rows }) {
  const { kind, address, ask, listId, columns, layout } = list
  const { conditions, q } = address.value.state
  const isNarrowed = conditions.length > 0 || q.trim() !== ''
  const everything = rowQuery({ conditions: ask([]), q: '', sort: null }, listId)
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
  if (total === undefined) return <footer class="tfoot" />
  const number = (value: number) => format.value.number(value)
  const things = texts()[kind].things
  const summed = columns.value.filter(
    (column) => column.isSummed && layout.value.some(({ key }) => key === column.field.key),
  )
  const isComplete = total > 0 && rows.loaded() === total
  return (
    <footer class="tfoot">
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

type Line = { currency: string; text: string }

/** Amounts of different currencies are never added together, and are added exactly. */
function ColumnSum({ kind, column, rows }: { kind: ListContext['kind']; column: TableColumn; rows: Rows }) {
  const values = rows.loadedIds().flatMap((id) => {
    const found = record(kind, id).value as Rec | null | undefined
    return found ? [readValue(column, found)] : []
  })
  const lines = column.field.type === 'money' ? moneySums(values) : numberSum(values)
  if (lines.length === 0) return null
  return (
    <>
      <span class="mute">{tableTexts().sumOf(column.field.label)}</span>
      {lines.map(({ currency, text }) => (
        <span key={currency} class="sum">
          {currency && <abbr class="mute">{currency} </abbr>}
          {text}
        </span>
      ))}
    </>
  )
}

const moneySums = (values: readonly unknown[]): Line[] =>
  sumByCurrency(values as { amount: Amount | null; currency: string | null }[], boot.value.org.currency).map(
    ({ currency, micros }) => ({ currency, text: format.value.amount(fromMicros(micros), currency) }),
  )

function numberSum(values: readonly unknown[]): Line[] {
  const numbers = values.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((before, value) => before + value, 0)
  return numbers.length === 0 ? [] : [{ currency: '', text: format.value.number(Math.round(sum * 100) / 100) }]
}
