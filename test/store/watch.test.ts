import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import { watchCommits } from '../../src/store/watch.ts'

describe('whoever waits for commits', () => {
  let folder: string
  let store: OpenedStore
  let notices: boolean[]
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
    store = openStore(folder, { create: true })
    store.db.exec('CREATE TABLE done (n INTEGER NOT NULL PRIMARY KEY) STRICT')
    notices = []
  })
  afterEach(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const insert = (n: number, into = store) => into.db.prepare('INSERT INTO done VALUES (?)').run(n).changes
  const listen = () => store.committed.subscribe((byOthers) => notices.push(byOthers))

  test('is told once after many, in a later turn, when all is there', async () => {
    let seen: unknown
    store.committed.subscribe(() => {
      seen = store.db.prepare('SELECT count(*) FROM done').pluck().get()
    })
    listen()
    for (let n = 0; n < 3; n++) store.transaction(() => insert(n))
    assert.deepEqual(notices, [])
    await nextTurn()
    assert.deepEqual([notices, seen], [[false], 3])
    await Promise.all([store.write(() => insert(3)), store.write(() => insert(4))])
    assert.deepEqual(notices, [false])
    await nextTurn()
    assert.deepEqual([notices, seen], [[false, false], 5])
    await nextTurn()
    assert.equal(notices.length, 2)
  })

  test('is not told of what was rolled back, nor of a part of a transaction', async () => {
    listen()
    assert.throws(() =>
      store.transaction(() => {
        insert(1)
        throw new Error('no')
      }),
    )
    await nextTurn()
    assert.deepEqual(notices, [])
    store.transaction(() => {
      store.transaction(() => insert(1))
    })
    await nextTurn()
    assert.deepEqual(notices, [false])
    store.db.exec('BEGIN')
    store.transaction(() => insert(2))
    await nextTurn()
    assert.deepEqual(notices, [false])
    store.db.exec('ROLLBACK')
  })

  test('is told of what another process commits', async () => {
    const other = openStore(folder)
    const tellings = new Promise<boolean>((resolve) => store.committed.subscribe(resolve))
    other.transaction(() => insert(1, other))
    assert.equal(await tellings, true)
    other.close()
  })

  test('is told nothing any more once it has ended that, and others still are', async () => {
    let others = 0
    const end = listen()
    store.committed.subscribe(() => others++)
    store.transaction(() => insert(1))
    end()
    await nextTurn()
    assert.deepEqual([notices, others], [[], 1])
  })

  test('is told nothing any more when the store is closed', async () => {
    listen()
    store.transaction(() => insert(1))
    store.close()
    await nextTurn()
    assert.deepEqual(notices, [])
  })
})

test('other processes are looked for by one timer, while somebody waits, every 250 ms', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let version = 1
  let looks = 0
  let isBroken = false
  const { committed, noted } = watchCommits({
    byOthers: () => {
      looks++
      if (isBroken) throw new Error('disk I/O error')
      return version
    },
  })
  t.mock.timers.tick(1000)
  assert.equal(looks, 0)
  const notices: boolean[][] = [[], []]
  const ends = notices.map((list) => committed.subscribe((byOthers) => list.push(byOthers)))
  looks = 0
  t.mock.timers.tick(1000)
  assert.deepEqual([looks, notices], [4, [[], []]])
  version = 2
  t.mock.timers.tick(250)
  await nextTurn()
  assert.deepEqual(notices, [[true], [true]])
  noted()
  await nextTurn()
  assert.deepEqual(notices[0], [true, false])
  isBroken = true
  t.mock.timers.tick(250)
  isBroken = false
  for (const end of ends) end()
  looks = 0
  noted()
  t.mock.timers.tick(1000)
  assert.deepEqual([looks, notices[0]?.length], [0, 2])
})
