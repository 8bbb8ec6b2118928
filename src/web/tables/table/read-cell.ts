import type { Field, Known, Money } from '../../components/fields/field.ts'
import { sameValue, textOfValue, valueOfText } from '../../components/fields/field-types.ts'
import type { Sources } from '../../components/fields/sources.ts'
import { combined } from './combine.ts'
import { type OwnCell, valueFor } from './own-form.ts'
import type { Read } from './paste.ts'
import { texts } from './texts.ts'

/** A text of another program, or what a cell of ours had. */
export type Cell = string | OwnCell

/** What a pasted cell makes of a field. `before` is the value of the record, as far as it is loaded. */
export async function readCell(
  field: Field,
  before: { value: unknown } | undefined,
  cell: Cell,
  known: Known,
  sources: Sources,
): Promise<Read> {
  const value = before?.value
  const text = (typeof cell === 'string' ? cell : cell.text).trim()
  const own = typeof cell === 'string' ? undefined : valueFor(cell, field, sources)
  // A text does not show seconds or labels: where it is that of the cell already, they stay.
  const isShown = before && text === textOfValue(value, field, sources).trim()
  if (isShown && (!own || field.off !== undefined)) return 'same'
  if (field.off !== undefined) return { refused: texts().readOnly }
  const read = own ?? (await readText(text, field, inCurrencyOf(value, field, sources), known))
  if ('refused' in read) return read
  const next = combined(field.type, value, read.value, own !== undefined)
  return before && sameValue(value, next) ? 'same' : { value: next }
}

/** A bare number keeps the currency of the record. */
function inCurrencyOf(before: unknown, { type }: Field, sources: Sources): Sources {
  const currency = type === 'money' ? (before as Money | null | undefined)?.currency : undefined
  return currency ? { ...sources, currency: () => currency } : sources
}

async function readText(text: string, field: Field, sources: Sources, known: Known) {
  try {
    const parsed = await valueOfText(text, field, sources, known)
    return 'error' in parsed ? { refused: parsed.error } : { value: parsed.value }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}
