import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, truncateSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { mailboxStore } from '../../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { HOUR_MS, MINUTE_MS, rfc3339, SECOND_MS } from '../../../src/lib/time.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { night } from '../../../src/ops/backup/night.ts'
import { startNightly } from '../../../src/ops/backup/nightly.ts'
import { PAUSE_FILE, pauseSending, resumeSending } from '../../../src/ops/backup/sending.ts'
import { labelled } from '../../../src/ops/backup/standing.ts'
import { lastBackup, noteBackup, noteMade } from '../../../src/ops/backup/state.ts'
import { noMonitoring } from '../../../src/ops/monitoring/metrics.ts'
import { installedAt } from '../../../src/store/installation.ts'
import { workOutcomes } from '../../../src/store/jobs/recurring.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { copyOf, noteGoodBackup } from './good-backup.ts'

let server: TestServer
let screens: Screens
before(async () => {
  server = await startServer()
  screens = await startScreens(server, {
    monitoring: {
      ...{ ...noMonitoring(), kinds: ['sla.due', 'message.send'], backups: () => lastBackup(server.dataDir) },
      places: labelled([
        { name: '/mnt/nas', kind: 'folder' },
        { name: 's3.example/secret-bucket', kind: 's3' },
        { name: '/mnt/usb', kind: 'folder' },
      ]),
    },
  })
})
after(async () => {
  await screens.stop()
  await server.stop()
})

async function check(name: string) {
  const { status, body } = await screens.send('GET', '/readyz')
  assert.deepEqual([status, body.status], [200, 'ready'])
  const { text } = await screens.send('GET', '/metrics')
  const { [name]: found } = body.checks
  assert.equal(text.includes(`\ndealbox_health_check{check="${name}"} ${found.status === 'warn' ? 1 : 0}\n`), true)
  assert.match(text, /\ndealbox_ready 1\n/)
  return found
}

const age = async () => /\ndealbox_backup_age_seconds (\S+)\n/.exec((await screens.send('GET', '/metrics')).text)?.[1]

test('a backup is missed after a night and a half, counted from the installation if there is none', async () => {
  const none = 'No backup has been made yet.'
  const { store, dataDir } = server
  server.advance(installedAt(store.db) + 36 * HOUR_MS - server.now())
  assert.deepEqual(await check('backup'), { status: 'pass', detail: none })
  assert.equal(await age(), undefined)
  server.advance(1)
  assert.deepEqual(await check('backup'), { status: 'warn', detail: none })
  const made = server.now()
  noteGoodBackup(dataDir, made)
  assert.deepEqual(await check('backup'), { status: 'pass', age_s: 0 })
  server.advance(36 * HOUR_MS)
  assert.deepEqual(await check('backup'), { status: 'pass', age_s: 129_600 })
  assert.equal(await age(), '129600')
  server.advance(HOUR_MS)
  const detail = `The last good backup is of ${rfc3339(made)}, 37 hours ago.`
  assert.deepEqual(await check('backup'), { status: 'warn', detail, age_s: 133_200 })
  noteGoodBackup(dataDir, server.now() + HOUR_MS) // the clock was set back since
  assert.deepEqual(await check('backup'), { status: 'pass', age_s: 0 })
  assert.equal(await age(), '0')
})

test('a backup that fails, or whose restore drill fails, needs somebody at once', async () => {
  const { dataDir } = server
  const since = rfc3339(server.now())
  noteGoodBackup(dataDir, server.now())
  noteBackup(dataDir, { failure: { since, at: since, code: 'disk_full', message: `${dataDir} is full` } })
  const where = 'the log of the server says why, and so does "dealbox backup"'
  const failed = `No backup could be made since ${since}; ${where}.`
  assert.deepEqual(await check('backup'), { status: 'warn', detail: failed, age_s: 0 })
  noteGoodBackup(dataDir, server.now())
  noteBackup(dataDir, { drill: { at: since, file: dataDir, duration_ms: 1, error: `${dataDir} is damaged` } })
  const drilled =
    'The restore drill of a backup failed; the log of the server says why. Make another one with "dealbox backup", which the server then tries.'
  assert.deepEqual(await check('backup'), { status: 'warn', detail: drilled, age_s: 0 })
  noteBackup(dataDir, { drill: null })
})

