import assert from 'node:assert/strict'
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import { silentLog } from '../../../src/lib/log.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, rfc3339 } from '../../../src/lib/time.ts'
import { readBackups } from '../../../src/ops/backup/commands/backup-options.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { type Night, type NightOptions, night } from '../../../src/ops/backup/night.ts'
import { type NightlyOptions, startNightly } from '../../../src/ops/backup/nightly.ts'
import { restoreBackup } from '../../../src/ops/backup/restore.ts'
import { timeOf } from '../../../src/ops/backup/schedule.ts'
import { PAUSE_FILE, resumeSending } from '../../../src/ops/backup/sending.ts'
import { lastBackup, noteBackup } from '../../../src/ops/backup/state.ts'
import { verifyBackup } from '../../../src/ops/backup/verify.ts'
import { installedAt } from '../../../src/store/installation.ts'
import { failingRecurring, workOutcomes } from '../../../src/store/jobs/recurring.ts'
import { type OpenedStore, openStore } from '../../../src/store/open.ts'
import { SCHEMA_VERSION } from '../../../src/store/schema/migrations.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { places } from './backup-fixture.ts'

const { temporaryFolder, dataFolder } = places()

let dataDir: string
let store: OpenedStore
let folder: string
let now: number
/** The moment of the first night after the database was made. */
let first: number
before(async () => {
  ;({ dataDir, store } = await dataFolder())
})
beforeEach(() => {
  folder = join(temporaryFolder(), 'backups')
  rmSync(join(dataDir, 'backups.json'), { force: true })
  store.db.prepare('DELETE FROM recurring_jobs').run()
  const made = installedAt(store.db)
  const midnight = made - (made % DAY_MS)
  first = midnight + 3.25 * HOUR_MS + (made % DAY_MS >= 3.25 * HOUR_MS ? DAY_MS : 0)
  now = first
})

