import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { foreignKeys, isWhole, referrer, suspendForeignKeys } from '../../src/store/schema/foreign-keys.ts'
import { emptyDatabase } from '../../src/store/schema/memory.ts'
import { enlargeCache } from '../../src/store/sqlite/cache.ts'
import { isForeignKeyViolation, isUniqueViolation } from '../../src/store/sqlite/constraints.ts'
import { openSqlite } from '../../src/store/sqlite/driver.ts'
import { plannedOnce } from '../../src/store/sqlite/parameters.ts'

const root = join(import.meta.dirname, '../..')
const sources = globSync('src/**/*.ts', { cwd: root })
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

test('every parameter without a name is planned once, for all values', () => {
  for (const [sql, planned] of [
    ['SELECT ?', 'SELECT +?'],
    ['INSERT INTO t VALUES (?,?, ?)', 'INSERT INTO t VALUES (+?,+?, +?)'],
    ['a IN (?) AND (b, c) > (?, ?) LIMIT ?', 'a IN (+?) AND (b, c) > (+?, +?) LIMIT +?'],
    ['WHERE a = ?1 AND b = @b AND c = +@c AND d = :d', 'WHERE a = ?1 AND b = @b AND c = +@c AND d = :d'],
    ["'a?' || ? || 'it''s ?' || ?", "'a?' || +? || 'it''s ?' || +?"],
    ['SELECT "a?", "b""?", [c?], `d?` WHERE e = ?', 'SELECT "a?", "b""?", [c?], `d?` WHERE e = +?'],
    ["-- why?\nSELECT ? -- it's ?\n, ?", "-- why?\nSELECT +? -- it's ?\n, +?"],
    ["/* why?\n' */ SELECT ? /* ?", "/* why?\n' */ SELECT +? /* ?"],
  ] as const) {
    assert.equal(plannedOnce(sql), planned)
  }
})

test('a statement has one plan for all values, and one with named parameters has one for each', () => {
  const db = openSqlite(':memory:')
  try {
    db.exec('CREATE TABLE t (a, b); CREATE INDEX t_few ON t (a) WHERE b = 1')
    const planOf = (sql: string, ...values: unknown[]) =>
      (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).get(...values) as { detail: string }).detail
    assert.equal(planOf('SELECT a FROM t WHERE a = ? AND b = ?', 1, 1), 'SCAN t')
    assert.match(planOf('SELECT a FROM t WHERE a = @a AND b = @b', { a: 1, b: 1 }), /^SEARCH t USING INDEX t_few/)
    assert.equal(planOf('SELECT a FROM t WHERE a = @a AND b = @b', { a: 1, b: 2 }), 'SCAN t')
    assert.deepEqual(db.prepare("SELECT ? AS a, '?' AS b, typeof(?) AS c").get(1, 'x'), { a: 1, b: '?', c: 'text' })
  } finally {
    db.close()
  }
})

