import { usage } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { readDay } from '../../../lib/written/days/days.ts'
import { readNumber } from '../../../lib/written/figures/numbers.ts'
import { readList } from '../../../lib/written/lists.ts'
import { type Context, isValue } from '../../../lib/written/reading.ts'
import { readYesNo } from '../../../lib/written/yes-no.ts'
import type { FieldType } from '../../../records/custom-fields/types.ts'
import { isBlank, unguarded } from '../cells/values.ts'
import type { Row } from '../file/source.ts'
import type { Field, Fields } from './field.ts'
import { CUSTOM_KINDS } from './fields.ts'
import type { Mapping } from './mapping.ts'

// The types of the custom fields that an import makes, by all cells of their columns.

/** What every cell of a column may be, the most certain type first; numbers need what their column has shown. */
const TESTS = {
  boolean: (text: string) => /\p{L}/u.test(text) && isValue(readYesNo(text, {})),
  number: (text: string) => !/^\s*(?:\+|0\d)|\d{16}/.test(text) && !('unread' in readNumber(text, {})),
  date: (text: string) => !('unread' in readDay(text, {})),
  url: (text: string) => /^https?:\/\/\S+$/i.test(text),
  email: (text: string) => /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/.test(text),
} satisfies { [type in FieldType]?: (text: string) => boolean }
type Tested = keyof typeof TESTS
const ALL = Object.keys(TESTS) as Tested[]

/** The most options of a field, and numbers that are kept until their column has shown what they are. */
const MAX_OPTIONS = 200
const MAX_OPEN = 10_000

/** `options` are texts by their folded ones. */
type Seen = {
  column: string
  field: string
  types: Set<Tested>
  hasText: boolean
  open: Set<string>
  options: Map<string, string>
}

export function newTypes(mapping: Mapping, asked: Fields) {
  const columns = mapping.flatMap(({ column, field }): Seen[] =>
    field === null || !Object.hasOwn(asked, field)
      ? []
      : [{ column, field, types: new Set(ALL), hasText: false, open: new Set(), options: new Map() }],
  )

  function addRow({ cells }: Row): void {
    for (const seen of columns) {
      const text = unguarded(String(cells[seen.column] ?? ''))
      if (isBlank(text)) continue
      seen.hasText = true
      addOptions(seen, text)
      for (const type of seen.types) if (!TESTS[type](text)) seen.types.delete(type)
      if (seen.types.has('number') && seen.open.size < MAX_OPEN && 'either' in readNumber(text, {})) seen.open.add(text)
    }
  }

  function addOptions({ field, options }: Seen, text: string): void {
    const { type } = asked[field] as Field
    if (type !== 'select' && type !== 'multi_select') return
    const read = type === 'select' ? undefined : readList(text, () => undefined)
    for (const name of read && 'value' in read ? read.value.map((item) => item.name) : [text])
      if (!options.has(fold(name)) && options.size <= MAX_OPTIONS) options.set(fold(name), name)
  }

  /** Texts where the cells are nothing else. Throws a usage Problem for too many options, and for none. */
  function found(formatOf: (column: string) => Context): Fields {
    return Object.fromEntries(
      columns.map((seen) => {
        const given = asked[seen.field] as Field
        const type = given.type ?? typeOf(seen, formatOf(seen.column))
        const isChosen = type === 'select' || type === 'multi_select'
        if (isChosen && (seen.options.size > MAX_OPTIONS || seen.options.size === 0))
          throw usage(
            `--map: a field of the type ${type} has from 1 to ${MAX_OPTIONS} options, and the column "${seen.column}" has ${seen.options.size === 0 ? 'none' : 'more'}.`,
          )
        const options = isChosen ? { options: seen.options } : {}
        return [seen.field, { ...given, type, kind: CUSTOM_KINDS[type], isFree: type === 'text', ...options }]
      }),
    )
  }

  return { addRow, found }
}

function typeOf({ types, hasText, open }: Seen, format: Context): FieldType {
  if (!hasText) return 'text'
  const isSure = open.size < MAX_OPEN && [...open].every((text) => isValue(readNumber(text, format)))
  return ALL.find((type) => types.has(type) && (type !== 'number' || isSure)) ?? 'text'
}
