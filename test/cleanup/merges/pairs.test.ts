import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type PairPage, suspectedPairs } from '../../../src/cleanup/merges/pairs.ts'
import type { Row } from '../../support/records.ts'
import { type MergeFixture, type MergeObject, mergeFixture } from './merge-fixture.ts'

let fixture: MergeFixture
before(async () => {
  fixture = await mergeFixture()
})
after(() => fixture.stop())

const find = (object: MergeObject, limit = 50, below?: string): PairPage =>
  suspectedPairs(fixture.deps).find(fixture.a.org, object, limit, below)

describe('suspected pairs', () => {
  test('name each pair once, at the newer record, newest first', async () => {
    const { company } = fixture
    const [a, b] = [await company({ name: 'Tarn' }), await company({ name: 'Fell', website: 'https://fell.example/' })]
    const c = await company({ name: 'TARN', domains: ['fell.example'] })
    const d = await company({ name: 'tarn' })
    await company({ name: 'Alone' })
    const pair = (older: Row, newer: Row, ...reasons: string[]) => ({ older_id: older.id, newer_id: newer.id, reasons })
    assert.deepEqual(find('company').pairs, [
      pair(a, d, 'name'),
      pair(c, d, 'name'),
      pair(a, c, 'name'),
      pair(b, c, 'domain'),
    ])
  })

  test('go on below the last record of a page, and end', async () => {
    const first = find('company', 1)
    assert.equal(first.pairs.length, 2) // those of one record stay together
    assert.equal(first.more, true)
    const second = find('company', 50, first.last as string)
    assert.equal(second.pairs.length, 2)
    assert.deepEqual([second.more, first.looked + second.looked], [false, 5])
    assert.deepEqual(find('contact'), { pairs: [], looked: 0, last: null, more: false })
  })

  test('end a page after 400 records without any', async () => {
    const { contact } = fixture
    const one = await contact({ last_name: 'Twin' })
    for (let n = 0; n < 450; n++) await contact()
    const other = await contact({ last_name: 'Twin' })
    const first = find('contact')
    assert.deepEqual([first.pairs.length, first.looked, first.more], [1, 400, true])
    assert.deepEqual(first.pairs[0], { older_id: one.id, newer_id: other.id, reasons: ['name'] })
    const second = find('contact', 50, first.last as string)
    assert.deepEqual([second.pairs.length, second.looked, second.more], [0, 52, false])
    assert.equal(suspectedPairs(fixture.deps).find(fixture.b.org, 'contact', 50).looked, 0)
  })

  test('are read from indexes', () => {
    const { db } = fixture.store
    for (const table of ['contacts', 'companies']) {
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN SELECT id FROM ${table} WHERE org_id = ? AND id < ? ORDER BY id DESC LIMIT ?`)
        .all(1, 'x', 1) as { detail: string }[]
      assert.deepEqual(
        plan.map(({ detail }) => detail),
        [`SEARCH ${table} USING PRIMARY KEY (org_id=? AND id<?)`],
      )
    }
  })
})
