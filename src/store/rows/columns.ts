import { amountJson, toMicros } from '../../lib/money.ts'
import { rfc3339 } from '../../lib/time.ts'
import { markedTime } from './rendered.ts'

type Value = string | number | bigint | Buffer | null

/**
 * One field of a record: its column, and the conversions from the stored value to JSON and from the wire value to the
 * store.
 */
export type Column<Wire = never> = {
  name: string
  /** The expression in the select list: the name, unless the value has to be converted. */
  sql: string
  json: (stored: never) => string
  store: (wire: Wire) => Value
  /** The result of `json` as an SQL expression, for pages that SQLite renders; undefined if only TypeScript can. */
  rendered?: string | undefined
  /** Derived from other fields: neither written nor exported. */
  isComputed?: boolean
}

/** A column type: how a field is represented on the wire and in SQLite. */
function kind<Wire, Stored>(
  json: (stored: Stored) => string,
  store: (wire: Wire) => Value,
  rendered?: (sql: string) => string,
) {
  return (name: string, sql = name): Column<Wire | null> => ({
    name,
    sql,
    json: (stored: Stored | null) => (stored === null ? 'null' : json(stored)),
    store: (wire) => (wire === null ? null : store(wire)),
    rendered: rendered?.(sql),
  })
}

const orNull = (sql: string): string => `ifnull(${sql}, 'null')`

/** Ids, codes and dates: text that needs no escaping in JSON. */
export const plain = kind<string, string>(
  (stored) => `"${stored}"`,
  (wire) => wire,
  (sql) => orNull(`'"' || ${sql} || '"'`),
)
export const text = kind<string, string>(
  (stored) => JSON.stringify(stored),
  (wire) => wire,
  (sql) => `json_quote(${sql})`,
)
export const integer = kind<number, number>(
  (stored) => String(stored),
  (wire) => wire,
  orNull,
)
export const bool = kind<boolean, number>(
  (stored) => (stored === 1 ? 'true' : 'false'),
  (wire) => (wire ? 1 : 0),
  (sql) => `CASE ${sql} WHEN 1 THEN 'true' WHEN 0 THEN 'false' ELSE 'null' END`,
)
/** Milliseconds in the store, RFC 3339 on the wire. */
export const time = kind<string, number>((stored) => `"${rfc3339(stored)}"`, Date.parse, markedTime)
/** JSON text in the store. */
export const json = kind<object, string>(
  (stored) => stored,
  (wire) => JSON.stringify(wire),
  orNull,
)
/** Bytes in the store, base64 on the wire. */
export const bytes = kind<string, Buffer>(
  (stored) => `"${stored.toString('base64')}"`,
  (wire) => Buffer.from(wire, 'base64'),
)
/** Micros in the store; they leave SQLite as text, since they exceed 2^53. */
const micros = kind<number, string>(amountJson, toMicros)
export const amount = (name: string) => ({ ...micros(name, `CAST(${name} AS TEXT)`), rendered: renderedMicros(name) })
const renderedMicros = (sql: string): string =>
  `CASE WHEN ${sql} IS NULL THEN 'null' WHEN ${sql} % 1000000 = 0 THEN ${sql} / 1000000
   ELSE rtrim(format('%d.%06d', ${sql} / 1000000, ${sql} % 1000000), '0') END`

/** A field without a column: a NULL, which `list` and `find` of the store replace by the current value. */
export const computed = <Stored extends string | number | boolean | null>(): Column<Stored> => ({
  name: '',
  sql: 'NULL',
  json: (stored: never) => JSON.stringify(stored),
  store: () => null,
  isComputed: true,
})

/** A column that SQLite computes from others (GENERATED in schema.sql): read, but neither written nor exported. */
export const generated = <Wire>(column: Column<Wire>): Column<Wire> => ({ ...column, isComputed: true })

export type RawRow = unknown[]

/** The columns of a resource in the order of its wire form, with the conversions between the store and the API. */
export type Columns<Shape> = {
  /** The columns by field. */
  fields: { readonly [Name in keyof Shape]-?: Column<Shape[Name]> }
  /** The select list, in the order that `json` and `present` expect. */
  select: string
  /** The row as JSON text, for hot paths. */
  json: (row: RawRow) => string
  /** The same text as an SQL expression, see rendered.ts; undefined if some field needs TypeScript. */
  rendered?: string | undefined
  /** The row as a record in wire form; made from `json`, so that the two cannot differ. */
  present: (row: RawRow) => Shape
  /** The same without computed fields: the field names, and the row as JSON text. */
  stored: { fields: readonly string[]; json: (row: RawRow) => string }
  /** The columns that a write sets, without the key, and their values for a record. */
  names: readonly string[]
  values: (record: Shape) => Value[]
}

/** The part needed for reading. */
export type Readable = Pick<Columns<unknown>, 'select' | 'json' | 'rendered'>

type Part = { index: number; prefix: string; json: (stored: unknown) => string; rendered: string | undefined }

function writer(parts: readonly Part[]): (row: RawRow) => string {
  return function toJson(row) {
    let out = ''
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!
      out += part.prefix + part.json(row[part.index])
    }
    return `${out}}`
  }
}

function rendering(parts: readonly Part[]): string | undefined {
  if (parts.some(({ rendered }) => rendered === undefined)) return undefined
  return `concat(${parts.map(({ prefix, rendered }) => `'${prefix}', ${rendered}`).join(', ')}, '}')`
}

/** `derived` are internal columns, such as the sort key of a name. */
export function columns<Shape>(
  fields: { [Name in keyof Shape]-?: Column<Shape[Name]> },
  derived: Record<string, (record: Shape) => Value> = {},
): Columns<Shape> {
  const all = Object.entries(fields) as [string & keyof Shape, Column<unknown>][]
  const written = all.filter(([name, { isComputed }]) => name !== 'id' && !isComputed)
  const extra = Object.values(derived)
  const parts = all.map(([name, { json, rendered, isComputed }], index) => ({
    name,
    index,
    prefix: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    json: json as (stored: unknown) => string,
    rendered,
    isComputed,
  }))
  const toJson = writer(parts)
  const stored = parts.filter(({ isComputed }) => !isComputed)

  return {
    fields,
    select: all.map(([, { sql }]) => sql).join(', '),
    json: toJson,
    rendered: rendering(parts),
    present: (row) => JSON.parse(toJson(row)),
    stored: { fields: stored.map(({ name }) => name), json: writer(stored) },
    names: [...written.map(([, { name }]) => name), ...Object.keys(derived)],
    values: (record) => [
      ...written.map(([name, { store }]) => store(record[name])),
      ...extra.map((value) => value(record)),
    ],
  }
}

/**
 * The columns of a wire form that has only some fields of a row: `names`, in their order. Columns in `added`, computed
 * or from another table, replace those of the same name. `table` qualifies the columns in joins. Throws if a field has
 * no column.
 */
export function only<Wire>(
  { fields }: { fields: object },
  names: readonly string[],
  added: { [Name in keyof Wire]?: Column<Wire[Name]> } = {},
  table?: string,
): Columns<Wire> {
  const byField = fields as Record<string, Column<never>>
  const more = added as Record<string, Column<never>>
  const picked = names.map((name) => {
    const own = byField[name]
    const column = more[name] ?? (own && table ? { ...own, sql: `${table}.${own.sql}`, rendered: undefined } : own)
    if (!column) throw new Error(`There is no column for ${name}.`)
    return [name, column] as const
  })
  return columns(Object.fromEntries(picked) as unknown as Columns<Wire>['fields'])
}
