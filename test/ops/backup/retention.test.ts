import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync, truncateSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { dateIn } from '../../../src/lib/calendar/days.ts'
import { MIB } from '../../../src/lib/size.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { prune } from '../../../src/ops/backup/list.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import {
  isOfFuture,
  KEEP_MIGRATION_MS,
  kept as keptAt,
  newestFirst,
  parseKeep,
} from '../../../src/ops/backup/retention.ts'
import { nextAt, parseBackupAt } from '../../../src/ops/backup/schedule.ts'
import { examples } from '../../support/seed.ts'
import { NOW, places } from './backup-fixture.ts'

const START = Date.UTC(2026, 10, 23, 2, 15)
const keep = { days: 7, weeks: 4, months: 6 }
const nightly = (made: number) => ({ made, reason: 'nightly' as const })
/** After all of them. */
const LATER = START + 9001 * DAY_MS
const kept = (all: ReturnType<typeof nightly>[], counts: typeof keep, zone: string) => keptAt(all, counts, zone, LATER)

const { temporaryFolder, dataFolder } = places()

describe('retention', () => {
  test('keeps 7 days, 4 weeks and 6 months of a year of nights', () => {
    const year = Array.from({ length: 400 }, (_, n) => nightly(START - n * DAY_MS))
    const dates = [...kept(year, keep, 'UTC')].map(({ made }) => dateIn('UTC', made)).sort()
    assert.deepEqual(dates, [
      ...['2026-06-30', '2026-07-31', '2026-08-31', '2026-09-30', '2026-10-31'],
      ...['2026-11-08', '2026-11-15'],
      ...['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'],
    ])
  })

  test('deletes night after night what it would delete at once, and never what a period still needs', () => {
    let all: ReturnType<typeof nightly>[] = []
    for (let night = 0; night < 250; night++) all = [...kept([...all, nightly(START + night * DAY_MS)], keep, 'UTC')]
    const once = Array.from({ length: 250 }, (_, n) => nightly(START + n * DAY_MS))
    assert.deepEqual(all.map(({ made }) => made).sort(), [...kept(once, keep, 'UTC')].map(({ made }) => made).sort())
  })

  test('counts days in the zone of the machine', () => {
    const late = [nightly(Date.UTC(2026, 10, 23, 23)), nightly(Date.UTC(2026, 10, 23, 20))]
    const one = { days: 2, weeks: 1, months: 1 }
    assert.equal(kept(late, one, 'UTC').size, 1)
    assert.equal(kept(late, one, 'Europe/Berlin').size, 2)
  })

  test('keeps a backup from before a migration for 90 days', () => {
    const migration = { ...nightly(START), reason: 'migration' as never }
    const nights = (days: number) => Array.from({ length: days }, (_, n) => nightly(START + (n + 1) * DAY_MS))
    const none = { days: 1, weeks: 0, months: 0 }
    assert.equal(KEEP_MIGRATION_MS, 90 * DAY_MS)
    assert.ok(kept([migration, ...nights(89)], none, 'UTC').has(migration))
    assert.ok(!kept([migration, ...nights(90)], none, 'UTC').has(migration))
  })

  test('removes a large backup under another name: half of one must not look like a backup', async () => {
    const { dataDir, store } = await dataFolder()
    const folder = temporaryFolder()
    const [old, newest] = [NOW - DAY_MS, NOW].map((now) => makeBackup({ dataDir, folder, reason: 'command', now }).file)
    truncateSync(old as string, 64 * MIB)
    const module = JSON.stringify(new URL('../../../src/ops/backup/list.ts', import.meta.url).href)
    const given = JSON.stringify({
      ...{
        folder,
        installation: store.installation,
        keep: { days: 1, weeks: 0, months: 0 },
        timezone: 'UTC',
        now: NOW,
      },
    })
    const thread = new Worker(`import(${module}).then(({ prune }) => prune(${given}))`, { eval: true, stdout: false })
    let isRunning = true
    const end = once(thread, 'exit').finally(() => {
      isRunning = false
    })
    const sizes = new Set<number | undefined>()
    while (isRunning) {
      sizes.add(statSync(old as string, { throwIfNoEntry: false })?.size)
      await turn()
    }
    assert.deepEqual(await end, [0])
    assert.deepEqual([...sizes], [64 * MIB, undefined])
    assert.deepEqual(readdirSync(folder), [basename(newest as string)])
  })

  test('always keeps the newest, and no fewer than the periods have, whatever the times', () => {
    const time = fc.integer({ min: START - 900 * DAY_MS, max: START + 9000 * DAY_MS })
    const counts = fc.record({ days: fc.nat(9), weeks: fc.nat(6), months: fc.nat(8) })
    fc.assert(
      fc.property(fc.array(time, { maxLength: 60 }), counts, (times, counts) => {
        const all = times.map(nightly)
        const found = kept(all, counts, 'Europe/Berlin')
        if (all.length === 0) return found.size === 0
        assert.ok([...found].some(({ made }) => made === Math.max(...times)))
        const days = new Set(times.map((each) => dateIn('Europe/Berlin', each)))
        assert.ok(found.size >= Math.min(days.size, counts.days))
        assert.ok(found.size <= 1 + counts.days + counts.weeks + counts.months)
        // Each of the newest days has its newest backup.
        for (const day of [...days].sort().slice(days.size - Math.min(days.size, counts.days))) {
          const newest = Math.max(...times.filter((each) => dateIn('Europe/Berlin', each) === day))
          assert.ok([...found].some(({ made }) => made === newest))
        }
        assert.deepEqual(kept([...found], counts, 'Europe/Berlin'), found, 'a second time deletes nothing')
        return true
      }),
      { numRuns: examples(200) },
    )
  })

  test('counts those of a clock that was ahead last, and keeps the newest of the others', () => {
    const [future, later] = [nightly(START + 60 * DAY_MS), nightly(START + 61 * DAY_MS)]
    const real = [nightly(START), nightly(START - DAY_MS), nightly(START - 2 * DAY_MS)]
    const found = (days: number) => [...keptAt([future, ...real, later], { days, weeks: 0, months: 0 }, 'UTC', START)]
    assert.deepEqual(found(0), [real[0]])
    assert.deepEqual(found(2), real.slice(0, 2))
    assert.deepEqual(found(4), [...real, later], 'where there is room for one')
  })

  test('takes a backup for one of now if it is dated an hour ahead at most, as clocks of processes differ', () => {
    const now = nightly(START)
    for (const [aheadMs, isFuture] of [
      [0, false],
      [HOUR_MS, false],
      [HOUR_MS + 1, true],
      [DAY_MS, true],
      [40 * DAY_MS, true],
      [400 * DAY_MS, true],
    ] as const) {
      const ahead = nightly(START + aheadMs)
      const newest = isFuture ? now : ahead
      assert.equal(isOfFuture(ahead.made, START), isFuture, `${aheadMs}`)
      assert.equal([now, ahead].toSorted(newestFirst(START))[0]?.made, newest.made, `${aheadMs}`)
      const [only] = keptAt([ahead, now], { days: 0, weeks: 0, months: 0 }, 'UTC', START)
      assert.equal(only?.made, newest.made, `${aheadMs}`)
    }
  })

  test('keeps the one that was just made, whatever the others are', async () => {
    const { dataDir, store } = await dataFolder()
    const folder = temporaryFolder()
    const times = [NOW, NOW + HOUR_MS / 2]
    const [made, other] = times.map((now) => makeBackup({ dataDir, folder, reason: 'command', now }).file)
    const none = { days: 0, weeks: 0, months: 0 }
    const options = { folder, installation: store.installation, keep: none, timezone: 'UTC', now: NOW }
    assert.deepEqual(prune({ ...options, made }), [])
    assert.deepEqual(prune(options), [made])
    assert.deepEqual(readdirSync(folder), [basename(other as string)])
  })

  test('keeps the newest even if nothing is to be kept', () => {
    const two = [nightly(START), nightly(START - DAY_MS)]
    assert.deepEqual([...kept(two, { days: 0, weeks: 0, months: 0 }, 'UTC')], [two[0]])
    assert.equal(kept([], keep, 'UTC').size, 0)
  })

  test('is given as three numbers', () => {
    assert.deepEqual(parseKeep('7,4,6'), keep)
    for (const wrong of ['', '7', '7,4', '7,4,6,1', '-1,4,6', '7,4,1001', 'a,b,c', '7, 4, 6'])
      assert.throws(() => parseKeep(wrong), { code: 'usage' }, wrong)
  })
})

