import { useEffect } from 'preact/hooks'
import type { Email, Phone } from '../../components/fields/field.ts'
import { isEmpty } from '../../components/fields/field-types.ts'
import { primaryFirst } from '../../components/fields/show.tsx'
import { useSources } from '../../components/fields/sources.ts'
import { Value } from '../../components/fields/value.tsx'
import { whenIdle } from '../../components/later.tsx'
import { memberName } from '../../data/boot.ts'
import { type Kind, record as recordOf } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { t } from '../../lib/texts/texts.ts'
import { keyOf, readValue, type TableColumn } from './column.ts'
import type { Rows } from './rows.ts'
import { isNumber } from './table-row.tsx'
import './printed.css'

/** On paper a row that was never in view needs the names of its company and contact, too: they are asked for before. */
export function useNamesForPrint(kind: Kind, columns: readonly TableColumn[], rows: Rows): void {
  const sources = useSources()
  const referring = columns.filter(({ field: { type } }) => type === 'company' || type === 'contact')
  const loaded = rows.revision.value
  useEffect(() => {
    let isOver = false
    whenIdle(() => {
      if (isOver) return
      for (const id of rows.loadedIds()) {
        const found = recordOf(kind, id).peek() as Rec | null | undefined
        for (const column of found ? referring : []) {
          const named = readValue(column, found as Rec)
          if (named) sources.nameOf(column.field.type as 'company' | 'contact', String(named))
        }
      }
    })
    return () => {
      isOver = true
    }
  }, [rows, loaded, referring.map(keyOf).join()])
}

type PrintedProps = { kind: Kind; label: string; columns: readonly TableColumn[]; ids: readonly string[] }

/** A table on paper: all rows that are loaded, with whole texts, and the heads again on each page. */
export function PrintedTable({ kind, label, columns, ids }: PrintedProps) {
  const classOf = (column: TableColumn) => (isNumber(column) ? 'num' : undefined)
  return (
    <table class="printed" aria-label={label} style={{ '--n': columns.length }}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={keyOf(column)} scope="col" class={classOf(column)}>
              {column.field.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ids.map((id) => {
          const found = recordOf(kind, id).value as Rec | null | undefined
          return (
            found && (
              <tr key={id}>
                {columns.map((column) => (
                  <td key={keyOf(column)} class={classOf(column)}>
                    <PrintedValue column={column} record={found} />
                  </td>
                ))}
              </tr>
            )
          )
        })}
      </tbody>
    </table>
  )
}

/** On paper nobody can point at a value to read the rest of it. */
function PrintedValue({ column, record }: { column: TableColumn; record: Rec }) {
  const sources = useSources()
  if (column.show) return <>{column.show(record)}</>
  const value = readValue(column, record)
  const { type } = column.field
  if (isEmpty(value)) return <span class="mute">—</span>
  switch (type) {
    case 'member':
      return <>{memberName(String(value)) ?? t().unknown}</>
    case 'emails':
      return (
        <>
          {primaryFirst(value as Email[]).map(({ email }) => (
            <div key={email}>{email}</div>
          ))}
        </>
      )
    case 'phones':
      return (
        <>
          {primaryFirst(value as Phone[]).map(({ number }) => (
            <div key={number}>{number}</div>
          ))}
        </>
      )
    case 'company':
    case 'contact':
      return <>{sources.nameOf(type, String(value)) ?? '…'}</>
    default:
      return <Value value={value} field={column.field} />
  }
}
