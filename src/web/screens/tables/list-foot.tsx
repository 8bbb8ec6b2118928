import { useEffect, useState } from 'preact/hooks'
import { readValue, type TableColumn } from '../../components/table/column.ts'
import type { Rows } from '../../components/table/rows.ts'
import { texts as tableTexts } from '../../components/table/texts.ts'
import { boot } from '../../data/boot.ts'
import { record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import type { ListContext } from './list-context.ts'
import { countRows } from './list-query.ts'
import { texts } from './texts.ts'

/** Counts at the left; at the right sums, once every row of them is known. */
export function ListFoot({ list, rows }: { list: ListContext; rows: Rows }) {
  const { kind, address, listId, columns, layout } = list
  const { conditions, q } = address.value.state
  const isNarrowed = conditions.length > 0 || q.trim() !== ''
  const [all, setAll] = useState<number | undefined>(undefined)
  const total = rows.total.value
  void rows.revision.value
  useEffect(() => {
    if (!isNarrowed) return
    let isOver = false
    void countRows(kind, { list_id: listId }).then(
      (count) => !isOver && setAll(count),
      () => undefined,
    )
    return () => {
      isOver = true
    }
  }, [isNarrowed, kind, listId])
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

/** The currency of the organisation, then the others by their code. */
function ownFirst([one]: [string, number], [other]: [string, number]): number {
  const own = boot.value.org.currency
  return Number(other === own) - Number(one === own) || (one < other ? -1 : 1)
}

/** Amounts of different currencies are never added together. */
function ColumnSum({ kind, column, rows }: { kind: ListContext['kind']; column: TableColumn; rows: Rows }) {
  const sums = new Map<string, number>()
  for (const id of rows.loadedIds()) {
    const found = record(kind, id).value as Rec | null | undefined
    const value = found ? readValue(column, found) : null
    const [amount, currency] =
      column.field.type === 'money'
        ? [(value as { amount: number | null }).amount, (value as { currency: string | null }).currency ?? '']
        : [value as number | null, '']
    if (typeof amount === 'number') sums.set(currency, (sums.get(currency) ?? 0) + amount)
  }
  if (sums.size === 0) return null
  return (
    <>
      <span class="mute">{tableTexts().sumOf(column.field.label)}</span>
      {[...sums].sort(ownFirst).map(([currency, amount]) => (
        <span key={currency} class="sum">
          {currency && <abbr class="mute">{currency} </abbr>}
          {format.value.number(Math.round(amount * 100) / 100)}
        </span>
      ))}
    </>
  )
}
