import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { commitsIn, pagesIn } from '../../scripts/bench/log.ts'
import { random } from '../../src/demo/story/random.ts'
import { batches } from '../../src/store/batches.ts'
import { DATABASE, type OpenedStore, openStore } from '../../src/store/open.ts'
import { searchIndex } from '../../src/store/search/search.ts'
import { pendingWords } from '../../src/store/search/search-index.ts'
import { MANY, upkeep } from '../../src/store/upkeep.ts'
import { openEmptyStore } from '../support/empty-store.ts'
import { makeOrg } from '../support/org.ts'
import { checkIntegrity, indexAll } from './searched.ts'

const folder = mkdtempSync(join(tmpdir(), 'dealbox-merge-'))
const log = join(folder, `${DATABASE}-wal`)
let store: OpenedStore
let org: number
before(async () => {
  store = openEmptyStore(folder)
  store.db.pragma('synchronous = OFF')
  store.db.pragma('wal_autocheckpoint = 0')
  ;({ org } = await makeOrg(store, folder, 'Acme'))
})
after(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const segments = () => store.db.prepare('SELECT count(DISTINCT segid) FROM search_idx').pluck().get() as number

/** Returns a job that gives records of the same ids other words each time. */
function changesOf(count: number): () => null {
  const { put } = searchIndex(store.db, 'deal')
  const ids = Array.from({ length: count }, () => store.clock.id())
  const { int } = random(1)
  return () => {
    const words = Array.from({ length: 8 }, () => `word${int(20_000)}`)
    put(org, ids[int(count)] as string, [...new Set(words)])
    return null
  }
}

const pending = () => store.db.prepare('SELECT count(*) FROM search_pending').pluck().get() as number

/** Commits of which nobody is told. */
function unmerged(count: number): void {
  const change = changesOf(10)
  for (let batch = 0; batch < count; batch++) {
    store.db
      .transaction(() => {
        change()
        pendingWords(store.db).index(1)
      })
      .immediate()
  }
}

describe('the search index', () => {
  test('is written beside the commits of records, a part at a time', async () => {
    const change = changesOf(3000)
    store.db.pragma('wal_checkpoint(TRUNCATE)')
    let most = 0
    const own: number[] = []
    for (let batch = 0; batch < 150; batch++) {
      const began = pagesIn(log)
      await Promise.all(Array.from({ length: 32 }, () => store.write(change)))
      own.push(pagesIn(log) - began)
      most = Math.max(most, pending())
      await nextTurn()
    }
    const median = own.toSorted((a, b) => a - b)[75] as number
    assert.ok(median < 30, `a batch of words wrote ${median} pages`)
    const sizes = commitsIn(log).map((pages) => pages.length)
    assert.ok(Math.max(...sizes) < 500, `a commit of ${Math.max(...sizes)} pages`)
    assert.ok(most < MANY + 32 + 32, `${most} documents were pending`)
    assert.ok(segments() < 4 * 16, `${segments()} segments`)
  })

  test('is written between the transactions of a command, whose event loop does not turn', () => {
    const change = changesOf(1000)
    const batch = batches(store, { now: () => 0, sleep: () => undefined })
    for (let count = 0; count < 40; count++) batch(() => Array.from({ length: 50 }, change))
    assert.ok(pending() < MANY, `${pending()} documents are pending`)
    assert.ok(segments() < 4 * 16, `${segments()} segments`)
  })

  test('is merged after removals too', () => {
    const { remove } = searchIndex(store.db, 'deal')
    const ids = store.db.prepare('SELECT record_id FROM search_docs').pluck().all() as string[]
    indexAll(store)
    const batch = batches(store, { now: () => 0, sleep: () => undefined })
    for (const id of ids.slice(0, 300)) batch(() => remove(org, id))
    assert.ok(segments() < 4 * 16, `${segments()} segments`)
  })

  test('is merged wholly once nobody writes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const behind = upkeep(store.db)
    unmerged(40)
    const before = segments()
    behind.written()
    t.mock.timers.tick(1000)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    assert.ok(segments() < before - 30, `${before} segments became ${segments()}`)
    behind.stop()
  })

  test('is left for later while another process writes, or the storage refuses writes', () => {
    const change = changesOf(1000)
    store.db.transaction(() => Array.from({ length: 2 * MANY }, change)).immediate()
    const before = pending()
    const other = openStore(folder)
    other.db.exec('BEGIN IMMEDIATE')
    store.db.pragma('busy_timeout = 0')
    store.db.pragma('synchronous = FULL')
    const noted: unknown[] = []
    const behind = upkeep(store.db, { note: (error) => noted.push(error) })
    assert.equal(behind.isDue(), true)
    assert.equal(behind.stepOfCommand(), false)
    other.db.exec('ROLLBACK')
    other.close()
    assert.deepEqual(noted, [], 'no failure')
    assert.equal(upkeep(store.db, { isWritable: () => false }).stepOfCommand(), false)
    // A command that cannot write does not try for ever.
    const refused = { ...store, upkeep: { isDue: () => true, stepOfCommand: () => false } }
    batches(refused, { now: () => 0, sleep: () => undefined })(() => null)
    assert.equal(pending(), before)
    assert.equal(behind.stepOfCommand(), true)
    assert.equal(store.db.pragma('synchronous', { simple: true }), 2, 'commits of records are synced')
    store.db.pragma('synchronous = OFF')
    assert.equal(behind.isDue(), false)
    assert.equal(pending(), 0)
  })

  test('has room for the longest texts: a transaction stops in between', () => {
    const { put, remove } = searchIndex(store.db, 'meeting')
    const ids = Array.from({ length: 40 }, () => store.clock.id())
    const words = Array.from({ length: 2000 }, (_, at) => `${'long'.repeat(5)}${at}`)
    store.transaction(() => {
      for (const id of ids) put(org, id, words)
    })
    assert.equal(
      store.transaction(() => pendingWords(store.db).index(1000)),
      32,
    )
    store.transaction(() => {
      for (const id of ids) remove(org, id)
    })
    checkIntegrity(store.db)
  })
})