/** Starts the nightly work of a server in this process, and notes the nights and what is logged. */
function start(
  work: (options: NightOptions) => Night = night,
  keep = { days: 7, weeks: 4, months: 6 },
  { copy, ...at }: { store?: OpenedStore; dataDir?: string; folder?: string; copy?: NightlyOptions['copy'] } = {},
) {
  const on = { store, dataDir, folder, ...at }
  const nights: Night[] = []
  const lines: { level: number; msg: string; job?: string; reason?: string; backup?: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const nightly = startNightly({
    store: { ...on.store, clock: { ...on.store.clock, now: () => now } },
    ...{ log, dataDir: on.dataDir, at: '03:15', folder: on.folder, keep, timezone: 'UTC', copy },
    outcome: workOutcomes(on.store),
    work: async (options) => {
      await nextTurn()
      const done = work(options)
      nights.push(done)
      return done
    },
  })
  return { ...nightly, nights, lines }
}

const names = () => readdirSync(folder).sort()
const stamp = (ms: number) => `dealbox-${rfc3339(ms).slice(0, 19).replace(/[-:]/g, '')}Z.tar`

describe('each night', () => {
  test('a backup is made at the time, once, and the state says so after a restart', async () => {
    const { tick, stop, nights, lines } = start()
    now = first - 1
    await tick()
    assert.equal(nights.length, 0)
    assert.deepEqual(lastBackup(dataDir), { last: null, failure: null, drill: null })
    now = first
    await Promise.all([tick(), tick()])
    await tick()
    now += DAY_MS - 1
    await tick()
    assert.equal(nights.length, 1)
    const { last, failure } = lastBackup(dataDir)
    const file = join(folder, stamp(first))
    assert.deepEqual([last?.file, last?.made_at, failure], [file, rfc3339(first), null])
    assert.equal(last?.bytes, statSync(file).size)
    assert.ok((last?.duration_ms as number) >= 0)
    assert.equal(verifyBackup(file).manifest.reason, 'nightly')
    now++
    await tick()
    assert.deepEqual(names(), [stamp(first), stamp(first + DAY_MS)])
    assert.deepEqual(
      lines.map(({ level, msg, backup }) => [level, msg, backup]),
      [first, first + DAY_MS].map((at) => [30, 'made a backup', join(folder, stamp(at))]),
    )
    await stop()
  })

  test('one that was missed is made up for, once, and the next one comes at its time', async () => {
    now = first + 3 * DAY_MS + 5 * HOUR_MS
    const server = start()
    await server.tick()
    await server.tick()
    assert.deepEqual(names(), [stamp(now)])
    now = first + 4 * DAY_MS
    await server.tick()
    assert.equal(server.nights.length, 2)
    await server.stop()
  })

  test('a backup that somebody has deleted, or of a clock that was ahead, is replaced', async () => {
    const server = start()
    await server.tick()
    rmSync(join(folder, stamp(first)))
    for (let minute = 0; minute < 60; minute++, now += MINUTE_MS) await server.tick()
    assert.deepEqual(names(), [], 'whoever deletes them does not get one each minute')
    await server.tick()
    assert.deepEqual(names(), [stamp(now)])
    now -= HOUR_MS
    await server.tick()
    assert.equal(server.nights.length, 3)
    await server.stop()
  })

  test('a failure is logged once, tried again every hour, and then it is told that it works', async () => {
    const blocked = join(temporaryFolder(), 'file')
    writeFileSync(blocked, '')
    const good = folder
    folder = join(blocked, 'backups')
    const server = start()
    for (let minute = 0; minute < 120; minute++, now += MINUTE_MS) await server.tick()
    assert.equal(server.nights.length, 2)
    const { last, failure } = lastBackup(dataDir)
    assert.equal(last, null)
    assert.deepEqual(
      [failure?.since, failure?.at, failure?.code],
      [rfc3339(first), rfc3339(first + HOUR_MS), 'files_failed'],
    )
    assert.equal(server.lines.length, 1)
    assert.equal(server.lines[0]?.level, 50)
    assert.match(
      server.lines[0]?.msg as string,
      /no backup could be made; it is tried again every hour\. "dealbox backup"/,
    )
    assert.match(server.lines[0]?.reason as string, /failed \(E/)
    rmSync(blocked)
    await server.tick()
    assert.equal(lastBackup(dataDir).failure, null)
    assert.deepEqual(
      server.lines.slice(1).map(({ msg }) => msg),
      ['backups are made again', 'made a backup'],
    )
    await server.stop()
    folder = good
  })

  test('each failure in a row is counted, of backups and of copies, and the count ends with a success', async () => {
    const failures = () => failingRecurring(store.db).map(({ name, failures, error }) => [name, failures, error])
    const crash = (): Night => {
      throw new Error('out of memory')
    }
    const copies = [false, false, true]
    const broken = start(crash)
    for (let hour = 0; hour < 3; hour++, now += HOUR_MS) await broken.tick()
    assert.deepEqual(failures(), [['nightly backup', 3, 'out of memory']])
    await broken.stop()
    now = first + DAY_MS
    const server = start(night, undefined, { copy: async () => copies.shift() ?? true })
    await server.tick()
    assert.deepEqual(failures(), [['backup copies', 1, 'A copy failed.']])
    for (let hour = 0; hour < 2; hour++) {
      now += HOUR_MS
      await server.tick()
      if (hour === 0) assert.deepEqual(failures(), [['backup copies', 2, 'A copy failed.']])
    }
    assert.deepEqual(failures(), [])
    await server.stop()
  })

  test('a thread that crashes is a failure too', async () => {
    let crashes = 0
    const server = start(() => {
      crashes++
      throw new Error('out of memory')
    })
    for (let minute = 0; minute < 61; minute++, now += MINUTE_MS) await server.tick()
    assert.deepEqual([crashes, server.lines.length, server.lines[0]?.level], [2, 1, 50])
    const { since, at, code, message } = lastBackup(dataDir).failure as NonNullable<Night['failure']>
    const said = [rfc3339(first), rfc3339(first + HOUR_MS), 'failed', 'out of memory']
    assert.deepEqual([since, at, code, message], said, 'as /readyz and the doctor see it')
    await server.stop()
  })

  test('old backups are deleted, but not those of others, nor while the clock may be wrong', async () => {
    const server = start()
    const isHeld = store.wallClock.purgeHeldUntil
    for (let day = 0; day < 9; day++, now += DAY_MS) {
      store.wallClock.purgeHeldUntil = () => (day === 8 ? now + HOUR_MS : undefined)
      await server.tick()
      if (day > 0) continue
      const other = await dataFolder('Birch')
      night({ dataDir: other.dataDir, folder, installation: other.store.installation, ...KEEP, now: first - DAY_MS })
      writeFileSync(join(folder, 'dealbox-20200101T000000Z.tar'), 'damaged')
      writeFileSync(join(folder, 'mine.tar'), '')
    }
    store.wallClock.purgeHeldUntil = isHeld
    const others = ['dealbox-20200101T000000Z.tar', stamp(first - DAY_MS), 'mine.tar']
    const own = names().filter((name) => !others.includes(name))
    assert.equal(names().length, own.length + 3)
    assert.ok(own.length >= 8 && own.length <= 9, own.join())
    assert.ok(own.includes(stamp(now - DAY_MS)))
    assert.ok(server.nights.slice(0, 7).every(({ deleted }) => deleted.length === 0))
    await server.stop()
  })
})

const KEEP = { keep: { days: 7, weeks: 4, months: 6 }, timezone: 'UTC', mayPrune: true }

describe('the restore drill', () => {
  test('restores the newest backup once a week, and says how it went', async () => {
    const server = start()
    for (let day = 0; day < 9; day++, now += DAY_MS) await server.tick()
    const drills = server.nights.flatMap(({ drill }, day) => (drill ? [[day, drill.file, drill.error]] : []))
    assert.deepEqual(
      drills,
      [1, 8].map((day) => [day, join(folder, stamp(first + (day - 1) * DAY_MS)), null]),
    )
    assert.deepEqual(lastBackup(dataDir).drill?.at, rfc3339(first + 8 * DAY_MS))
    await server.stop()
  })

  test('sets a damaged backup aside, and is done before the next one is made', async () => {
    const server = start()
    await server.tick()
    const file = join(folder, stamp(first))
    const fd = openSync(file, 'r+')
    writeSync(fd, 'noise', 100_000)
    closeSync(fd)
    now += DAY_MS
    await server.tick()
    assert.deepEqual(names(), [`${stamp(first)}.damaged`, stamp(now)])
    const { drill, last } = lastBackup(dataDir)
    assert.match(drill?.error as string, /is damaged: /)
    assert.equal(last?.file, join(folder, stamp(now)))
    const said = () => server.lines.filter(({ job }) => job === 'restore drill').map(({ level, msg }) => [level, msg])
    const bad = 'the restore drill of a backup failed; the next backup is tried at once, and "dealbox backup" makes one'
    assert.deepEqual(said(), [[50, bad]])
    // Whether it was that file alone.
    now += MINUTE_MS
    await server.tick()
    await server.tick()
    assert.deepEqual([server.nights.length, lastBackup(dataDir).drill?.error], [3, null])
    assert.equal(lastBackup(dataDir).drill?.file, last?.file)
    assert.deepEqual(said().slice(1), [[40, 'the restore drill succeeds again']])
    now += DAY_MS
    await server.tick()
    assert.equal(server.nights.at(-1)?.drill, null, 'the next one is due in a week')
    await server.stop()
  })

  test('of a damaged one that cannot be set aside keeps no other from being made', async () => {
    const server = start()
    await server.tick()
    const file = join(folder, stamp(first))
    truncateSync(file, statSync(file).size - 5000)
    mkdirSync(`${file}.damaged`)
    now += DAY_MS
    await server.tick()
    assert.deepEqual([lastBackup(dataDir).last?.file, lastBackup(dataDir).failure], [join(folder, stamp(now)), null])
    await server.stop()
  })

  test('is done with each new backup while they fail, and not again with the same', async (t) => {
    store.db.pragma('user_version = 99') // of a newer version, so no backup can be restored
    t.after(() => store.db.pragma(`user_version = ${SCHEMA_VERSION}`))
    const server = start()
    await server.tick()
    now += DAY_MS
    await server.tick()
    const drilled = () => server.nights.flatMap(({ drill }) => (drill ? [drill.file] : []))
    assert.deepEqual(drilled(), [join(folder, stamp(first))])
    for (let minute = 0; minute < 5; minute++, now += MINUTE_MS) await server.tick()
    const second = join(folder, stamp(first + DAY_MS))
    assert.deepEqual(drilled(), [join(folder, stamp(first)), second])
    assert.match(lastBackup(dataDir).drill?.error ?? '', /schema 99/)
    now = first + 2 * DAY_MS
    for (let minute = 0; minute < 5; minute++, now += MINUTE_MS) await server.tick()
    assert.deepEqual(drilled().slice(2), [join(folder, stamp(first + 2 * DAY_MS))])
    await server.stop()
    const next = start()
    await next.tick()
    assert.equal(next.nights.length, 0, 'nor by the next server')
    assert.deepEqual(
      failingRecurring(store.db).map(({ name, failures }) => [name, failures]),
      [['restore drill', 3]],
    )
    await next.stop()
  })

  test('takes the newest, and not one of a clock that was ahead', async () => {
    makeBackup({ dataDir, folder, reason: 'nightly', now: first + 60 * DAY_MS })
    const server = start(night, { days: 1, weeks: 0, months: 0 })
    await server.tick()
    assert.deepEqual(names(), [stamp(first)])
    makeBackup({ dataDir, folder, reason: 'nightly', now: first + 60 * DAY_MS })
    for (let minute = 0; minute < 125; minute++, now += MINUTE_MS) await server.tick()
    assert.deepEqual([server.nights.length, names().includes(stamp(first))], [1, true], 'no other each minute')
    noteBackup(dataDir, { drill: null })
    now = first + DAY_MS
    await server.tick()
    assert.equal(server.nights.at(-1)?.drill?.file, join(folder, stamp(first)))
    assert.deepEqual(names(), [stamp(now)])
    await server.stop()
  })
})

describe('what cannot be noted', () => {
  test('keeps no backup from being made, kept and pruned, and is written when that is possible', async (t) => {
    const disk = smallDisk(24 * 1024)
    if (!disk) return t.skip('no file system can be mounted here')
    const full = join(disk.folder, 'data')
    mkdirSync(full)
    const there = openEmptyStore(full)
    const levels: number[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void levels.push(JSON.parse(line).level) })
    // In a thread, which forgets all when it ends.
    const server = startNightly({
      store: { ...there, clock: { ...there.clock, now: () => now } },
      ...{ log, dataDir: full, at: '03:15', folder, keep: { days: 1, weeks: 0, months: 0 }, timezone: 'UTC' },
    })
    try {
      disk.fill()
      for (let hour = 0; hour < 26; hour++, now += HOUR_MS) await server.tick()
      const last = first + DAY_MS
      assert.deepEqual([names(), levels], [[stamp(last)], [30, 30]])
      const known = lastBackup(full)
      assert.deepEqual([known.last?.file, known.failure], [join(folder, stamp(last)), null])
      assert.deepEqual([known.drill?.file, known.drill?.error], [join(folder, stamp(first)), null])
      assert.ok(!existsSync(join(full, 'backups.json')))
      disk.free()
      await server.tick()
      assert.deepEqual(JSON.parse(readFileSync(join(full, 'backups.json'), 'utf8')), JSON.parse(JSON.stringify(known)))
    } finally {
      await server.stop()
      there.close()
      disk.drop()
    }
  })
})

describe('a restored copy that may not send', () => {
  test('leaves the folder of the original alone, and has its own backups from the next night on', async () => {
    const shared = folder
    const original = start()
    await original.tick()
    const copy = join(temporaryFolder(), 'copy')
    restoreBackup({
      ...{ file: join(shared, stamp(first)), dataDir: copy, now, dryRun: false, describe: () => undefined },
    })
    now += HOUR_MS
    const restoredAt = (now + 0.7) / 1000 // file systems know fractions of a millisecond
    utimesSync(join(copy, PAUSE_FILE), restoredAt, restoredAt)
    assert.ok(!Number.isInteger(statSync(join(copy, PAUSE_FILE)).mtimeMs))
    const there = openStore(copy)
    const earlier = 'dealbox-20200101T000000Z.tar' // as after a restore in place
    mkdirSync(join(copy, 'backups'))
    copyFileSync(join(shared, stamp(first)), join(copy, 'backups', earlier))
    const options = await readBackups(copy, { backupDir: shared, backupAt: '03:15' })
    const second = start(
      night,
      { days: 1, weeks: 0, months: 0 },
      { store: there, dataDir: copy, folder: options.folder },
    )
    for (let hour = 1; hour < 50; hour++, now += HOUR_MS)
      for (const server of [second, original, second]) await server.tick()
    assert.deepEqual(
      names(),
      [0, 1, 2].map((day) => stamp(first + day * DAY_MS)),
    )
    assert.deepEqual([original.nights.length, second.nights.length], [3, 2])
    assert.deepEqual([lastBackup(copy).failure, lastBackup(copy).drill?.error], [null, null])
    assert.ok(
      second.lines.every(({ level }) => level === 30),
      JSON.stringify(second.lines),
    )
    assert.deepEqual(readdirSync(join(copy, 'backups')), [earlier, stamp(first + 2 * DAY_MS)])
    resumeSending(copy)
    assert.equal((await readBackups(copy, { backupDir: shared })).folder, shared)
    await Promise.all([original.stop(), second.stop()])
    there.close()
  })
})

test('the work is done in a thread, while the server goes on', async () => {
  const nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: () => now } },
    ...{ log: silentLog, dataDir, at: '03:15', folder, keep: KEEP.keep, timezone: 'UTC' },
  })
  let turns = 0
  const turn = setInterval(() => turns++, 1)
  await nightly.tick()
  clearInterval(turn)
  assert.ok(turns > 5, String(turns))
  assert.equal(verifyBackup(lastBackup(dataDir).last?.file as string).manifest.installation_id, store.installation)
  await nightly.stop()
})