test('no statement is planned once by hand', () => {
  for (const file of sources) {
    if (file !== 'src/store/sqlite/parameters.ts') assert.doesNotMatch(textOf(file), /[\s(',>=`]\+\?/, file)
  }
})

/** Comments may name what the code must not use. */
const codeOf = (file: string): string =>
  textOf(file)
    .replace(/^\s*(\/\/|\/?\*).*$/gm, '')
    .replace(/ \/\/ .*$/gm, '')

const isBelow = (rooms: readonly string[], file: string): boolean =>
  [...rooms, 'web'].some((room) => file.startsWith(`src/${room}`))

/** What opens a database as it is: the store, and operations on a file that nobody serves. */
const OPENERS = [
  'store/',
  'ops/backup/database.ts',
  'ops/backup/former-primary.ts',
  'ops/doctor/inspect/',
  'ops/moves/changed-rows.ts',
  'ops/moves/moved-rows.ts',
  'ops/moves/moved-tables.ts',
  'ops/moves/second.ts',
  'ops/replication/followed/',
]
const outside = sources.filter((file) => !isBelow(OPENERS, file))

test('only the store knows the driver, its PRAGMAs, its tables and its error codes', () => {
  assert.ok(outside.length > 200)
  const forbidden = [
    /['"]better-sqlite3['"]/,
    /\bPRAGMA\b|\bpragma\w*\b|\bpragma_\w+/,
    /\bsqlite_\w+/,
    /SQLITE_\w+/,
    /\b(data_version|total_changes)\b/,
    /\b[dD]b\.(?!prepare\b|inTransaction\b|close\b)\w+/,
    /\b(Connection|connection|OpenedStore|openSqlite)\b.* from '[^']*store\/(sqlite\/driver|open)\.ts'/,
  ]
  for (const file of outside) {
    for (const pattern of forbidden) assert.doesNotMatch(codeOf(file), pattern, file)
  }
})

/** The modules that own tables: each statement is in one of them, and other modules call a function there. */
const OWNERS = [
  ...OPENERS,
  'auth/',
  'events/',
  'records/',
  'filters/',
  'crm/',
  'meetings/',
  'inbox/',
  'sequences/',
  'mail/rules/',
  'mail/satisfaction/',
  'webhooks/',
  'personal/',
  'cleanup/',
  'app/settings/',
  'imports/journal/',
  'site/app/',
  'site/reports/',
  'ops/moves/',
  'demo/replay/sample-records.ts',
]

test('statements are prepared only in the rooms that own tables', () => {
  for (const file of sources) {
    if (isBelow(OWNERS, file)) continue
    assert.doesNotMatch(codeOf(file), /\bprepare\b/, `${file} prepares a statement of its own`)
  }
})

test('a larger cache and suspended foreign keys can be put back', () => {
  const db = openSqlite(':memory:')
  try {
    const read = (name: string) => db.pragma(name, { simple: true })
    const before = { cache: read('cache_size'), keys: read('foreign_keys') }
    const [resetCache, resumeForeignKeys] = [enlargeCache(db, 64), suspendForeignKeys(db)]
    assert.deepEqual({ cache: read('cache_size'), keys: read('foreign_keys') }, { cache: -64 * 1024, keys: 0 })
    resumeForeignKeys()
    resetCache()
    assert.deepEqual({ cache: read('cache_size'), keys: read('foreign_keys') }, before)
  } finally {
    db.close()
  }
})

test('the error of a statement shows which kind of constraint refused it', () => {
  const db = openSqlite(':memory:')
  try {
    db.exec('CREATE TABLE a (id INTEGER PRIMARY KEY, name UNIQUE); CREATE TABLE b (a REFERENCES a)')
    db.prepare('INSERT INTO a VALUES (?, ?)').run(1, 'x')
    const refusal = (sql: string): unknown => {
      try {
        return db.prepare(sql).run()
      } catch (error) {
        return error
      }
    }
    const [unique, foreignKey, key] = [
      refusal("INSERT INTO a VALUES (2, 'x')"),
      refusal('INSERT INTO b VALUES (2)'),
      refusal("INSERT INTO a VALUES (1, 'y')"),
    ]
    assert.deepEqual([unique, foreignKey, key].map(isUniqueViolation), [true, false, false])
    assert.deepEqual([unique, foreignKey, key].map(isForeignKeyViolation), [false, true, false])
    assert.equal(isUniqueViolation(undefined) || isForeignKeyViolation(null), false)
  } finally {
    db.close()
  }
})

test('foreign keys are read with their columns, and rows that break one are found', () => {
  const db = emptyDatabase()
  try {
    const ofMembers = foreignKeys(db).find(({ table, target }) => table === 'notes' && target === 'members')
    assert.deepEqual(
      ofMembers?.columns.map(({ from, to }) => [from, to]),
      [
        ['org_id', 'org_id'],
        ['author_id', 'id'],
      ],
    )
    const ofLinks = foreignKeys(db).filter(({ table }) => table === 'note_contacts')
    assert.deepEqual(Object.fromEntries(ofLinks.map(({ target, isCascade }) => [target, isCascade])), {
      contacts: false,
      notes: true,
    })
    const resumeForeignKeys = suspendForeignKeys(db)
    db.prepare('INSERT INTO orgs (id, public_id, name, timezone, currency, created_at) VALUES (?, ?, ?, ?, ?, ?)').run(
      ...[1, 'one', 'One', 'UTC', 'EUR', 0],
    )
    assert.equal(isWhole(db, 1), true)
    db.prepare('INSERT INTO note_contacts (org_id, contact_id, note_id) VALUES (?, ?, ?)').run(1, 'c', 'n')
    assert.equal(isWhole(db, 1), false)
    assert.equal(isWhole(db, 2), true)
    assert.equal(referrer(db, 'note_contacts', 'contact_id')(1, 'c'), true)
    assert.equal(referrer(db, 'note_contacts', 'contact_id')(2, 'c'), false)
    resumeForeignKeys()
  } finally {
    db.close()
  }
})
