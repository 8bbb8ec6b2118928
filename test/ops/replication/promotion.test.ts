import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import { lastCommon, type Trail, trailOf } from '../../../src/events/trail.ts'
import { Problem } from '../../../src/lib/problem.ts'
import {
  claimEpoch,
  epochToFollow,
  lastKept,
  noteBegun,
  noteStopped,
  readEpoch,
} from '../../../src/ops/replication/epochs.ts'
import { epochOf, promoteCopy } from '../../../src/ops/replication/followed/promotion.ts'
import { isSamePlace, noteFenced, registerStandby } from '../../../src/ops/replication/holder.ts'
import { claimNext } from '../../../src/ops/replication/promotion.ts'
import type { ReplicaStorage } from '../../../src/ops/replication/replica/copy.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { keyFileNames, makeKeyFile } from '../../../src/store/folder/key-file.ts'
import { isCopy } from '../../../src/store/folder/marks.ts'
import { openStore } from '../../../src/store/open.ts'
import { type Database, openSqlite } from '../../../src/store/sqlite/driver.ts'
import { cli, temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg } from '../../support/org.ts'

// How an epoch is claimed, and how a copy becomes a database of its own.

const parent = temporaryFolder()
/** Older primaries noted no trail. */
const none = (): number => assert.fail('there is no trail')
const AT = '2026-01-02T00:00:00.000Z'
let count = 0

