import { hash } from 'node:crypto'
import { UUID } from '../../lib/id.ts'
import { Problem } from '../../lib/problem.ts'
import type { Vault } from '../../store/folder/vault.ts'
import { SEARCHED_TABLES } from '../../store/orgs/erase.ts'
import { KINDS, type Kind, searchIndex } from '../../store/search/search.ts'
import type { Database, Statement } from '../../store/sqlite/driver.ts'
import { type MovedTable, movedTables } from './moved-tables.ts'

// Rows of one organisation on their way to another database, as JSON that keeps every type: integers of 64 bits, real
// numbers, bytes, and texts that are encrypted with a key of their installation, which travel in clear (over TLS).

/** A value in JSON: null, a text, an integer, or an object for the rest. */
export type Value = null | string | number | { i: string } | { r: number } | { b: string } | { s: string }

type Row = readonly unknown[]

/** The pseudo table of what the search index has of each record. */
export const SEARCH: MovedTable = {
  name: 'search',
  source: 'search_docs',
  columns: ['kind', 'record_id', 'words'],
  key: ['kind', 'record_id'],
}

/** Which columns are encrypted, and for which purpose; see sealed.ts. */
const SEALED: Record<string, Record<string, (row: Record<string, unknown>) => string>> = {
  webhook_states: { secrets: ({ webhook_id }) => `webhook ${webhook_id}` },
  mailboxes: {
    smtp_secret: ({ id }) => `mailbox ${id} smtp`,
    imap_secret: ({ id }) => `mailbox ${id} imap`,
    oauth_secret: ({ id }) => `mailbox ${id} oauth`,
  },
  mailbox_grants: {
    refresh_token: ({ mailbox_id }) => `mailbox ${mailbox_id} refresh token`,
    access_token: ({ mailbox_id }) => `mailbox ${mailbox_id} access token`,
  },
  credentials: { totp: ({ member_id }) => `second factor ${member_id}` },
  idempotency: { body: ({ key }) => `answer ${key}` },
  former_signing_keys: { key: ({ installation, purpose }) => `former key ${installation} ${purpose}` },
}

