import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { addOrgs, multiplyDeals } from '../scripts/bench/capacity-fill.ts'
import { seedTemplate } from '../scripts/bench/capacity-template.ts'
import { verifier } from '../src/events/audit/verify.ts'
import { danglingReferences, pageErrors } from '../src/ops/doctor/inspect/inspect.ts'
import { strayDocs } from '../src/ops/doctor/inspect/orphans.ts'
import { schemaDrift } from '../src/ops/doctor/inspect/shape.ts'
import { type OpenedStore, openStore } from '../src/store/open.ts'
import { allOrgs } from '../src/store/orgs/orgs.ts'
import { isOwnerWord, KINDS, type Kind, markOf } from '../src/store/search/search.ts'
import { numbersOf } from '../src/store/sqlite/doc-numbers.ts'
import { connection } from '../src/store/sqlite/driver.ts'

// The folders that docs/scale.md measures are like those of real organisations.

const work = mkdtempSync(join(tmpdir(), 'dealbox-scale-test-'))
after(() => rmSync(work, { recursive: true }))

type Doc = { docid: bigint; org: bigint; kind: bigint; id: string; words: string }

/** What doctor and SQLite examine, and the numbers and words of the documents. */
function checkSound({ db }: OpenedStore): void {
  assert.deepEqual(pageErrors(db, true), [])
  assert.deepEqual(danglingReferences(db), [])
  assert.deepEqual(schemaDrift(db), [])
  assert.deepEqual(strayDocs(db), [])
  connection(db).exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
  const kinds = Object.entries(KINDS).map(([kind, number]) => [BigInt(number), kind as Kind] as const)
  const owners = new Set(db.prepare("SELECT org_id || replace(id, '-', '') FROM members").pluck().all() as string[])
  const docs = db.prepare('SELECT docid, org_id AS org, kind, record_id AS id, words FROM search_docs').safeIntegers()
  for (const { docid, org, kind, id, words } of docs.all() as Doc[]) {
    const [first, end] = numbersOf(id)
    assert.ok(docid >= first && docid < end, id)
    const mark = markOf(Number(org), new Map(kinds).get(kind) as Kind)
    for (const word of words.split(' ').filter(Boolean)) {
      assert.ok(word.startsWith(mark), id)
      if (isOwnerWord(word)) assert.ok(owners.has(org + word.slice(mark.length + 1)), id)
    }
  }
}

test('organisations are added in steps, each with all that the first one has, under ids of its own', () => {
  const folder = join(work, 'orgs')
  seedTemplate(folder, 60, 'all')
  addOrgs(folder, 2)
  addOrgs(folder, 4)
  addOrgs(folder, 4)
  const store = openStore(folder)
  const { db } = store
  try {
    checkSound(store)
    for (const table of [
      'deals',
      'contacts',
      'companies',
      'messages',
      'tasks',
      'events',
      'search_docs',
      'search_words',
    ]) {
      const counts = db.prepare(`SELECT count(*) FROM ${table} GROUP BY org_id ORDER BY org_id`).pluck().all()
      assert.equal(counts.length, 4, table)
      assert.equal(new Set(counts).size, 1, table)
    }
    const ids = db.prepare('SELECT count(*) AS all_of, count(DISTINCT id) AS own FROM deals').get()
    assert.deepEqual(ids, { all_of: 240, own: 240 })
    for (const { public_id } of allOrgs(db)) assert.equal(verifier(store)(public_id).fault, null)
  } finally {
    store.close()
  }
})

test('deals, contacts and companies of an organisation are multiplied, with their events', () => {
  const folder = join(work, 'deals')
  seedTemplate(folder, 60, 'deals')
  multiplyDeals(folder, 5)
  const store = openStore(folder)
  const { db } = store
  try {
    checkSound(store)
    const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    assert.deepEqual([count('deals'), count('orgs'), count('notes'), count('conversations')], [300, 1, 0, 0])
    const events = db.prepare('SELECT count(*) AS n, min(seq) AS first, max(seq) AS last FROM events').get()
    const last = db.prepare('SELECT last_seq FROM orgs').pluck().get()
    assert.deepEqual(events, { n: last, first: 1, last })
  } finally {
    store.close()
  }
})
