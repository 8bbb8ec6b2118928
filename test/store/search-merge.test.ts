import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { commitsIn } from '../../scripts/bench/log.ts'
import { random } from '../../src/demo/story/random.ts'
import { DATABASE, type OpenedStore, openStore } from '../../src/store/open.ts'
import { searchIndex } from '../../src/store/search.ts'
import { MERGE_EVERY, searchMerges } from '../../src/store/search-merge.ts'
import { openEmptyStore } from '../support/empty-store.ts'
import { makeOrg } from '../support/org.ts'

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

describe('the search index', () => {
  test('merges beside the commits, a part at a time', async () => {
    const change = changesOf(3000)
    store.db.pragma('wal_checkpoint(TRUNCATE)')
    for (let batch = 0; batch < 300; batch++) {
      await Promise.all(Array.from({ length: 32 }, () => store.write(change)))
      await nextTurn()
    }
    const sizes = commitsIn(log).map((pages) => pages.length)
    assert.ok(sizes.length > 300 + 300 / MERGE_EVERY - 2, 'transactions of its own')
    assert.ok(Math.max(...sizes) < 500, `a commit of ${Math.max(...sizes)} pages`)
    assert.ok(segments() < 10 * 16, `${segments()} segments`)
  })

  test('merges between the transactions of a command, whose event loop does not turn', () => {
    const change = changesOf(10)
    for (let batch = 0; batch < 100; batch++) store.transaction(change)
    assert.ok(segments() < 4 * 16, `${segments()} segments`)
  })

  test('merges all that there is once nobody writes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const merges = searchMerges(store.db)
    unmerged()
    merges.written()
    const before = segments()
    t.mock.timers.tick(1000)
    while (merges.step()) await nextTurn()
    assert.ok(segments() < before - 15, `${before} segments became ${segments()}`)
    merges.stop()
  })

  test('leaves it for later while another process writes, or the storage refuses writes', () => {
    unmerged()
    const before = segments()
    const other = openStore(folder)
    other.db.exec('BEGIN IMMEDIATE')
    store.db.pragma('busy_timeout = 0')
    const noted: unknown[] = []
    const { step } = searchMerges(store.db, { note: (error) => noted.push(error) })
    assert.equal(step(), false)
    other.db.exec('ROLLBACK')
    other.close()
    assert.deepEqual(noted, [], 'no failure')
    assert.equal(searchMerges(store.db, { isWritable: () => false }).step(), false)
    assert.equal(segments(), before)
    assert.equal(step(), true)
    assert.ok(segments() < before)
  })
})

/** Commits of which nobody is told. */
function unmerged(): void {
  const change = changesOf(10)
  for (let batch = 0; batch < 20; batch++) store.db.transaction(change).immediate()
}
