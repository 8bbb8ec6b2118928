import { isSea } from 'node:sea'
import Sqlite from 'better-sqlite3'
import { emailKey } from '../../lib/email.ts'
import { fold } from '../../lib/pure/fold.ts'
import { matches, type Query, wordsOf } from '../../lib/words.ts'
import { phoneKeys } from '../../lib/written/people/phone-countries.ts'
import { uniqueText } from '../../lib/written/unique.ts'
import { loadAddon } from './addon.ts'
import { numbersOf } from './doc-numbers.ts'
import { plannedOnce } from './parameters.ts'
import { affordable } from './work.ts'

/** A prepared statement. The type of its results depends on the SQL. */
export type Statement = {
  run: (...values: unknown[]) => { changes: number; lastInsertRowid: number | bigint }
  get: (...values: unknown[]) => unknown
  all: (...values: unknown[]) => unknown[]
  iterate: (...values: unknown[]) => IterableIterator<unknown>
  /** Makes rows the value of their first column. */
  pluck: () => Statement
  /** Makes rows arrays of values. */
  raw: () => Statement
  /** Makes integers bigints. */
  safeIntegers: () => Statement
}

/** The methods of a database for all of the code. src/store has functions for everything else. */
export type Database = {
  /**
   * Each `?` is planned once for all values, see `plannedOnce`. SQLite reads the text at the first use of the statement:
   * an error in it is thrown there.
   */
  prepare: (sql: string) => Statement
  readonly inTransaction: boolean
  close: () => void
}

/** A database with the methods that only src/store uses. */
export type Connection = Database & {
  /** The name of its file, or ":memory:". */
  readonly name: string
  readonly open: boolean
  /** Instead of PRAGMA data_version, where others change the file past SQLite. */
  dataVersion?: () => unknown
  exec: (sql: string) => unknown
  pragma: (source: string, options?: { simple?: boolean }) => unknown
  /** Whether the tables that virtual tables keep may be written, and those of the schema. */
  unsafeMode?: (isUnsafe: boolean) => unknown
  function: (
    name: string,
    options: { deterministic?: boolean; directOnly?: boolean; varargs?: boolean },
    compute: (...values: unknown[]) => unknown,
  ) => unknown
  transaction: <Given extends unknown[], T>(
    job: (...given: Given) => T,
  ) => ((...given: Given) => T) & { immediate: (...given: Given) => T }
}

/** Only for src/store: the database as it was opened. */
export const connection = (db: Database): Connection => db as Connection

let addon: unknown

/** Opens a database with the addon in node_modules or, in the executable, with the embedded one. */
export function openSqlite(file: string, options: Sqlite.Options = {}): Connection {
  if (!isSea()) return extend(new Sqlite(file, options) as Connection)
  addon ??= loadAddon(file)
  // The library also accepts the loaded addon itself, which its types omit.
  return extend(new Sqlite(file, { ...options, nativeBinding: addon as string }) as Connection)
}

function extend(db: Connection): Connection {
  const { prepare } = db
  db.prepare = (sql) => prepareAtFirstUse(() => prepare.call(db, plannedOnce(sql)))
  return defineFunctions(db)
}

/**
 * A statement that SQLite prepares at its first use: of the 800 statements of a server that starts, hardly any is needed
 * for its first answer, and many never.
 */
export function prepareAtFirstUse(prepare: () => Statement): Statement {
  const modes: ('pluck' | 'raw' | 'safeIntegers')[] = []
  let prepared: Statement | undefined

  function statement(): Statement {
    prepared ??= modes.reduce((made, mode) => made[mode](), prepare())
    return prepared
  }
  function inMode(mode: (typeof modes)[number]): Statement {
    if (prepared) prepared[mode]()
    else modes.push(mode)
    return lazy
  }

  const lazy: Statement = {
    run: (...values) => (prepared ?? statement()).run(...values),
    get: (...values) => (prepared ?? statement()).get(...values),
    all: (...values) => (prepared ?? statement()).all(...values),
    iterate: (...values) => (prepared ?? statement()).iterate(...values),
    pluck: () => inMode('pluck'),
    raw: () => inMode('raw'),
    safeIntegers: () => inMode('safeIntegers'),
  }
  return lazy
}

/**
 * The SQL functions implemented in TypeScript. No index, trigger or CHECK uses them: other programs can read the file.
 */
export function defineFunctions(db: Connection): Connection {
  const pure = { deterministic: true, directOnly: true }
  let asked = ''
  let query: Query = []

  db.function('fold', pure, (text: unknown) => (typeof text === 'string' ? fold(text) : null))
  db.function('unique_text', pure, (type: unknown, text: unknown, country: unknown) =>
    typeof text === 'string' ? uniqueText(type as string, text, (country as string | null) ?? undefined) : null,
  )
  db.function('email_key', pure, (text: unknown) => (typeof text === 'string' ? emailKey(text) : null))
  db.function('number_of', pure, (id: unknown) => numbersOf(id as string)[0])
  db.function('words_of', { ...pure, varargs: true }, (...texts: unknown[]) =>
    wordsOf(texts as (string | null)[]).join(' '),
  )
  db.function('affordable', { directOnly: true }, affordable) // not deterministic: it is called for each row
  /** Whether a text has one of the numbers, given as a JSON array of `phoneKeys`. */
  db.function('has_phone', pure, (text: unknown, country: unknown, json: unknown) => {
    if (typeof text !== 'string') return 0
    const keys = phoneKeys(text, (country as string | null) ?? undefined)
    return (JSON.parse(json as string) as string[]).some((key) => keys.includes(key)) ? 1 : 0
  })
  /** Whether the words, separated by spaces, match a query given as JSON. */
  db.function('has_words', pure, (words: unknown, json: unknown) => {
    if (json !== asked) {
      asked = json as string
      query = JSON.parse(asked) as Query
    }
    return words !== null && matches(words as string, query) ? 1 : 0
  })
  return db
}
