import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Sqlite from 'better-sqlite3'
import { catalog } from '../../../src/app/api.ts'
import { resourceDeps } from '../../../src/app/deps.ts'
import { asset } from '../../../src/assets.ts'
import { defineFunctions, openSqlite, prepareAtFirstUse, type Statement } from '../../../src/store/sqlite/driver.ts'
import { plannedOnce } from '../../../src/store/sqlite/parameters.ts'
import { startScreens } from '../../support/screens.ts'
import { startServer } from '../../support/server.ts'

describe('a statement', () => {
  const db = openSqlite(':memory:')
  after(() => db.close())
  before(() => void db.exec('CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1), (2)'))

  test('is prepared once, at its first use', () => {
    let times = 0
    const statement = prepareAtFirstUse(() => {
      times++
      return db.prepare('SELECT x FROM a WHERE x > ?')
    })
    assert.equal(times, 0)
    assert.deepEqual(statement.all(1), [{ x: 2 }])
    assert.deepEqual(statement.get(0), { x: 1 })
    assert.equal(times, 1)
  })

  test('may name a table that comes later, and throws for a fault in its text where it is used', () => {
    const later = db.prepare('INSERT INTO b (y) VALUES (?)')
    const faulty = db.prepare('SELECT y FROM')
    db.exec('CREATE TABLE b (y INTEGER)')
    assert.equal(later.run(5).changes, 1)
    assert.throws(() => faulty.all(), { code: 'SQLITE_ERROR' })
  })

  for (const when of ['before', 'after'] as const) {
    test(`takes its modes ${when} its first use`, () => {
      const rows = (mode: 'pluck' | 'raw' | 'safeIntegers') => {
        const statement = db.prepare('SELECT x FROM a')
        if (when === 'after') statement.get()
        assert.equal(statement[mode](), statement)
        return [statement.all(), [...statement.iterate()]]
      }
      const expected = { pluck: [1, 2], raw: [[1], [2]], safeIntegers: [{ x: 1n }, { x: 2n }] }
      for (const [mode, all] of Object.entries(expected)) {
        assert.deepEqual(rows(mode as keyof typeof expected), [all, all], mode)
      }
    })
  }
})

test('SQLite accepts the text of every statement of a server, also of those that it has not needed yet', async () => {
  const texts = new Set<string>()
  const server = await startServer()
  const prepare = server.store.db.prepare
  server.store.db.prepare = (sql): Statement => {
    texts.add(sql)
    return prepare(sql)
  }
  const { store } = server
  const deps = resourceDeps(store)
  const screens = await startScreens({ ...server, deps })
  const checked = new Sqlite(':memory:')
  try {
    assert.ok(catalog(deps).length > 60)
    assert.ok(texts.size > 500, `${texts.size} statements`)
    defineFunctions(checked as never)
    checked.exec(asset('schema.sql').toString())
    for (const sql of texts) checked.prepare(plannedOnce(sql))
  } finally {
    checked.close()
    await screens.stop()
    await server.stop()
  }
})
