import type { RawRow } from '../../store/columns.ts'
import type { Page } from '../../store/list/page.ts'
import { Message } from './message.ts'

const MAX_PAGE_LENGTH = 16 * 1_048_576
const [BODY_TEXT, BODY_HTML] = (['body_text', 'body_html'] as const).map((name) =>
  Object.keys(Message.entries).indexOf(name),
) as [number, number]

/** Shortens a page whose messages would exceed the limit, to at least one. */
export function lightPage({ rows, next, ...rest }: Page): Page {
  let length = 0
  const end = rows.findIndex((row, index) => {
    length += String(row[BODY_TEXT] ?? '').length + String(row[BODY_HTML] ?? '').length
    return length > MAX_PAGE_LENGTH && index > 0
  })
  if (end < 0) return { rows, next, ...rest }
  const last = rows[end - 1] as RawRow
  return { rows: rows.slice(0, end), next: { key: last.at(-2) as null, id: last.at(-1) as string }, ...rest }
}
