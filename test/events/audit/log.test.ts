import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { recurringWork } from '../../../src/cli/serve/recurring.ts'
import { type Actor, hashOf, lineOf, NO_HASH, type Row } from '../../../src/events/audit/entry.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import { purgeAuditLog } from '../../../src/events/audit/purge.ts'
import { verifier } from '../../../src/events/audit/verify.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { type OpenedStore, openStore } from '../../../src/store/open.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { makeOrg, type Org } from '../../support/org.ts'

// The audit log itself: what may be written to it, and what is found when somebody has changed it.

const SERVER: Actor = { type: 'server' }
let folder: string
let store: OpenedStore
let now: number
let org: Org

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dealbox-audit-'))
  now = Date.UTC(2026, 10, 20)
  store = openEmptyStore(folder, { wall: () => now })
  store.db.pragma('synchronous = OFF')
  org = await makeOrg(store, folder, 'Acme')
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

const write = (action: string, given: object = {}): void =>
  store.transaction(() => auditLog(store).record({ org: org.org, actor: SERVER, action, ...given }))
const writeMany = (count: number): void => {
  for (let number = 1; number <= count; number++) write(`thing.${number}`, { detail: { number } })
}
const actions = (chain = org.id): string[] => [...auditLog(store).all(chain)].map(({ action }) => action)
const faultOf = (chain = org.id): string | null => verifier(store)(chain).fault

describe('an entry', () => {
  test('says who did what, of which organisation, and belongs to its transaction', () => {
    const actor: Actor = { type: 'member', member: org.owner, via: 'token t' }
    write('token.revoked', { actor, record: 'r', detail: { at: 1 } })
    const [row] = auditLog(store).all(org.id)
    assert.ok(row)
    const { hash, ...entry } = JSON.parse(lineOf(row))
    assert.match(hash, /^[0-9a-f]{64}$/)
    assert.deepEqual(entry, {
      org: org.id,
      seq: 1,
      at: '2026-11-20T00:00:00.000Z',
      actor: { type: 'member', id: org.owner, email: 'ana@acme.example', via: 'token t' },
      action: 'token.revoked',
      record_id: 'r',
      detail: { at: 1 },
    })
    assert.throws(() => auditLog(store).record({ org: null, actor: SERVER, action: 'x' }), /belongs to the transaction/)
    assert.throws(() =>
      store.transaction(() => {
        auditLog(store).record({ org: org.org, actor: SERVER, action: 'undone' })
        throw new Error('undone')
      }),
    )
    assert.deepEqual(actions(), ['token.revoked'])
  })

  test('of the whole installation is in a chain of its own', () => {
    write('one')
    write('two', { org: null })
    assert.deepEqual([actions(), actions('')], [['one'], ['two']])
    assert.deepEqual(auditLog(store).chains(), ['', org.id])
    const [row] = auditLog(store).all('')
    assert.equal(row && JSON.parse(lineOf(row)).org, null)
    assert.deepEqual([faultOf(), faultOf('')], [null, null])
  })

  test('follows those of other processes, and of the same batch, without those that were rolled back', async () => {
    const other = openStore(folder, { wall: () => now })
    const add = (action: string, to = store) => auditLog(to).record({ org: org.org, actor: SERVER, action })
    for (const number of [1, 2, 3]) {
      store.transaction(() => add(`ours ${number}`))
      other.transaction(() => add(`theirs ${number}`, other))
    }
    other.close()
    const failing = () => {
      add('failed')
      throw new Error('failed')
    }
    await Promise.allSettled([
      store.write(() => void add('first')),
      store.write(failing),
      store.write(() => void add('last')),
    ])
    const six = [1, 2, 3].flatMap((number) => [`ours ${number}`, `theirs ${number}`])
    assert.deepEqual([actions(), faultOf()], [[...six, 'first', 'last'], null])
  })

  test('does not become longer than a page', () => {
    write('long', { detail: { text: 'x'.repeat(5000) } })
    const [row] = auditLog(store).all(org.id)
    assert.equal(row?.detail, '{"is_too_long":true}')
  })

  test('can be checked with nothing but its line and the hash before it', () => {
    writeMany(3)
    let previous = NO_HASH
    for (const row of auditLog(store).all(org.id)) {
      const { hash: own, ...entry } = JSON.parse(lineOf(row))
      assert.equal(hash('sha256', `${previous}\n${JSON.stringify(entry)}`), own)
      previous = own
    }
    assert.equal(previous, verifier(store)(org.id).last_hash)
  })
})