test('after a drill that failed, the next backup is tried, be it one of "dealbox backup"', async (t) => {
  const { dataDir, store } = server
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-drill-'))
  t.after(() => rmSync(folder, { recursive: true }))
  noteBackup(dataDir, { last: null, failure: null, drill: null })
  const nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: server.now } },
    ...{ log: silentLog, dataDir, at: '03:15', folder, keep: { days: 7, weeks: 0, months: 0 }, timezone: 'UTC' },
    work: async (options) => night(options),
  })
  await nightly.tick()
  const { last } = lastBackup(dataDir)
  truncateSync(last?.file as string, (last?.bytes as number) - 5000) // the disk has lost a part of it
  server.advance(24 * HOUR_MS)
  await nightly.tick()
  assert.match((await check('backup')).detail, /^The restore drill of a backup failed/)
  await nightly.tick()
  assert.deepEqual(await check('backup'), { status: 'pass', age_s: 0 })

  const failed = { ...(lastBackup(dataDir).drill as NonNullable<ReturnType<typeof lastBackup>['drill']>), error: 'No.' }
  noteBackup(dataDir, { drill: failed })
  server.advance(HOUR_MS)
  await nightly.tick()
  assert.equal((await check('backup')).status, 'warn', 'with the same one nothing would change')
  const { file, bytes, manifest } = makeBackup({ dataDir, folder, reason: 'command', now: server.now() })
  noteMade(dataDir, { made_at: manifest.made_at, file, bytes, duration_ms: 1 })
  await nightly.tick()
  assert.deepEqual(await check('backup'), { status: 'pass', age_s: 0 })
  await nightly.stop()
})

test('a restored copy needs its first backup in the night after it was restored', async () => {
  const { dataDir } = server
  noteBackup(dataDir, { last: null, failure: null, drill: null })
  const none = 'No backup has been made yet.'
  assert.deepEqual(await check('backup'), { status: 'warn', detail: none })
  pauseSending(dataDir)
  utimesSync(join(dataDir, PAUSE_FILE), server.now() / 1000, server.now() / 1000)
  assert.deepEqual(await check('backup'), { status: 'pass', detail: none })
  server.advance(36 * HOUR_MS + 1000)
  assert.deepEqual(await check('backup'), { status: 'warn', detail: none })
  resumeSending(dataDir)
})

test('copies at other places are told by number: one that failed, is missing or is old', async () => {
  const { dataDir } = server
  const now = () => Math.floor(server.now() / SECOND_MS) * SECOND_MS
  const gauges = async () =>
    (await screens.send('GET', '/metrics')).text
      .split('\n')
      .flatMap((line) => /^dealbox_backup_copy_(.*)/.exec(line)?.[1] ?? [])
      .sort()
  const idle = ['failing{place="folder_1"} 0', 'failing{place="folder_2"} 0', 'failing{place="s3_1"} 0']
  noteBackup(dataDir, { last: null, copies: [] })
  assert.deepEqual(await check('copies'), { status: 'pass' }, 'no backup yet')
  assert.deepEqual(await gauges(), idle)
  noteGoodBackup(dataDir, now())
  const where = '; "dealbox doctor" shows the reasons, and "dealbox backup" copies one now.'
  const none = `There is no copy yet at folder_1, s3_1, folder_2${where}`
  assert.deepEqual(await check('copies'), { status: 'warn', detail: none })
  const start = now()
  const all = (nas: object) => [nas, copyOf('s3.example/secret-bucket', start), copyOf('/mnt/usb', start - HOUR_MS)]
  noteBackup(dataDir, { copies: all(copyOf('/mnt/nas', start)) as never })
  assert.deepEqual(await check('copies'), { status: 'pass', age_s: 3600 })
  const failed = copyOf('/mnt/nas', start, 'There is no folder /mnt/nas.')
  noteBackup(dataDir, { copies: [...all(failed), copyOf('/mnt/gone', null, 'It is not used any more.')] as never })
  const one = `The last copy failed to folder_1${where}`
  assert.deepEqual(await check('copies'), { status: 'warn', detail: one, age_s: 3600 })
  server.advance(36 * HOUR_MS - (server.now() - start))
  const both = `The last copy failed to folder_1; the last copy is older than 36 hours at folder_2${where}`
  assert.deepEqual(await check('copies'), { status: 'warn', detail: both, age_s: 133_200 })
  assert.deepEqual(await gauges(), [
    ...['age_seconds{place="folder_1"} 129600', 'age_seconds{place="folder_2"} 133200'],
    ...['age_seconds{place="s3_1"} 129600', 'failing{place="folder_1"} 1', ...idle.slice(1)],
  ])
  const said = `${JSON.stringify((await screens.send('GET', '/readyz')).body)}${(await screens.send('GET', '/metrics')).text}`
  assert.doesNotMatch(said, /mnt|secret-bucket/)
})

