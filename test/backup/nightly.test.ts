import assert from 'node:assert/strict'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import pino from 'pino'
import { type Night, type NightOptions, night } from '../../src/backup/night.ts'
import { startNightly } from '../../src/backup/nightly.ts'
import { lastBackup, noteBackup } from '../../src/backup/state.ts'
import { verifyBackup } from '../../src/backup/verify.ts'
import { silentLog } from '../../src/http/log.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, rfc3339 } from '../../src/lib/time.ts'
import { installedAt } from '../../src/store/installation.ts'
import type { OpenedStore } from '../../src/store/open.ts'
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
  const made = installedAt(store.db)
  const midnight = made - (made % DAY_MS)
  first = midnight + 3.25 * HOUR_MS + (made % DAY_MS >= 3.25 * HOUR_MS ? DAY_MS : 0)
  now = first
})

/** Starts the nightly work of a server in this process, and notes the nights and what is logged. */
function start(work: (options: NightOptions) => Night = night) {
  const nights: Night[] = []
  const lines: { level: number; msg: string; reason?: string; backup?: string }[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: () => now } },
    ...{ log, dataDir, at: '03:15', folder, keep: { days: 7, weeks: 4, months: 6 }, timezone: 'UTC' },
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
    now += MINUTE_MS
    rmSync(join(folder, stamp(first)))
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

  test('a thread that crashes is a failure too', async () => {
    let crashes = 0
    const server = start(() => {
      crashes++
      throw new Error('out of memory')
    })
    for (let minute = 0; minute < 61; minute++, now += MINUTE_MS) await server.tick()
    assert.deepEqual([crashes, server.lines.length, server.lines[0]?.level], [2, 1, 50])
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
    assert.ok(
      server.lines.some(
        ({ level, msg, reason }) => level === 50 && /could not be restored on trial/.test(msg) && reason,
      ),
    )
    await server.stop()
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