describe('an epoch', () => {
  let folder: string
  beforeEach(() => {
    folder = join(parent, `replica-${++count}`)
    mkdirSync(folder)
  })

  /** Claims with a clock that only waiting moves. Returns how long it has waited. */
  async function claim(
    given: {
      epoch?: number
      /** The last event and the last heartbeat. */
      arrived?: (waited: number) => [number, number] | undefined
      abandons?: boolean
      isOldOff?: boolean
      meanwhile?: () => Promise<unknown>
    } = {},
  ) {
    let waited = 0
    const { arrived = () => [5, 5] } = given
    const made = await claimNext({
      copy: folderCopy(folder),
      standby: {
        epoch: given.epoch ?? 1,
        arrived: () => {
          const [commit_seq, beat] = arrived(waited) ?? []
          return commit_seq === undefined || beat === undefined ? undefined : { commit_seq, beat }
        },
      },
      url: 'http://new.example.com',
      abandons: given.abandons ?? false,
      isOldOff: given.isOldOff ?? false,
      now: () => 0,
      monotonic: () => waited,
      wait: async (ms) => {
        waited += ms
        await given.meanwhile?.()
      },
    })
    return { ...made, waited }
  }
  const knows = (epoch: number) => noteFenced(folderCopy(folder), epoch, 2000)
  /** The first primary, which knows of a standby. */
  async function first() {
    await claimEpoch(folderCopy(folder), { epoch: 1, from: 0, primary_url: null, now: 0 })
    await knows(1)
  }
  const stops = (commit_seq: number, beat = 1) => noteStopped(folderCopy(folder), 1, { commit_seq, beat, at: AT })
  async function begins(epoch: number, commit_seq = 5) {
    await noteBegun(folderCopy(folder), epoch, { commit_seq, beat: 1, at: AT })
    await knows(epoch)
  }

  test('is that of the next primary, whose predecessor knows of it for longer than a lease', async () => {
    await first()
    const { waited, ...claimed } = await claim()
    assert.deepEqual(claimed, { epoch: 2, wasFenced: true, isComplete: false })
    assert.ok(waited >= 2400 && waited < 2900, String(waited))
    assert.equal((await readEpoch(folderCopy(folder), 2))?.primary_url, 'http://new.example.com')
  })

  test('begins at once when the old primary has said that it stopped, and all of it has arrived', async () => {
    await first()
    await stops(7)
    const { waited, isComplete } = await claim({
      arrived: (ms) => (ms >= 1000 ? [7, 1] : ms >= 500 ? [6, 1] : undefined),
    })
    assert.deepEqual([waited, isComplete], [1000, true])
  })

  test('waits for the last heartbeat as well: not everything makes an event', async () => {
    await first()
    await stops(7, 3)
    const { waited, isComplete } = await claim({ arrived: (ms) => [7, ms >= 1000 ? 3 : 2] })
    assert.deepEqual([waited, isComplete], [1000, true])
  })

  test('waits in vain for what never arrives', async () => {
    await first()
    await stops(7)
    const { waited, isComplete } = await claim({ arrived: () => [6, 1] })
    assert.deepEqual([waited, isComplete], [7500, false])
  })

  test('is that of nobody where the storage lets two servers make the same file', async () => {
    const copy = folderCopy(folder)
    const put = async (name: string, content: Buffer) => copy.put(name, content).then(() => true)
    const standby = { epoch: 1, arrived: () => undefined }
    const given = { copy: { ...copy, create: put }, standby, url: null, abandons: false, isOldOff: false }
    await assert.rejects(claimNext(given), { code: 'copy_overwrites' })
    assert.equal(await readEpoch(copy, 2), undefined)
  })

  test('waits for the primary that it replaces, and not for one before it that has stopped', async () => {
    await first()
    await stops(5)
    assert.equal((await claim()).waited, 0)
    await begins(2)
    const { epoch, waited, isComplete } = await claim({ abandons: true })
    assert.deepEqual([epoch, isComplete], [3, false])
    assert.ok(waited >= 2400 && waited < 2900, String(waited))
  })

  test('is refused where a primary in between has begun while it waited', async () => {
    await first()
    await claim()
    await assert.rejects(claim({ meanwhile: () => begins(2) }), { code: 'older_epoch' })
    assert.equal((await claim({ abandons: true })).isComplete, false)
  })

  test('is refused to a copy of an older primary also after a promotion that did not begin', async () => {
    await first()
    await claim()
    await begins(2)
    await claim({ epoch: 2 })
    await assert.rejects(claim(), { code: 'older_epoch' })
  })

  test('has of the one before what it began with, also one that was promoted from an older copy', async () => {
    const copy = folderCopy(folder)
    assert.equal(await lastKept(copy, 1, none), undefined)
    await first()
    await claim()
    await begins(2, 10)
    assert.deepEqual([await lastKept(copy, 1, none), await lastKept(copy, 2, none)], [10, undefined])
    await claim({ abandons: true })
    await begins(3, 14)
    assert.deepEqual([await lastKept(copy, 1, none), await lastKept(copy, 2, none)], [10, 10])
    await claim({ epoch: 3 })
    await begins(4, 20)
    assert.deepEqual([await lastKept(copy, 2, none), await lastKept(copy, 3, none)], [10, 20])
  })

  test('has what both histories have, although the other one gave the same numbers to other events', async () => {
    const history = (from: string, count: number): [number, string][] =>
      Array.from({ length: count }, (_, n) => [n + 1, n < 10 ? `both ${n}` : `${from} ${n}`])
    const databaseOf = (events: [number, string][]): Database => {
      const db = openSqlite(':memory:')
      db.exec('CREATE TABLE events (commit_seq INTEGER PRIMARY KEY, id TEXT)')
      for (const event of events) db.prepare('INSERT INTO events VALUES (?, ?)').run(event)
      return db
    }
    const trail = trailOf(databaseOf(history('clone', 20)))
    assert.deepEqual(
      trail.map(([number]) => number),
      [20, 19, 17, 13, 5],
    )
    assert.deepEqual(trailOf(databaseOf([])), [])
    const here = databaseOf(history('here', 30))
    const common = (given: Trail) => lastCommon(here, given)
    assert.deepEqual([common(trail), common([]), common(trail.slice(0, 3))], [5, 0, 0])
    const copy = folderCopy(folder)
    await first()
    await claim()
    await noteBegun(copy, 2, { commit_seq: 20, beat: 1, at: AT, trail })
    assert.equal(await lastKept(copy, 1, common), 5)
    await knows(2)
    // The next one goes on from that one, whose own events do not count; one from a copy of the first does.
    await claim({ epoch: 2 })
    await noteBegun(copy, 3, {
      commit_seq: 40,
      beat: 1,
      at: AT,
      trail: [
        [40, 'other'],
        [3, 'both 2'],
      ],
    })
    assert.equal(await lastKept(copy, 1, common), 5)
    await knows(3)
    await claim({ abandons: true })
    await noteBegun(copy, 4, {
      commit_seq: 40,
      beat: 1,
      at: AT,
      trail: [
        [40, 'other'],
        [3, 'both 2'],
      ],
    })
    assert.equal(await lastKept(copy, 1, common), 3)
  })

  test('is followed once its copy is there; storage that fails does not say that there is none', async () => {
    const copy = folderCopy(folder)
    assert.equal(await epochToFollow(copy), 1)
    await begins(2)
    assert.equal(await epochToFollow(copy), 1)
    const broken: ReplicaStorage = {
      ...copy,
      below: () => ({ ...copy, files: () => Promise.reject(new Problem(502, 'place_failed', 'It stalls.')) }),
    }
    await assert.rejects(epochToFollow(broken), { code: 'place_failed' })
  })

  test('is refused where the primary never noticed a standby, after a while in which it could have', async () => {
    await claimEpoch(folderCopy(folder), { epoch: 1, from: 0, primary_url: null, now: 0 })
    let waited = 0
    const meanwhile = async () => void waited++
    await assert.rejects(claim({ meanwhile }), (error: Problem) => {
      assert.deepEqual([error.status, error.code], [409, 'not_seen'])
      assert.match(error.message, /goes on writing while it cannot reach the replica.*--old-primary-is-off/)
      return true
    })
    assert.equal(waited, 20)
    assert.equal(await readEpoch(folderCopy(folder), 2), undefined)
    const { waited: longest, wasFenced } = await claim({ isOldOff: true })
    assert.equal(wasFenced, false)
    assert.ok(longest >= 4400 && longest < 4900, 'as long as a primary of an older version goes on')
  })

  test('is that of a standby that the primary notices meanwhile', async () => {
    await claimEpoch(folderCopy(folder), { epoch: 1, from: 0, primary_url: null, now: 0 })
    assert.equal((await claim({ meanwhile: () => knows(1) })).wasFenced, true)
  })

  test('is refused where the newest primary never noticed a standby, also to who gives up what that has written', async () => {
    await first()
    await claim()
    await noteBegun(folderCopy(folder), 2, { commit_seq: 5, beat: 1, at: AT })
    await assert.rejects(claim({ abandons: true }), { code: 'not_seen' })
    assert.equal((await claim({ abandons: true, isOldOff: true })).epoch, 3)
  })

  test('is refused in a folder that another program synchronises with that of the primary', async () => {
    const there = join(parent, `there-${++count}`)
    mkdirSync(there)
    await claimEpoch(folderCopy(there), { epoch: 1, from: 0, primary_url: null, now: 0 })
    await registerStandby(folderCopy(there), 1, 0)
    await noteFenced(folderCopy(there), 1, 2000)
    cpSync(there, folder, { recursive: true, preserveTimestamps: true })
    await assert.rejects(claim(), { code: 'folder_synchronised' })
    assert.equal((await claim({ isOldOff: true })).epoch, 2)
    // On the share itself, by whatever path, it is the same file.
    folder = join(there, '.')
    assert.equal((await claim()).epoch, 2)
    // Some shares number the files anew on each machine, and some do not tell when they changed.
    const copy = folderCopy(there)
    const fenced = {
      lease_ms: 2000,
      standby: `1 ${(await copy.identity?.('epoch-00000001-standby.json'))?.split(' ')[1]}`,
    }
    assert.equal(await isSamePlace(copy, 1, fenced), true)
    assert.equal(await isSamePlace(copy, 1, { ...fenced, standby: null }), undefined)
    assert.equal(await isSamePlace({ ...copy, identity: async () => undefined }, 1, fenced), undefined)
  })

  test('is won by one of those who are promoted at the same moment', async () => {
    await first()
    const settled = await Promise.allSettled([claim(), claim(), claim()])
    const won = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.epoch] : []))
    assert.equal(new Set(won).size, won.length)
    assert.ok(won.includes(2))
    for (const each of settled)
      if (each.status === 'rejected') assert.equal((each.reason as Problem).code, 'promoted_meanwhile')
  })

  test('is refused to a copy of an older primary than the last one that began, unless that is given up', async () => {
    await first()
    await claim()
    assert.equal((await claim()).epoch, 3) // the second never began
    await begins(3)
    await assert.rejects(claim(), { code: 'older_epoch' })
    assert.equal((await claim({ epoch: 3 })).epoch, 4)
    await begins(4, 6)
    assert.equal((await claim({ epoch: 3, abandons: true })).epoch, 5)
  })
})