test('jobs that were given up need somebody, and are counted once a minute', async () => {
  const { db } = server.store
  assert.deepEqual(await check('jobs'), { status: 'pass', given_up: 0 })
  const insert = db.prepare(
    `INSERT INTO jobs (org_id, id, kind, payload, due_at, tries, created_at, failed_at) VALUES (?, ?, 'x', '{}', 1, 20, 1, ?)`,
  )
  insert.run(server.a.org, server.store.clock.id(), null)
  insert.run(server.a.org, server.store.clock.id(), 1)
  assert.equal((await check('jobs')).status, 'pass')
  server.advance(MINUTE_MS)
  const where = 'given up after the last attempt; "dealbox jobs list" shows the reasons.'
  assert.deepEqual(await check('jobs'), { status: 'warn', detail: `1 job was ${where}`, given_up: 1 })
  insert.run(server.b.org, server.store.clock.id(), 1)
  server.advance(MINUTE_MS)
  assert.deepEqual(await check('jobs'), { status: 'warn', detail: `2 jobs were ${where}`, given_up: 2 })
  db.prepare('DELETE FROM jobs').run()
  server.advance(MINUTE_MS)
  assert.equal((await check('jobs')).status, 'pass')
})

test('a certificate needs somebody two weeks before its end, and after it', async () => {
  let until = server.now() + 14 * 24 * HOUR_MS
  const monitoring = { ...noMonitoring(), certificateUntil: () => until }
  const secure = await startScreens(server, { monitoring })
  const found = async () => {
    const { text } = await secure.send('GET', '/metrics')
    assert.match(text, new RegExp(`\\ndealbox_certificate_end_time_seconds ${Math.floor(until / 1000)}\\n`))
    return (await secure.send('GET', '/readyz')).body.checks.certificate
  }
  assert.deepEqual(await found(), { status: 'pass', days: 14 })
  until--
  const how = 'Renew it; look why that did not happen by itself.'
  const soon = `The TLS certificate ends at ${rfc3339(until)}. ${how}`
  assert.deepEqual(await found(), { status: 'warn', detail: soon, days: 13 })
  until = server.now()
  const over = `The TLS certificate expired at ${rfc3339(until)}. ${how}`
  assert.deepEqual(await found(), { status: 'warn', detail: over, days: 0 })
  await secure.stop()
  assert.ok(!('certificate' in (await screens.send('GET', '/readyz')).body.checks))
})

test('repeated work that failed three times in a row needs somebody, and not sooner', async () => {
  const note = workOutcomes(server.store)
  for (let failures = 0; failures < 3; failures++) {
    assert.deepEqual(await check('recurring'), { status: 'pass' })
    await note('purge events', 'no')
  }
  await note('empty the bin', 'no')
  const detail = 'This failed three times in a row or more: purge events; "dealbox doctor" shows the reasons.'
  assert.deepEqual(await check('recurring'), { status: 'warn', detail })
  await note('purge events', undefined)
  assert.deepEqual(await check('recurring'), { status: 'pass' })
})

test('jobs are counted by kind and state, those of unknown kinds together, and not more than 10,000', async () => {
  server.advance(MINUTE_MS)
  const { db, clock } = server.store
  const insert = db.prepare(
    `INSERT INTO jobs (org_id, id, kind, payload, due_at, tries, created_at, leased_until, failed_at)
     VALUES (@org, @id, @kind, '{}', @due, 0, 1, @leased, @failed)`,
  )
  const add = (kind: string, more: Partial<Record<'due' | 'leased' | 'failed', number>> = {}) =>
    insert.run({ org: server.a.org, id: clock.id(), kind, due: 1, leased: null, failed: null, ...more })
  const later = server.now() + 1
  const [due, ahead, running] = [
    () => add('sla.due'),
    () => add('sla.due', { due: later }),
    () => add('sla.due', { leased: later }),
  ]
  for (const put of [due, due, due, ahead, ahead, running]) put()
  for (const kind of ['sla.due', 'mine', 'yours']) add(kind, { failed: 1 })
  add('mine')
  server.store.transaction(() => {
    for (let n = 0; n < 10_001; n++) add('message.send', { due: later })
  })
  const jobs = async () =>
    (await screens.send('GET', '/metrics')).text.split('\n').filter((line) => /^dealbox_jobs.* [1-9]/.test(line))
  assert.deepEqual(await jobs(), [
    'dealbox_jobs{kind="sla.due",state="due"} 3',
    'dealbox_jobs{kind="sla.due",state="later"} 2',
    'dealbox_jobs{kind="sla.due",state="running"} 1',
    'dealbox_jobs{kind="message.send",state="later"} 10000',
    'dealbox_jobs_given_up{kind="sla.due"} 1',
    'dealbox_jobs_given_up{kind="other"} 2',
  ])
  server.advance(1)
  assert.equal((await jobs()).at(2), 'dealbox_jobs{kind="message.send",state="due"} 10000')
  db.prepare('DELETE FROM jobs').run()
})