describe('the time of the night', () => {
  const at = (time: string, zone: string, after: string) =>
    new Date(nextAt(time, zone, Date.parse(after))).toISOString()

  test('is the next one in the zone of the machine', () => {
    assert.equal(at('03:15', 'UTC', '2026-11-23T03:14:59Z'), '2026-11-23T03:15:00.000Z')
    assert.equal(at('03:15', 'UTC', '2026-11-23T03:15:00Z'), '2026-11-24T03:15:00.000Z')
    assert.equal(at('03:15', 'Asia/Kolkata', '2026-11-23T00:00:00Z'), '2026-11-23T21:45:00.000Z')
    assert.equal(at('00:00', 'America/New_York', '2026-11-23T00:00:00Z'), '2026-11-23T05:00:00.000Z')
  })

  test('happens once a day also when clocks change', () => {
    // In Berlin there is no 02:30 on 2027-03-28, and it comes twice on 2026-10-25.
    assert.equal(at('02:30', 'Europe/Berlin', '2027-03-27T12:00:00Z'), '2027-03-28T01:30:00.000Z')
    assert.equal(at('02:30', 'Europe/Berlin', '2026-10-24T12:00:00Z'), '2026-10-25T00:30:00.000Z')
    assert.equal(at('02:30', 'Europe/Berlin', '2026-10-25T00:30:00Z'), '2026-10-26T01:30:00.000Z')
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia']) {
      let moment = START
      for (let night = 0; night < 400; night++) {
        const next = nextAt('02:30', zone, moment)
        assert.ok(next > moment && next - moment <= 25 * HOUR_MS, `${zone} ${new Date(moment).toISOString()}`)
        moment = next
      }
    }
  })

  test('is read strictly', () => {
    assert.equal(parseBackupAt('03:15'), '03:15')
    assert.equal(parseBackupAt('off'), null)
    for (const wrong of ['', '3:15', '24:00', '03:60', '0315', 'on', '03:15:00'])
      assert.throws(() => parseBackupAt(wrong), { code: 'usage' }, wrong)
  })
})