describe('the database itself', () => {
  const refused = (sql: string, message: RegExp): void => {
    assert.throws(() => store.db.exec(sql), message, sql)
    assert.equal(faultOf(), null)
  }

  test('refuses to change, remove and insert entries', () => {
    writeMany(3)
    refused("UPDATE audit_log SET action = 'x'", /do not change/)
    refused('DELETE FROM audit_log WHERE seq = 1', /only with those before them/)
    refused('DELETE FROM audit_log', /only with those before them/)
    const copy = (seq: string) =>
      `SELECT org, ${seq}, at, actor_type, actor_id, actor_email, via, action, record_id, detail, hash`
    refused(`INSERT INTO audit_log ${copy('seq + 5')} FROM audit_log WHERE seq = 3`, /only takes the next/)
    refused(`INSERT OR REPLACE INTO audit_log ${copy('seq')} FROM audit_log WHERE seq = 3`, /only takes the next/)
    refused('UPDATE audit_chains SET last_seq = 2', /only grows/)
    refused('UPDATE audit_chains SET anchor_seq = 4', /only grows/)
    refused("UPDATE audit_chains SET org = 'x'", /only grows/)
    refused('DELETE FROM audit_chains', /stays/)
    assert.equal(actions().length, 3)
  })
})

describe('whoever gets around that', () => {
  /** Runs SQL as somebody with the file and a shell would. */
  const tamper = (sql: string): string | null => {
    const { db } = store
    for (const name of db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'audit%'")
      .pluck()
      .all())
      db.exec(`DROP TRIGGER ${name}`)
    db.pragma('foreign_keys = OFF')
    db.exec(sql)
    return faultOf()
  }

  for (const [what, sql, fault] of [
    ['changed an entry', "UPDATE audit_log SET actor_type = 'stranger' WHERE seq = 3", 'changed: entry 3 or 2,'],
    ['changed the first entry', "UPDATE audit_log SET action = 'x' WHERE seq = 1", 'changed: entry 1'],
    ['changed when it was', 'UPDATE audit_log SET at = at + 1 WHERE seq = 3', 'changed: entry 3 or 2,'],
    ['changed it to no time', 'UPDATE audit_log SET at = 9000000000000000 WHERE seq = 3', 'changed: entry 3 or 2,'],
    ['changed the detail', "UPDATE audit_log SET detail = '{}' WHERE seq = 5", 'changed: entry 5 or 4,'],
    ['changed a hash', `UPDATE audit_log SET hash = '${NO_HASH}' WHERE seq = 3`, 'changed: entry 3 or 2,'],
    ['changed the last hash', `UPDATE audit_chains SET last_hash = '${NO_HASH}'`, 'changed: entry 5, the last one'],
    ['removed an entry', 'DELETE FROM audit_log WHERE seq = 3', 'missing: entry 3'],
    ['removed the first ones', 'DELETE FROM audit_log WHERE seq < 3', 'missing: entries 1 to 2'],
    ['removed the last ones', 'DELETE FROM audit_log WHERE seq > 3', 'missing at the end: entries 4 to 5'],
    ['removed all', 'DELETE FROM audit_log', 'missing at the end: entries 1 to 5'],
    [
      'moved an entry up',
      'DELETE FROM audit_log WHERE seq = 3; UPDATE audit_log SET seq = 3 WHERE seq = 4; UPDATE audit_log SET seq = 4 WHERE seq = 5; UPDATE audit_chains SET last_seq = 4',
      'changed: entry 3 or 2,',
    ],
    [
      'inserted an entry',
      "UPDATE audit_log SET seq = seq + 100 WHERE seq > 2; INSERT INTO audit_log SELECT org, 3, at, actor_type, actor_id, actor_email, via, 'x', record_id, detail, hash FROM audit_log WHERE seq = 2; UPDATE audit_log SET seq = seq - 99 WHERE seq > 100; UPDATE audit_chains SET last_seq = 6",
      'changed: entry 3 or 2,',
    ],
    [
      'appended an entry',
      "INSERT INTO audit_log SELECT org, 6, at, actor_type, actor_id, actor_email, via, 'x', record_id, detail, hash FROM audit_log WHERE seq = 5",
      'changed: entry 6 or 5,',
    ],
    [
      'moved entries to another organisation',
      "UPDATE audit_log SET org = 'x' WHERE seq = 5",
      'missing at the end: entry 5',
    ],
    [
      'set the anchor',
      'UPDATE audit_chains SET anchor_seq = 2; DELETE FROM audit_log WHERE seq < 3',
      'changed: entry 3 or 2,',
    ],
  ] as const) {
    test(`and ${what} is found out`, () => {
      writeMany(5)
      assert.equal(faultOf(), null)
      const found = tamper(sql)
      assert.ok(found?.startsWith(fault), `${found}`)
    })
  }

  test('and appends an entry with the right hash is found out', () => {
    writeMany(2)
    const last = [...auditLog(store).all(org.id)].at(-1) as Row
    const added = { ...last, seq: 3, action: 'x' }
    const values = Object.values({ ...added, hash: hashOf(last.hash, added) })
    tamper('SELECT 1')
    store.db.prepare(`INSERT INTO audit_log VALUES (${values.map(() => '?').join(', ')})`).run(...values)
    assert.equal(faultOf(), 'inserted at the end: entry 3')
  })

  test('and writes the whole log anew is found out only by a hash that was kept elsewhere', () => {
    writeMany(2)
    const { last_hash } = verifier(store)(org.id)
    assert.ok(auditLog(store).has(org.id, last_hash))
    tamper(`DELETE FROM audit_log; UPDATE audit_chains SET last_seq = 0, last_hash = '${NO_HASH}'`)
    assert.equal(faultOf(), null)
    assert.ok(!auditLog(store).has(org.id, last_hash))
  })
})

