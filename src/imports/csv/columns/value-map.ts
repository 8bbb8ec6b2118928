import type { Json } from '../../../lib/json.ts'
import { usage } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { unguarded } from '../cells/values.ts'
import type { Cells } from '../file/source.ts'
import type { Fields, Kind } from './field.ts'
import { columnNamed, type Mapping } from './mapping.ts'

// --map-value "Deal Stage:contractsent=Contract Sent": what a cell of a column is replaced by before it is read.

type Replacement = { to: string; from: string; isUsed: boolean }

/** Kinds whose cells may hold several values. */
const SEVERAL: ReadonlySet<Kind> = new Set<Kind>(['tags', 'choices'])
const SEPARATOR = /(\s*(?:[;,|\n]|:::)\s*)/

export type ValueMap = {
  apply: (cells: Cells) => Cells
  /** The replacements that no cell needed, as they were given. */
  unused: () => string[]
}

/** Throws a usage Problem for an unknown column and for a value that is given twice. */
export function valueMap(texts: readonly string[], mapping: Mapping, fields: Fields): ValueMap {
  const columns = new Map<string, Map<string, Replacement>>()
  for (const from of texts) {
    const { column, value, to } = partsOf(from, mapping)
    const own = columns.get(column) ?? new Map<string, Replacement>()
    if (own.has(fold(value))) throw usage(`--map-value replaces "${value}" of the column "${column}" more than once.`)
    columns.set(column, own.set(fold(value), { to, from, isUsed: false }))
  }
  const several = new Set(
    mapping.flatMap(({ column, field }) => (field && SEVERAL.has(fields[field]?.kind as Kind) ? [column] : [])),
  )

  function apply(cells: Cells): Cells {
    if (columns.size === 0) return cells
    const replaced: Cells = {}
    for (const [column, own] of columns) replaced[column] = replacedCell(cells[column], own, several.has(column))
    return { ...cells, ...replaced }
  }

  const unused = (): string[] =>
    [...columns.values()].flatMap((own) => [...own.values()].flatMap(({ from, isUsed }) => (isUsed ? [] : [from])))

  return { apply, unused }
}

function replacedCell(cell: Json | undefined, own: ReadonlyMap<string, Replacement>, isSeveral: boolean): Json {
  if (cell !== undefined && typeof cell !== 'string' && typeof cell !== 'number') return cell
  const text = unguarded(String(cell ?? ''))
  const one = (part: string): string | undefined => {
    const found = own.get(fold(part))
    if (found) found.isUsed = true
    return found?.to
  }
  const whole = one(text)
  if (whole !== undefined || !isSeveral) return whole ?? cell ?? ''
  return text
    .split(SEPARATOR)
    .map((part) => one(part) ?? part)
    .join('')
}

type Parts = { column: string; value: string; to: string }

/**
 * Reads `Column:value=replacement`. The column is the longest of the file that fits, and the last equals sign divides;
 * for others, each part can be quoted: `"Stage":"a=b"="c"`.
 */
function partsOf(text: string, mapping: Mapping): Parts {
  const quoted = /^(?:"((?:[^"]|"")*)"|([^":]*)):(?:"((?:[^"]|"")*)"|([^"=]*))=(?:"((?:[^"]|"")*)"|([^"]*))$/.exec(text)
  if (quoted && text.includes('"')) {
    const [, column, plainColumn, value, plainValue, to, plainTo] = quoted.map((part) => part?.replaceAll('""', '"'))
    const named = columnNamed(mapping, (column ?? plainColumn ?? '').trim(), '--map-value')
    return { column: named, value: (value ?? plainValue ?? '').trim(), to: (to ?? plainTo ?? '').trim() }
  }
  const equals = text.lastIndexOf('=')
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index).filter((index) => index < equals)
  if (colons.length === 0) throw usage('--map-value must have the form "Column:value=replacement".')
  const known = colons
    .toReversed()
    .map((colon) => ({ colon, column: tried(mapping, text.slice(0, colon)) }))
    .find(({ column }) => column !== undefined)
  const colon = known?.colon ?? (colons[0] as number)
  const column = known?.column ?? columnNamed(mapping, text.slice(0, colon).trim(), '--map-value')
  return { column, value: text.slice(colon + 1, equals).trim(), to: text.slice(equals + 1).trim() }
}

function tried(mapping: Mapping, text: string): string | undefined {
  try {
    return columnNamed(mapping, text.trim(), '--map-value')
  } catch {
    return undefined
  }
}