test('a server that stops ends the work, which is no failure', async () => {
  const lines: string[] = []
  const nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: () => now } },
    ...{ log: pino({}, { write: (line: string) => void lines.push(line) }), dataDir, at: '03:15', folder },
    ...{ keep: KEEP.keep, timezone: 'UTC' },
  })
  const ticking = nightly.tick()
  while (!existsSync(folder)) await nextTurn() // the thread has begun
  await Promise.all([nightly.stop(), ticking])
  await nightly.tick()
  assert.equal(lastBackup(dataDir).failure, null)
  assert.deepEqual(lines, [])
})

test('what a process that was killed has left of the state is removed, and that of another one is not', () => {
  for (const name of ['left', 'young']) writeFileSync(join(dataDir, `.backups.json.${name}`), '{')
  utimesSync(join(dataDir, '.backups.json.left'), 1, 1)
  noteBackup(dataDir, { drill: null })
  const names = readdirSync(dataDir).filter((name) => name.includes('backups.json'))
  assert.deepEqual(names.sort(), ['.backups.json.young', 'backups.json'])
})

test('a state that cannot be read counts as none', () => {
  writeFileSync(join(dataDir, 'backups.json'), '{"last": 1}')
  assert.equal(lastBackup(dataDir).last, null)
  writeFileSync(join(dataDir, 'backups.json'), '{')
  assert.equal(lastBackup(dataDir).last, null)
})

test('the folders of a host do not meet: each has its own time in the night, always the same', () => {
  const times = Array.from({ length: 40 }, (_, n) => timeOf('night', `installation ${n}`))
  for (const time of times) assert.ok(time >= '03:15' && time < '04:45' && /^0\d:[0-5]\d$/.test(time), time)
  assert.ok(new Set(times).size > 20)
  assert.equal(timeOf('night', 'installation 0'), times[0])
  assert.equal(timeOf('03:15', 'installation 0'), '03:15')
})