describe('old entries', () => {
  const purge = (days = 365) => store.transaction(() => purgeAuditLog(store, days * DAY_MS))

  test('are deleted after their time, and the chain holds from its anchor on', () => {
    writeMany(3)
    now += 200 * DAY_MS
    write('later')
    assert.equal(purge(), undefined)
    assert.equal(actions().length, 4)
    now += 166 * DAY_MS
    assert.equal(purge(), undefined)
    assert.deepEqual(actions(), ['later'])
    const { fault, first_seq, last_seq, entries } = verifier(store)(org.id)
    assert.deepEqual([fault, first_seq, last_seq, entries], [null, 4, 4, 1])
    now += 300 * DAY_MS
    purge()
    assert.deepEqual([actions(), faultOf(), verifier(store)(org.id).last_seq], [[], null, 4])
    write('again')
    assert.deepEqual([faultOf(), verifier(store)(org.id).last_seq], [null, 5])
  })

  test('are deleted by the server each hour, after the time of --audit-retention', () => {
    const work = (days: number) =>
      recurringWork({ keepEventsMs: DAY_MS, keepAuditMs: days * DAY_MS }).find(({ name }) => name === 'purge audit log')
    writeMany(1)
    now += 2 * DAY_MS
    for (const [days, left] of [
      [3, 1],
      [1, 0],
    ] as const) {
      store.transaction(() => void work(days)?.run(store))
      assert.equal(actions().length, left)
    }
    assert.equal(work(1)?.everyMs, HOUR_MS)
  })

  test('of every chain are deleted, a batch at a time', () => {
    store.transaction(() => {
      const { record } = auditLog(store)
      for (let count = 0; count < 501; count++) record({ org: org.org, actor: SERVER, action: 'many' })
      record({ org: null, actor: SERVER, action: 'one' })
    })
    now += 400 * DAY_MS
    assert.equal(purge(), 'more')
    assert.equal(actions().length, 1)
    assert.equal(purge(), undefined)
    assert.deepEqual([actions(), actions(''), faultOf(), faultOf('')], [[], [], null, null])
  })

  test('are kept as long as an entry before them is not old, and one of a wrong clock keeps none', () => {
    write('first')
    store.db.exec('DROP TRIGGER audit_log_kept')
    write('second')
    store.db.prepare('UPDATE audit_log SET at = ? WHERE seq = 1').run(now + 5000 * DAY_MS) // a clock years ahead
    now += 400 * DAY_MS
    write('third')
    purge()
    assert.deepEqual(actions(), ['third'])
  })
})
