import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { firstIdAt } from '../../src/lib/id.ts'
import { newestId } from '../../src/store/newest.ts'
import { emptyDatabase } from '../../src/store/schema/memory.ts'
import { markOf } from '../../src/store/search/search.ts'
import { numbersOf } from '../../src/store/sqlite/doc-numbers.ts'
import { type Connection, connection } from '../../src/store/sqlite/driver.ts'

// newestId: where the next id continues. Every command waits for it, with any number of organisations.

const NOW = Date.UTC(2026, 10, 20)
/** An id of so many seconds after the start. */
const at = (seconds: number): string => firstIdAt(NOW + seconds * 1000)

let db: Connection
beforeEach(() => {
  db = connection(emptyDatabase())
  db.pragma('foreign_keys = OFF')
})

const addOrg = (org: number, publicId = `org ${org}`): void =>
  void db
    .prepare(
      "INSERT INTO orgs (id, public_id, name, timezone, currency, created_at, state) VALUES (?, ?, 'x', 'UTC', 'EUR', 0, ?)",
    )
    .run(org, publicId, publicId.startsWith('staged') ? 'staged' : 'open')
/** What a deal leaves that has no event any more. */
const addDeal = (org: number, id: string): void =>
  void db
    .prepare('INSERT INTO search_docs (docid, org_id, kind, record_id, words) VALUES (?, ?, 0, ?, ?)')
    .run(numbersOf(id)[0], org, id, markOf(org, 'deal'))
let seq = 0
const addEvent = (org: number, id: string): void =>
  void db
    .prepare(
      `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data) VALUES (?, ?, ?, '', '', 0, 'system', '{}')`,
    )
    .run(org, ++seq, id)
const addTag = (org: number, id: string): void =>
  void db
    .prepare(
      'INSERT INTO tags (org_id, id, name, name_key, created_at, updated_at, version) VALUES (?, ?, ?, ?, 0, 0, 1)',
    )
    .run(org, id, id, id)

const ADDED = { 'a record': addDeal, 'an event': addEvent, 'a row of another table': addTag }

for (const [what, add] of Object.entries(ADDED)) {
  test(`finds ${what} of any organisation, unless it is ahead of the bound or of one that is being restored`, () => {
    for (const org of [1, 2, 3]) addOrg(org)
    addOrg(4, 'staged x')
    assert.equal(newestId(db), undefined)
    for (const other of Object.values(ADDED)) other(1, at(1))
    add(2, at(3))
    add(3, at(2))
    add(4, at(4))
    add(3, at(8))
    assert.equal(newestId(db, NOW + 8000), at(3))
    assert.equal(newestId(db), at(8))
  })
}

test('looks behind the events of an organisation that was restored last', () => {
  addOrg(1)
  addOrg(2)
  addEvent(1, at(5000))
  for (let event = 0; event < 1000; event++) addEvent(2, at(event))
  assert.equal(newestId(db), at(5000))
})

test('makes as many statements for a hundred organisations as for one, none of which looks into the records of each', () => {
  const { prepare } = db
  const prepared = (): string[] => {
    const all: string[] = []
    db.prepare = (sql) => {
      all.push(sql)
      return prepare.call(db, sql)
    }
    newestId(db)
    db.prepare = prepare
    return all
  }
  addOrg(1)
  for (let event = 0; event < 1000; event++) addEvent(1, at(event))
  const before = prepared()
  for (let org = 2; org <= 100; org++) addOrg(org)
  assert.deepEqual(prepared(), before)
  for (const sql of before) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill('')) as {
      detail: string
    }[]
    const steps = plan.map(({ detail }) => detail).join('\n')
    assert.doesNotMatch(steps, /(deals|contacts|companies|notes|tasks|meetings|conversations)\b/)
    assert.doesNotMatch(steps, /TEMP B-TREE FOR ORDER BY/, sql)
  }
})