test('webhooks that are down or disabled need somebody; those that are paused do not', async () => {
  const hook = async () =>
    (await server.call('POST', '/webhooks', { url: 'https://receiver.example/', event_types: ['*'] })).body.id as string
  const [down, off, paused] = [await hook(), await hook(), await hook()]
  const fail = server.store.db.prepare('UPDATE webhook_states SET failures = ? WHERE webhook_id = ?')
  fail.run(9, down)
  for (const id of [off, paused]) fail.run(10, id)
  await server.call('PATCH', `/webhooks/${paused}`, { status: 'paused' })
  await server.call('PATCH', `/webhooks/${off}`, { status: 'paused' })
  assert.deepEqual(await check('webhooks'), { status: 'pass' })
  fail.run(10, down)
  const where = '; "dealbox webhooks list" shows the reasons.'
  assert.deepEqual(await check('webhooks'), { status: 'warn', detail: `The receiver of 1 webhook is down${where}` })
  server.store.db.prepare("UPDATE webhooks SET status = 'disabled' WHERE id = ?").run(off)
  const both = `The receiver of 1 webhook is down; 1 webhook is disabled${where}`
  assert.deepEqual(await check('webhooks'), { status: 'warn', detail: both })
})

test('mailboxes are counted by how they do, and the mails that wait in them', async () => {
  const { imap, ...sending } = SUPPORT
  const boxes = setMailboxes(server, [
    SUPPORT,
    { ...sending, key: 'sends', address: 'sends@acme.example', is_default: false },
  ])
  const failing = { failing_since: 1, last_error: 'no', last_error_at: server.now(), pending: 3 }
  mailboxStore(server.deps).saveState(server.a.org, boxes.support?.id as string, failing)
  const { text } = await screens.send('GET', '/metrics')
  assert.deepEqual(
    text.split('\n').filter((line) => /^dealbox_mail(boxes|s_to_import)\b.* [1-9]/.test(line)),
    [
      'dealbox_mailboxes{direction="receiving",status="not_set_up"} 1',
      'dealbox_mailboxes{direction="receiving",status="failing"} 1',
      'dealbox_mailboxes{direction="sending",status="unused"} 2',
      'dealbox_mails_to_import 3',
    ],
  )
})

test('a log that grows tells that somebody keeps it from being emptied', async () => {
  const file = join(server.dataDir, 'dealbox.db-wal')
  const mib = 1_048_576
  truncateSync(file, 256 * mib) // SQLite reads no further than the last commit
  assert.deepEqual(await check('log'), { status: 'pass', bytes: 256 * mib })
  truncateSync(file, 300 * mib)
  const { status, detail, bytes } = await check('log')
  assert.deepEqual([status, bytes], ['warn', 300 * mib])
  assert.match(detail, /^The write-ahead log has grown to 300 MiB\./)
})

test('a damaged database is told first, with what to do, and of the metrics what can still be read is', async () => {
  server.store.health.note(Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' }))
  const { status, body } = await screens.send('GET', '/readyz')
  assert.deepEqual([status, body.code, body.checks], [503, 'database_damaged', { database: { status: 'fail' } }])
  server.store.close()
  const { status: found, text } = await screens.send('GET', '/metrics')
  assert.equal(found, 200)
  assert.match(text, /\ndealbox_ready 0\n/)
  assert.match(text, /\ndealbox_health_check\{check="database"\} 2\n/)
  assert.match(text, /\ndealbox_disk_free_bytes \d+\n/)
  assert.doesNotMatch(text, /dealbox_jobs|dealbox_webhooks\{|dealbox_mailboxes/)
  assert.ok(text.endsWith('\n# EOF\n'))
})