/** A stored answer is encrypted if it has a secret; all others are JSON, or empty. */
const isSealed = (text: unknown): text is string => typeof text === 'string' && text !== '' && !/^[[{]/.test(text)

export type MovedRows = ReturnType<typeof movedRows>

/** Reads and writes the rows of an organisation by tables, as values in JSON. */
export function movedRows(db: Database, { seal, open }: Pick<Vault, 'seal' | 'open'>, org: number) {
  const tables = new Map([...movedTables(db), SEARCH].map((table) => [table.name, table]))
  const prepared = new Map<string, Statement>()
  const search = searchIn(db, org)

  function statement(sql: string): Statement {
    const known = prepared.get(sql) ?? db.prepare(sql).raw().safeIntegers()
    prepared.set(sql, known)
    return known
  }

  function tableOf(name: string): MovedTable {
    const table = tables.get(name)
    if (!table) throw malformed(`There is no table ${name} of organisations.`)
    return table
  }

  function keyed(name: string, key: readonly unknown[]): MovedTable {
    const table = tableOf(name)
    checkLength(key, table.key)
    return table
  }

  const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')
  const marks = (names: readonly string[]): string => names.map(() => '?').join(', ')

  function encoded(table: MovedTable, row: Row): Value[] {
    const values = row.map(encode)
    const sealed = SEALED[table.name]
    if (!sealed) return values
    const named = Object.fromEntries(table.columns.map((name, at) => [name, row[at]]))
    for (const [name, purpose] of Object.entries(sealed)) {
      const at = table.columns.indexOf(name)
      if (isSealed(row[at])) values[at] = { s: open(purpose(named), row[at]) }
    }
    return values
  }

  function decoded(table: MovedTable, values: readonly Value[]): unknown[] {
    const row = values.map(decode)
    const sealed = SEALED[table.name]
    if (!sealed) return row
    const named = Object.fromEntries(table.columns.map((name, at) => [name, row[at]]))
    for (const [name, purpose] of Object.entries(sealed)) {
      const value = values[table.columns.indexOf(name)]
      if (value !== null && typeof value === 'object' && 's' in value)
        row[table.columns.indexOf(name)] = seal(purpose(named), value.s)
    }
    return row
  }

  /** At most so many rows after a place, and the place of the last; null for the first ones. */
  function* page(
    name: string,
    after: readonly Value[] | null,
    limit: number,
  ): Generator<{ values: Value[]; at: Value[] }> {
    const table = after === null ? tableOf(name) : keyed(name, after)
    if (table === SEARCH) {
      yield* search.page(after, limit)
      return
    }
    const { source, columns, key, where } = table
    const cut = after === null ? '' : `AND (${list(key)}) > (${marks(key)})`
    const sql = `SELECT ${list(columns)} FROM ${source} WHERE org_id = ? ${cut} ${where ? `AND ${where}` : ''}
      ORDER BY ${list(key)} LIMIT ?`
    const at = key.map((column) => columns.indexOf(column))
    for (const row of statement(sql).iterate(org, ...(after ?? []).map(decode), limit) as IterableIterator<Row>)
      yield { values: encoded(table, row), at: at.map((index) => encode(row[index])) }
  }

  /** The row with a key; undefined if there is none. */
  function get(name: string, key: readonly unknown[]): Value[] | undefined {
    const table = keyed(name, key)
    if (table === SEARCH) return search.get(key)
    const { source, columns, key: names, where } = table
    const same = names.map((column) => `"${column}" = ?`).join(' AND ')
    const sql = `SELECT ${list(columns)} FROM ${source} WHERE org_id = ? AND ${same} ${where ? `AND ${where}` : ''}`
    const row = statement(sql).get(org, ...key) as Row | undefined
    return row && encoded(table, row)
  }

  /** Adds a row or replaces that with its key. What another row has that must be unique is taken from it: it follows. */
  function put(name: string, values: readonly Value[]): void {
    const table = tableOf(name)
    checkLength(values, table.columns)
    if (table === SEARCH) {
      search.put(values)
      return
    }
    const sql = `INSERT OR REPLACE INTO ${name} (org_id, ${list(table.columns)}) VALUES (?, ${marks(table.columns)})`
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    known.run(org, ...decoded(table, values))
  }

  function remove(name: string, key: readonly Value[]): void {
    const table = keyed(name, key)
    if (table === SEARCH) {
      search.remove(key)
      return
    }
    const sql = `DELETE FROM ${name} WHERE org_id = ? AND ${table.key.map((column) => `"${column}" = ?`).join(' AND ')}`
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    known.run(org, ...key.map(decode))
  }

  const keyOf = (name: string, values: readonly Value[]): unknown[] => {
    const { columns, key } = tableOf(name)
    return key.map((column) => decode(values[columns.indexOf(column)] as Value))
  }

  return {
    names: [...tables.keys()],
    keyLengthOf: (name: string) => tableOf(name).key.length,
    page,
    get,
    put,
    remove,
    keyOf,
  }
}

function checkLength(values: readonly unknown[], columns: readonly string[]): void {
  if (values.length !== columns.length) throw malformed(`There are ${values.length} values for ${columns.join(', ')}.`)
}

/** What the other server sends does not fit the tables. */
const malformed = (detail: string): Problem => new Problem(400, 'malformed_request', detail)

export function encode(value: unknown): Value {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : { i: String(value) }
  }
  if (typeof value === 'number') return { r: value }
  if (value instanceof Uint8Array) return { b: Buffer.from(value).toString('base64') }
  return value as string | null
}

export function decode(value: Value): unknown {
  if (typeof value === 'number') return BigInt(value)
  if (value === null || typeof value === 'string') return value
  if ('i' in value) return BigInt(value.i)
  if ('r' in value) return value.r
  if ('b' in value) return Buffer.from(value.b, 'base64')
  return value.s
}

/** A number for a row; the sum of those of all rows shows whether two databases have the same ones, in any order. */
export const rowSum = (values: readonly Value[]): bigint =>
  hash('sha256', JSON.stringify(values), 'buffer').readBigUInt64LE()

export const addSum = (one: bigint, other: bigint): bigint => BigInt.asUintN(64, one + other)

/** Records whose words are read at once. */
const SEARCH_PAGE = 500

/**
 * The words of each record in the search index, without the mark of the organisation, whose number differs. Read record by
 * record of this organisation: the documents of all organisations are in one table, in the order of their ids.
 */
function searchIn(db: Database, org: number) {
  const kinds = (Object.keys(KINDS) as Kind[])
    .sort((a, b) => KINDS[a] - KINDS[b])
    .map((kind) => ({
      number: KINDS[kind] as number,
      index: searchIndex(db, kind),
      ids: db
        .prepare(`SELECT id FROM ${SEARCHED_TABLES[kind]} WHERE org_id = ? AND id > ? ORDER BY id LIMIT ?`)
        .pluck(),
    }))

  function indexOf([kind, id]: readonly unknown[]): ReturnType<typeof searchIndex> {
    const known = kinds.find(({ number }) => number === Number(kind))
    if (!known || typeof id !== 'string' || !UUID.test(id)) throw malformed(`There is no record ${kind} ${id}.`)
    return known.index
  }

  function* page(place: readonly Value[] | null, limit: number): Generator<{ values: Value[]; at: Value[] }> {
    const [first, after] = place === null ? [0, ''] : [Number(place[0]), String(place[1])]
    let left = limit
    for (const { number, index, ids } of kinds) {
      if (number < first) continue
      for (let last: string | undefined = number === first ? after : ''; last !== undefined; ) {
        const some = ids.all(org, last, SEARCH_PAGE) as string[]
        for (const id of some) {
          const words = index.wordsOf(org, id)
          if (!words) continue
          yield { values: [number, id, words.join(' ')], at: [number, id] }
          if (--left === 0) return
        }
        last = some.length < SEARCH_PAGE ? undefined : some.at(-1)
      }
    }
  }

  function get(key: readonly unknown[]): Value[] | undefined {
    const words = indexOf(key).wordsOf(org, key[1] as string)
    return words && [Number(key[0]), key[1] as string, words.join(' ')]
  }

  function put(values: readonly Value[]): void {
    const [, id, words] = values
    if (typeof words !== 'string') throw malformed('The words of a record are a text.')
    indexOf(values).put(org, id as string, words === '' ? [] : words.split(' '))
  }

  function remove(key: readonly Value[]): void {
    indexOf(key).remove(org, key[1] as string)
  }

  return { page, get, put, remove }
}
