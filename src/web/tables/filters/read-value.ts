import type { Parsed } from '../../components/fields/field.ts'
import type { Reading } from '../../components/fields/parse.ts'
import { parseMoney, parseNumber } from '../../components/fields/parse-figures.ts'
import type { FieldKind, Operator } from './conditions.ts'
import { boundOf } from './day-bounds.ts'

/** The value of what is typed into a filter, read as in a field; null if nothing is. An amount may name its currency. */
export function readValue(
  { kind }: { kind: FieldKind },
  op: Operator,
  text: string,
  reading: Reading,
): Parsed & { currency?: string } {
  if (kind === 'amount') {
    const parsed = parseMoney(text, null, reading)
    if ('error' in parsed) return parsed
    const { amount, currency } = parsed.value as { amount: number | null; currency: string | null }
    return { value: amount, ...(currency ? { currency } : {}) }
  }
  if (kind === 'number') return parseNumber(text, reading)
  const given = text.trim()
  if (given === '') return { value: null }
  return { value: kind === 'time' ? boundOf(given, op) : given }
}