describe('a copy', () => {
  const original = join(parent, 'original')
  let data: string
  const file = () => join(data, 'dealbox.db')
  const promote = (epoch = 2) => promoteCopy(data, { epoch, url: 'http://new.example.com', now: 1000 })

  before(async () => {
    const store = openStore(original, { create: true })
    await makeOrg(store, original, 'Acme')
    store.db.prepare('UPDATE orgs SET last_seq = 41').run()
    makeKeyFile(original, 'cursor.key', randomBytes(32))
    store.close()
    const db = openSqlite(join(original, 'dealbox.db'))
    db.pragma('journal_mode = DELETE')
    db.close()
  })
  beforeEach(() => {
    data = join(parent, `copy-${++count}`)
    mkdirSync(join(data, 'keys'), { recursive: true })
    for (const name of ['dealbox.db', ...keyNames()]) copyFileSync(join(original, name), join(data, name))
    writeFileSync(`${file()}-txid`, '1')
  })
  const keyNames = () => openKeys().map((name) => `keys/${name}`)
  const openKeys = () => keyFileNames(original)

  function read(sql: string): unknown {
    const db = openSqlite(file(), { readonly: true })
    try {
      return db.prepare(sql).raw().get()
    } finally {
      db.close()
    }
  }

  test('becomes the database of a later primary, with numbers of its own for events', async () => {
    await promote()
    assert.deepEqual(read('SELECT epoch, promoted_at, primary_url FROM replication'), [
      2,
      1000,
      'http://new.example.com',
    ])
    assert.deepEqual(read('SELECT last_seq FROM orgs'), [1_000_000_000])
    assert.equal(isCopy(file()), false)
    openStore(data).close()
    writeFileSync(`${file()}-txid`, '1')
    await promote()
    assert.deepEqual(read('SELECT last_seq FROM orgs'), [2_000_000_000])
  })

  test('is checked in a thread: minutes in which this one does nothing would end a service', async () => {
    let threads = 0
    const count = () => threads++
    process.on('worker', count)
    await promote()
    process.off('worker', count)
    assert.equal(threads, 1)
  })

  test('has other numbers than the epochs between, whose copy it was not', async () => {
    await promote(4)
    assert.deepEqual(read('SELECT last_seq FROM orgs'), [3_000_000_000])
  })

  test('stays one if it is damaged, has lost a row that others refer to, or lacks keys', async () => {
    const refused = async (code: string) => {
      await assert.rejects(promote(), { code })
      assert.equal(isCopy(file()), true)
      assert.deepEqual(read('SELECT epoch FROM replication'), [1])
    }
    rmSync(join(data, 'keys/cursor.key'))
    await refused('keys_missing')
    copyFileSync(join(original, 'keys/cursor.key'), join(data, 'keys/cursor.key'))
    const db = openSqlite(file())
    db.pragma('foreign_keys = OFF')
    db.exec('DELETE FROM members')
    db.close()
    writeFileSync(`${file()}-txid`, '2')
    await refused('copy_unusable')
    copyFileSync(join(original, 'dealbox.db'), file())
    writeFileSync(`${file()}-txid`, '2')
    const pages = Number(read('PRAGMA page_count'))
    const descriptor = openSync(file(), 'r+')
    for (let page = 3; page < pages; page += 2) writeSync(descriptor, Buffer.alloc(512, 0x55), 0, 512, page * 4096)
    closeSync(descriptor)
    writeFileSync(`${file()}-txid`, '3')
    await assert.rejects(promote(), { code: 'copy_unusable' })
    assert.equal(isCopy(file()), true)
  })

  test('is promoted without the check by who asks for that, but not one that is torn', async () => {
    const at = { epoch: 2, url: null, now: 1000, isUnchecked: true }
    const db = openSqlite(file())
    db.pragma('foreign_keys = OFF')
    db.exec('DELETE FROM members')
    db.close()
    const later = Date.now() / 1000 + 1
    utimesSync(file(), later, later)
    await assert.rejects(promoteCopy(data, at), { code: 'copy_torn' })
    writeFileSync(`${file()}-txid`, '2')
    utimesSync(`${file()}-txid`, later, later)
    await promoteCopy(data, at)
    assert.equal(epochOf(data), 2)
  })

  test('stays one if damage is found by the first write', async () => {
    const root = Number(read("SELECT rootpage FROM sqlite_schema WHERE name = 'orgs'"))
    const descriptor = openSync(file(), 'r+')
    writeSync(descriptor, Buffer.alloc(4096, 0x55), 0, 4096, (root - 1) * 4096)
    closeSync(descriptor)
    writeFileSync(`${file()}-txid`, '2')
    const at = { epoch: 2, url: null, now: 1000, isUnchecked: true }
    await assert.rejects(promoteCopy(data, at), { code: 'copy_unusable' })
    assert.equal(isCopy(file()), true)
  })

  test('is not promoted in the middle of what Litestream writes', async () => {
    writeFileSync(file(), readOriginal())
    const later = Date.now() / 1000 + 1 // than its position
    utimesSync(file(), later, later)
    await assert.rejects(promote(), { code: 'copy_torn' })
  })
  const readOriginal = () => readFileSync(join(original, 'dealbox.db'))

  const isRoot = process.getuid?.() === 0
  test('is promoted by its own user', { skip: !isRoot && 'only root can give a folder to another user' }, async () => {
    chownSync(data, 65_534, 65_534)
    const { code, err } = await cli(['promote', '--data', data])
    assert.equal(code, 1)
    assert.ok(err.includes(`sudo -u '#65534' dealbox promote --data ${data}`), err)
    chownSync(data, 0, 0)
    assert.match((await cli(['promote', '--data', data])).err, /No standby runs/)
  })

  test('whose promotion was interrupted is neither followed nor opened, and the next promotion goes on', async () => {
    renameSync(`${file()}-txid`, `${file()}-promoting`)
    assert.throws(() => openStore(data), { code: 'half_promoted' })
    const { code, err } = await cli(['member', 'list', '--data', data])
    assert.equal(code, 1)
    assert.match(err, /goes on with it/)
    await promote()
    assert.equal(existsSync(`${file()}-promoting`), false)
    assert.equal(epochOf(data), 2)
  })
})
