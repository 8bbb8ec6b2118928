import { textOfValue } from '../components/fields/field-types.ts'
import type { Sources } from '../components/fields/sources.ts'
import type { PageKind } from '../components/kinds.ts'
import { showToast } from '../components/toast.tsx'
import { loadNames } from '../data/names.ts'
import type { Rec } from '../data/types.ts'
import { csvCell, downloadCsv } from '../lib/csv.ts'
import { format } from '../lib/locale.ts'
import { walkRows } from './list-query.ts'
import { readValue, type TableColumn } from './table/column.ts'
import type { RowQuery } from './table/rows.ts'
import { texts } from './texts.ts'

type Export = {
  kind: PageKind
  query: RowQuery
  columns: readonly TableColumn[]
  sources: Sources
  /** Those that are chosen; undefined for all. */
  isChosen?: ((id: string) => boolean) | undefined
  fileName: string
}

/** Writes what the table shows into a CSV file, with its columns and in its order. */
export async function exportCsv({ kind, query, columns, sources, isChosen, fileName }: Export): Promise<void> {
  const lines = [columns.map(({ field }) => csvCell(field.label)).join(',')]
  const number = (count: number) => format.peek().number(count)
  await walkRows(kind, query, async (page, total) => {
    const chosen = page.filter(({ id }) => isChosen?.(id) ?? true)
    await loadNames('companies', idsIn(chosen, ['company_id', 'parent_company_id']))
    await loadNames('contacts', idsIn(chosen, ['primary_contact_id']))
    for (const record of chosen) {
      lines.push(
        columns.map((column) => csvCell(textOfValue(readValue(column, record), column.field, sources))).join(','),
      )
    }
    if (total > 500) showToast({ kind: 'working', text: texts().exporting(number(lines.length - 1), number(total)) })
  })
  downloadCsv(fileName, lines)
  showToast({ text: texts().exported(number(lines.length - 1)), icon: 'save' })
}

const idsIn = (page: readonly Rec[], names: readonly string[]): string[] => [
  ...new Set(page.flatMap((record) => names.map((name) => record[name]).filter((id) => typeof id === 'string'))),
]
