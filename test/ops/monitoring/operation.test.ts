import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Role } from '../../../src/auth/roles.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { HOUR_MS, MINUTE_MS, rfc3339 } from '../../../src/lib/time.ts'
import { type Night, type NightOptions, night } from '../../../src/ops/backup/night.ts'
import { startNightly } from '../../../src/ops/backup/nightly.ts'
import { lastBackup, noteBackup, noteRuns } from '../../../src/ops/backup/state.ts'
import { noMonitoring } from '../../../src/ops/monitoring/metrics.ts'
import { workOutcomes } from '../../../src/store/jobs/recurring.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// How the server is, for owners, and what they may start.

let server: TestServer
let site: Screens
let owner: SignedIn
let nightly: ReturnType<typeof startNightly>
let folder: string
/** The work waits for this, if the test has set it. */
let gate: Promise<void> | undefined
const nights: NightOptions[] = []

before(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'dealbox-operation-'))
  const { store, dataDir } = server
  nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: server.now } },
    ...{ log: silentLog, dataDir, at: '03:15', folder, keep: { days: 7, weeks: 0, months: 0 }, timezone: 'UTC' },
    outcome: workOutcomes(store),
    work: async (options): Promise<Night> => {
      nights.push(options)
      await gate
      return night(options)
    },
  })
  site = await startScreens(server, {
    monitoring: { ...noMonitoring(), backups: () => lastBackup(dataDir) },
    operation: {
      night: nightly,
      at: { time: '03:15', timezone: 'UTC' },
      ways: { mail: 'owners', url: 'on', url_host: 'ntfy.example' },
    },
  })
  owner = await site.signedIn({ id: server.a.owner })
})
after(async () => {
  await nightly.stop()
  await site.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const read = async (who = owner): Promise<Row> => {
  const { status, body } = await who.call('GET', '/app/operation')
  assert.equal(status, 200)
  return body
}
const press = (what: string, who = owner) => who.call('POST', `/app/operation/${what}`)
/** Whether the second organisation is there: a move takes it away. */
const setState = (state: 'open' | 'moved') =>
  server.store.db
    .prepare('UPDATE orgs SET state = ?, moved_to = ? WHERE id = ?')
    .run(state, state === 'moved' ? 'https://elsewhere.example' : null, server.b.org)
const entries = () => auditLog(server.store).newest(auditLog(server.store).nameOf(server.a.org), 10)

describe('of a server with several organisations', () => {
  test('owners see how it is, but neither where its files are nor how to start anything', async () => {
    const at = rfc3339(server.now())
    noteBackup(server.dataDir, { failure: { since: at, at, code: 'disk_full', message: `${folder} is full`, folder } })
    noteRuns(
      server.dataDir,
      { kind: 'backup', at, error: `${folder} is full` },
      { kind: 'copy', at, error: null, place: '/mnt/nas' },
    )
    const found = await read()
    assert.equal(found.backups.may_start, false)
    assert.equal(found.told.url.host, null)
    assert.doesNotMatch(JSON.stringify(found), new RegExp(`${folder}|/mnt/nas|ntfy`))
    const backup = found.checks.find(({ name }: Row) => name === 'backup')
    assert.deepEqual([backup.status, found.runs[1]?.is_good], ['warn', false])
    for (const what of ['backup', 'drill']) {
      const { status, body } = await press(what)
      assert.deepEqual([status, body.code], [403, 'several_organisations'])
    }
    assert.deepEqual([nights.length, entries().filter(({ action }) => action.endsWith('.requested')).length], [0, 0])
    noteBackup(server.dataDir, { failure: null, runs: [] })
  })
})

describe('of a server with one organisation', () => {
  before(() => void setState('moved'))
  after(() => void setState('open'))

  test('only owners see it and start anything', async () => {
    for (const role of ['admin', 'member', 'viewer'] satisfies Role[]) {
      const who = await site.signedIn(role)
      for (const answer of [
        await who.call('GET', '/app/operation'),
        await press('backup', who),
        await press('drill', who),
      ])
        assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_role'], role)
    }
    assert.equal((await site.send('POST', '/app/operation/backup')).status, 401)
    assert.equal(
      (await owner.call('POST', '/app/operation/backup', undefined, { origin: 'https://evil.example' })).status,
      403,
    )
    assert.equal((await owner.call('GET', '/app/operation/backup')).status, 405)
    assert.equal(nights.length, 0)
  })

  test('a backup is made now, never two at once, and the audit log has who wanted it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    assert.equal((await press('backup')).status, 202)
    const { at_work } = (await read()).backups
    assert.deepEqual([at_work.what, at_work.by], ['backup', owner.id])
    for (const what of ['backup', 'drill']) {
      const { status, body } = await press(what)
      assert.deepEqual([status, body.code], [409, 'backup_running'])
    }
    resolve()
    await nightly.tick()
    const { backups, runs, checks } = await read()
    assert.equal(nights.length, 1)
    assert.equal(backups.at_work, null)
    assert.equal(backups.last.made_at, lastBackup(server.dataDir).last?.made_at)
    assert.deepEqual(
      [runs[0].kind, runs[0].by, runs[0].is_good, runs[0].bytes],
      ['backup', owner.id, true, backups.last.bytes],
    )
    assert.equal(checks.find(({ name }: Row) => name === 'backup').status, 'pass')
    const asked = entries().filter(({ action }) => action.endsWith('.requested'))
    assert.deepEqual(
      asked.map(({ action, actor_id, via }) => [action, actor_id, via]),
      [['backup.requested', owner.id, `session ${owner.session}`]],
    )
  })

  test('the drill tries the newest backup, and is no backup', async () => {
    server.advance(MINUTE_MS)
    const before = lastBackup(server.dataDir).last?.file
    assert.equal((await press('drill')).status, 202)
    await nightly.tick()
    const { backups, runs } = await read()
    assert.equal(lastBackup(server.dataDir).last?.file, before)
    assert.deepEqual(backups.drill, { at: rfc3339(server.now()), is_good: true })
    assert.deepEqual([runs[0].kind, runs[0].by, runs[0].is_good, runs.length], ['drill', owner.id, true, 2])
    assert.equal(nights.length, 2)
    await nightly.tick()
    assert.equal(nights.length, 2)
  })

  test('the drill makes a backup where there is none', async () => {
    rmSync(folder, { recursive: true })
    server.advance(MINUTE_MS)
    assert.equal((await press('drill')).status, 202)
    await nightly.tick()
    const [backup, drill] = (await read()).runs
    assert.deepEqual([backup.kind, drill.kind, drill.is_good], ['backup', 'drill', true])
  })

  test('the last fifty runs are shown, the same failures in a row as one, and those of commands', async () => {
    noteBackup(server.dataDir, { runs: [] })
    const minutes = (n: number) => rfc3339(server.now() - n * MINUTE_MS)
    for (let n = 60; n > 3; n--) noteRuns(server.dataDir, { kind: 'backup', at: minutes(n), error: null })
    for (const n of [3, 2, 1])
      noteRuns(server.dataDir, { kind: 'copy', at: minutes(n), error: 'No.', place: '/mnt/nas' })
    const log = auditLog(server.store)
    server.store.transaction(() =>
      log.record({ org: null, actor: { type: 'command', via: null }, action: 'backup.made', detail: { bytes: 5000 } }),
    )
    const { runs } = await read()
    assert.equal(runs.length, 50)
    assert.deepEqual([runs[0].by, runs[0].bytes], ['command', 5000])
    const { kind, times, since, at, place, error } = runs[1]
    assert.deepEqual([kind, times, since, at, place, error], ['copy', 3, minutes(3), minutes(1), '/mnt/nas', 'No.'])
  })

  test('a state from before runs were noted has the last ones', async () => {
    noteBackup(server.dataDir, { runs: undefined })
    const kinds = (await read()).runs.map(({ kind }: Row) => kind)
    assert.deepEqual(kinds.toSorted(), ['backup', 'backup', 'drill'])
  })

  test('recurring work is shown with how it went', async () => {
    const note = workOutcomes(server.store)
    await note('purge events', 'No.')
    const { work } = await read()
    const one = work.find(({ name }: Row) => name === 'purge events')
    assert.deepEqual([one.is_good, one.failures, one.error], [false, 1, 'No.'])
    await note('purge events', undefined)
  })

  test('after two servers ended over a backup, nobody starts one here', async () => {
    const begun = { at: rfc3339(server.now() - HOUR_MS), is_running: false, deaths: 2 }
    noteBackup(server.dataDir, { begun })
    const { status, body } = await press('backup')
    assert.deepEqual([status, body.code], [409, 'backup_waits'])
    noteBackup(server.dataDir, { begun: undefined })
  })

  test('a server without backups says so', async (t) => {
    const other = await startScreens(server)
    t.after(other.stop)
    const who = await other.signedIn({ id: server.a.owner })
    assert.equal((await who.call('GET', '/app/operation')).body.backups.state, 'off')
    const { status, body } = await who.call('POST', '/app/operation/backup')
    assert.deepEqual([status, body.code], [409, 'backups_off'])
  })
})
