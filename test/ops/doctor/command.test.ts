import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { resourceDeps } from '../../../src/app/deps.ts'
import { applySettings } from '../../../src/app/settings/document.ts'
import { version } from '../../../src/assets.ts'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import { startClock } from '../../../src/lib/id.ts'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { pauseSending } from '../../../src/ops/backup/sending.ts'
import { noteBackup } from '../../../src/ops/backup/state.ts'
import { permissions } from '../../../src/ops/doctor/checks/permissions.ts'
import { warn } from '../../../src/ops/doctor/finding.ts'
import { applyFixes } from '../../../src/ops/doctor/fixes.ts'
import type { Patient } from '../../../src/ops/doctor/patient.ts'
import { isServed, lockInstance } from '../../../src/store/folder/lock.ts'
import { jobQueue } from '../../../src/store/jobs/jobs.ts'
import { type OpenedStore, openStore } from '../../../src/store/open.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from '../../../src/store/schema/migrations.ts'
import { type Connection, openSqlite } from '../../../src/store/sqlite/driver.ts'
import { webhookStore } from '../../../src/webhooks/webhooks.ts'
import { cli, temporaryFolder } from '../../cli/command-line.ts'
import { enroll, insertRow, makeSequence } from '../../support/enrolled.ts'
import { overwritePages } from '../../support/noise.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { releasedSchema } from '../../support/released.ts'
import { serve } from '../../support/served.ts'
import type { TestServer } from '../../support/server.ts'
import { smallDisk } from '../../support/small-disk.ts'

type Check = { status: 'pass' | 'warn' | 'fail'; detail: string; advice?: string }
type Report = { status: string; checks: Record<string, Check>; skipped: string[]; fixed: string[] }

const root = temporaryFolder()
const whole = join(root, 'whole')
/** Depends on the machine that the test runs on. */
const OF_MACHINE = ['file_system', 'disk']
const isRoot = process.getuid?.() === 0
/** The checks, and those that did not pass in one of these tests. */
const known = new Set<string>()
const complained = new Set<string>()
let org: Org
let contact: string
let webhook: string
let message: string

before(async () => {
  const store = openStore(whole, { create: true })
  org = await makeOrg(store, whole, 'Acme')
  store.close()
  const server = await serve(whole, org.token)
  contact = (await server.call('POST', '/contacts', { last_name: 'Lee' })).body.id
  await server.call('POST', '/deals', { title: 'Desks' })
  await server.call('POST', '/notes', { body: 'Hello', contact_ids: [contact] })
  const asked = { direction: 'inbound', contact_id: contact, channel: 'chat', body_text: 'Hello?' }
  const { conversation_id } = (await server.call('POST', '/messages', asked)).body
  const answer = { direction: 'outbound', conversation_id, body_text: 'Hello.' }
  message = (await server.call('POST', '/messages', answer)).body.id
  await server.stop()
  withStore(whole, (store) => {
    process.env.DEALBOX_TEST_PASSWORD ??= 'secret'
    const smtp = { host: '127.0.0.1', port: 25, tls: 'none', user: 'x', password_env: 'DEALBOX_TEST_PASSWORD' }
    const mailbox = { key: 'support', name: 'Support', address: 'support@acme.example', smtp }
    applySettings(store, org.org, { mailboxes: [mailbox] })
    const deps = resourceDeps(store)
    const wanted = { url: 'https://receiver.example/secret', event_types: ['deal.*'] }
    const who = { org: org.org, member: org.owner, scopes: new Set(['rest.crm.deals.read']) } as never
    store.transaction(() => {
      webhook = webhookStore(deps).create(who, wanted as never, undefined).id
      credentialStore(store).proposeTotp(org.org, org.owner, 'ABCDEFGH')
    })
  })
})

function withStore<T>(dataDir: string, job: (store: OpenedStore) => T): T {
  const store = openStore(dataDir)
  try {
    return job(store)
  } finally {
    store.close()
  }
}

/** Changes a database as another program would. */
function change(dataDir: string, ...steps: (string | ((db: Connection) => void))[]): void {
  const db = openSqlite(join(dataDir, 'dealbox.db'))
  db.pragma('foreign_keys = OFF')
  for (const step of steps) typeof step === 'string' ? db.exec(step) : step(db)
  db.close()
}

function copyOf(name: string): string {
  const folder = join(root, name)
  cpSync(whole, folder, { recursive: true })
  return folder
}

async function doctor(dataDir: string, ...more: string[]): Promise<Report & { code: number | null }> {
  const { code, out, err } = await cli(['doctor', '--data', dataDir, '--json', ...more])
  assert.equal(err, '')
  const report: Report = JSON.parse(out)
  for (const [name, { status }] of Object.entries(report.checks)) {
    known.add(name)
    if (status !== 'pass') complained.add(name)
  }
  return { code, ...report }
}

async function expectOne(
  dataDir: string,
  name: string,
  status: Check['status'],
  detail: RegExp,
  advice: RegExp,
  ...more: string[]
): Promise<Report> {
  const report = await doctor(dataDir, ...more)
  const check = report.checks[name] as Check
  assert.equal(check?.status, status, JSON.stringify(report, null, 1))
  assert.match(check.detail, detail)
  assert.match(check.advice ?? '', advice)
  assert.equal(report.code, status === 'fail' ? 1 : report.status === 'fail' ? 1 : 0)
  return report
}

/** All files with their contents and times. */
const snapshot = (dataDir: string): string[] =>
  (readdirSync(dataDir, { recursive: true }) as string[]).sort().map((name) => {
    const { mtimeMs, size, mode } = lstatSync(join(dataDir, name))
    const isFile = lstatSync(join(dataDir, name)).isFile()
    const hash = isFile
      ? createHash('sha256')
          .update(readFileSync(join(dataDir, name)))
          .digest('hex')
      : ''
    return `${name} ${mode} ${isFile ? `${size} ${mtimeMs} ${hash}` : ''}`
  })

describe('a folder in which all is well', () => {
  test('passes every check, and is not changed', async () => {
    const before = snapshot(whole)
    const { code, status, checks, skipped, fixed } = await doctor(whole, '--full', '--min-free', 'off')
    assert.deepEqual([code, skipped, fixed], [0, [], []])
    assert.notEqual(status, 'fail')
    for (const [name, { status, detail }] of Object.entries(checks))
      if (!OF_MACHINE.includes(name)) assert.equal(status, 'pass', `${name}: ${detail}`)
    assert.match(
      checks.versions?.detail ?? '',
      new RegExp(`^Dealbox ${version} \\(Node .*, SQLite .*, schema ${SCHEMA_VERSION}\\)`),
    )
    assert.match(checks.keys?.detail ?? '', /^1 signing key and 3 stored secrets can be used\.$/)
    assert.match(checks.database?.detail ?? '', /is whole \(all pages and indexes\)\.$/)
    assert.deepEqual(snapshot(whole), before)
  })

  test('is one page for people', async () => {
    const { code, out, err } = await cli(['doctor', '--data', whole])
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, new RegExp(`^Examined ${whole}\\.\\n\\npass  versions      Dealbox `))
    assert.match(out, /\npass {2}server {8}No server runs on the data folder\.\n/)
    assert.match(out, /\n\n\d+ passed, \d to look into, 0 failed\.\n$/)
    assert.ok(out.split('\n').length < 40)
  })

  test('beside a running server, which keeps its lock and its files', async () => {
    const folder = copyOf('served')
    const server = await serve(folder, org.token)
    try {
      await server.call('POST', '/deals', { title: 'Chairs' })
      mkdirSync(join(folder, 'uploads'), { recursive: true })
      writeFileSync(join(folder, 'uploads', 'arriving'), 'x', { mode: 0o600 })
      chmodSync(join(folder, 'uploads'), 0o700)
      const { code, checks, fixed } = await doctor(folder, '--fix')
      assert.deepEqual([code, fixed], [0, []])
      assert.equal(checks.server?.detail, 'A server runs on the data folder.')
      for (const name of ['database', 'log', 'orphans', 'keys', 'jobs'])
        assert.equal(checks[name]?.status, 'pass', name)
      assert.deepEqual(readdirSync(join(folder, 'uploads')), ['arriving'])
      assert.equal(isServed(folder), true)
      assert.deepEqual(await server.tryTo('POST', '/deals', { title: 'Lamps' }), [201, null])
    } finally {
      await server.stop()
    }
    assert.equal(isServed(folder), false)
  })
})

describe('a folder in which much is wrong', () => {
  let folder: string
  const path = (...parts: string[]) => join(folder, ...parts)
  const write = (name: string, content: Buffer | string) => writeFileSync(path(name), content, { mode: 0o600 })
  const ids = { pem: '', mailbox: '' }
  let secrets: Buffer

  before(() => {
    folder = copyOf('sick')
    withStore(folder, (store) => {
      const { db, clock } = store
      const now = clock.now()
      const server = { store } as unknown as TestServer
      enroll(server, org, makeSequence(server, org).id, { contact_id: contact })
      jobQueue(store).put(org.org, { kind: 'conversation.wake', key: 'x', payload: {}, dueAt: now })
      db.prepare("UPDATE jobs SET failed_at = 1, last_error = 'no' WHERE key = 'x'").run()
      db.prepare("UPDATE messages SET status = 'queued' WHERE id = ?").run(message)
      const content = { org_id: org.org, size_bytes: 4 }
      insertRow(store, 'file_contents', { ...content, sha256: 'staged', is_staged: 1 })
      insertRow(store, 'file_contents', { ...content, sha256: 'broken' })
      const org2 = { timezone: 'UTC', currency: 'EUR', created_at: now }
      insertRow(store, 'orgs', { ...org2, public_id: `staged ${randomUUID()}`, name: 'Half', state: 'staged' })
      db.prepare("UPDATE recurring_jobs SET last_error = 'it threw', failures = 4 WHERE name = 'purge events'").run()
      ids.mailbox = db.prepare('SELECT id FROM mailboxes').pluck().get() as string
      const state = {
        org_id: org.org,
        mailbox_id: ids.mailbox,
        send_error: 'It refused',
        send_error_at: now,
        missing: 2,
      }
      insertRow(store, 'mailbox_states', state)
      db.prepare("UPDATE webhooks SET status = 'disabled', disabled_reason = 'it answered 410' WHERE id = ?").run(
        webhook,
      )
      insertRow(store, 'signing_keys', { kid: 'aaaaaaaaaaaaaaaa', created_at: 0, retired_at: 1 })
      ids.pem = `${db.prepare('SELECT kid FROM signing_keys WHERE retired_at IS NULL').pluck().get()}.pem`
    })
    change(
      folder,
      'ANALYZE',
      (db) =>
        db
          .prepare('UPDATE tokens SET created_at = @now - 80 * @day, expires_at = @now + 10 * @day')
          .run({ now: Date.now(), day: 24 * HOUR_MS }),
      'DELETE FROM deals',
      "INSERT INTO note_contacts (org_id, contact_id, note_id) VALUES (1, 'nobody', 'nothing')",
      (db) => {
        const id = startClock(() => Date.now() + 72 * HOUR_MS).id()
        const tag = db.prepare("INSERT INTO tags VALUES (?, ?, 'new', 'new', NULL, NULL, 0, 0, 1)")
        tag.run(org.org, id)
      },
      'PRAGMA journal_mode = DELETE',
    )
    pauseSending(folder)
    const failure = {
      since: '2026-01-01T03:15:00Z',
      at: '2026-01-02T03:15:00Z',
      code: 'storage_full',
      message: 'No space.',
    }
    const copy = { place: '/mnt/nas', file: 'dealbox-20200101T031500Z.tar', copied_at: failure.at }
    noteBackup(folder, {
      failure,
      copies: [{ ...copy, tried_at: new Date().toISOString(), error: 'There is no folder /mnt/nas.' }],
    })
    mkdirSync(path('uploads'), { mode: 0o700 })
    mkdirSync(path('backups'), { mode: 0o700 })
    write('uploads/half', 'x')
    write('backups/dealbox-20200101T031500Z.tar', '')
    write('backups/dealbox-20210101T031500Z.tar.part', '')
    secrets = readFileSync(path('keys/secrets.key'))
    write('keys/secrets.key', Buffer.alloc(32, 7))
    write('keys/cursor.key', Buffer.alloc(32))
    write('keys/aaaaaaaaaaaaaaaa.pem', 'x')
    write('keys/bbbbbbbbbbbbbbbb.pem', 'x')
    write('keys/secrets copy.key', 'x')
    write(`keys/.${randomUUID()}.tmp`, 'x')
    const [stale] = readdirSync(path('keys')).filter((name) => name.endsWith('.tmp'))
    utimesSync(path('keys', stale as string), new Date(0), new Date(0))
    rmSync(path('keys', ids.pem))
    chmodSync(folder, 0o755)
    chmodSync(path('dealbox.db'), 0o666)
  })

  const EXPECTED: Record<string, [Check['status'], RegExp, RegExp]> = {
    permissions: ['fail', /^Other users of this machine may read and change .*dealbox\.db/, /doctor --fix/],
    disk: ['fail', /less than --min-free \(976562\.5 GiB\)|less than --min-free/, /^Free some space/],
    foreign_keys: ['fail', /1 of note_contacts to contacts and 1 of note_contacts to notes/, /restore/],
    format: ['warn', /journal_mode delete.*should be wal/, /^Start the server/],
    statistics: ['warn', /were changed, as by ANALYZE/, /doctor --fix/],
    orphans: [
      'fail',
      /files of uploads.*1 file of an upload.*1 organisation of a restored export or a move.*1 file without a message.*bytes of 1 file .*1 record that does not exist.*1 message is queued.*1 enrollment waits/,
      /doctor --fix.*Pause the sequence/,
    ],
    clock: ['fail', /but the newest record is of .*one of them is wrong/, /Set the clock/],
    keys: [
      'fail',
      /\.pem is missing.*3 stored secrets cannot be decrypted.*mailbox "support".*cursor\.key is damaged.*aaaaaaaaaaaaaaaa\.pem.*bbbbbbbbbbbbbbbb\.pem.*no backup has them: secrets copy\.key\..*temporary files/,
      /keys rotate.*Restore keys\/secrets\.key.*dealbox restore .*dealbox-20200101T031500Z\.tar/,
    ],
    backups: [
      'fail',
      /dealbox-20200101T031500Z\.tar, of 2020-01-01T03:15:00.*more than a week ago\. The last backup failed at .*: No space\.$/,
      /dealbox backup/,
    ],
    copies: ['fail', /^The copy to \/mnt\/nas failed at .*: There is no folder \/mnt\/nas\. Its last/, /every hour/],
    sending: ['warn', /^Nothing is sent/, /dealbox resume-sending/],
    jobs: ['warn', /^1 job of Acme was given up \(1 conversation\.wake\)\.$/, /jobs list --given-up.*jobs retry ID/],
    recurring: ['warn', /"purge events" \(it threw, 4 times in a row\)/, /log of the server/],
    mailboxes: [
      'warn',
      /^The mailbox "support": sending failing at .*It refused.* The mailbox "support": its server left out the content of 2 mails\.$/,
      /mailbox test support.*See which with "dealbox mailbox errors", and read them with another mail program\./,
    ],
    tokens: [
      'warn',
      /^1 token ends within 14 days: [\w-]{36} of ana@acme\.example at 20\S+Z\.$/,
      /"dealbox token create"/,
    ],
    webhooks: ['warn', /to receiver\.example was disabled: it answered 410\.$/, /status to active/],
  }

  test('says what, and what to do, and changes nothing', async () => {
    const before = snapshot(folder)
    const { code, status, checks } = await doctor(folder, '--min-free', '999999999G')
    assert.deepEqual([code, status], [1, 'fail'])
    for (const [name, [wanted, detail, advice]] of Object.entries(EXPECTED)) {
      const check = checks[name] as Check
      assert.equal(check.status, wanted, `${name}: ${check.detail}`)
      assert.match(check.detail, detail)
      assert.match(check.advice ?? '', advice)
    }
    assert.doesNotMatch(JSON.stringify(checks.webhooks), /receiver\.example\/secret/)
    assert.deepEqual(snapshot(folder), before)
  })

  test('the page for people has each advice below its check', async () => {
    const { code, out } = await cli(['doctor', '--data', folder])
    assert.equal(code, 1)
    assert.match(
      out,
      /\nwarn {2}jobs {10}1 job of Acme was given up[^\n]*\n {20}→ See the reasons with "dealbox jobs list/,
    )
  })

  test('--fix does what is safe, says so, and leaves the rest', async () => {
    writeFileSync(path('keys/secrets.key'), secrets)
    const { code, checks, fixed } = await doctor(folder, '--fix', '--min-free', 'off')
    assert.deepEqual(
      fixed.map((text) => text.replaceAll(folder, '.')).sort(),
      [
        'Deleted 1 entry of the search.',
        'Deleted 1 file of an interrupted upload.',
        'Deleted 1 temporary file in keys/.',
        'Deleted 1 unused file.',
        'Deleted the files of interrupted uploads.',
        'Deleted the files of retired keys: aaaaaaaaaaaaaaaa.pem.',
        'Marked 1 message without a job as failed.',
        'Restored the statistics for the planner.',
        `Took the permissions of other users from . and ./dealbox.db.`,
      ].sort(),
    )
    assert.equal(code, 1)
    for (const name of ['permissions', 'format', 'statistics']) assert.equal(checks[name]?.status, 'pass', name)
    assert.match(
      checks.orphans?.detail ?? '',
      /^There is space taken by 1 organisation of a restored export or a move that was interrupted\. 1 enrollment waits/,
    )
    assert.match(checks.keys?.detail ?? '', /is missing.*cursor\.key is damaged.*bbbbbbbbbbbbbbbb/)
    assert.deepEqual([statSync(folder).mode & 0o777, statSync(path('dealbox.db')).mode & 0o777], [0o700, 0o600])
    withStore(folder, ({ db }) => {
      const row = db.prepare('SELECT status, error FROM messages WHERE id = ?').get(message)
      assert.deepEqual(row, { status: 'failed', error: 'Its job was lost, so it was not sent. Write it again.' })
      assert.equal(db.prepare('SELECT count(*) FROM file_contents').pluck().get(), 0)
    })
    const again = await doctor(folder, '--fix', '--min-free', 'off')
    assert.deepEqual(again.fixed, [])
  })
})

describe('a database that cannot be used', () => {
  const refusal = async (folder: string, detail: RegExp, advice: RegExp) => {
    const before = snapshot(folder)
    const { skipped } = await expectOne(folder, 'database', 'fail', detail, advice)
    assert.deepEqual(snapshot(folder), before)
    return skipped
  }

  test('because it is newer', async () => {
    const folder = copyOf('newer')
    change(folder, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
    const skipped = await refusal(folder, /written by a newer version of Dealbox/, /dealbox restore/)
    assert.ok(skipped.includes('orphans') && !skipped.includes('foreign_keys'))
  })

  test('because its tables are of an unreleased version', async () => {
    const folder = copyOf('other')
    change(folder, "UPDATE installation SET schema_hash = 'x'")
    await refusal(folder, /unreleased version of Dealbox/, /Keep this folder/)
  })

  test('because it is of another program', async () => {
    const folder = copyOf('foreign')
    change(folder, 'PRAGMA application_id = 1')
    const skipped = await refusal(folder, /database of another program/, /dealbox restore BACKUP/)
    assert.ok(skipped.includes('foreign_keys'))
  })

  test('because its beginning is damaged', async () => {
    const folder = copyOf('beginning')
    overwritePages(folder, [1], () => Buffer.alloc(4096, 7))
    mkdirSync(join(folder, 'backups'), { mode: 0o700 })
    for (const name of ['dealbox-20260101T031500Z.tar', 'dealbox-20260102T031500Z.tar.age'])
      writeFileSync(join(folder, 'backups', name), '', { mode: 0o600 })
    await refusal(
      folder,
      /its beginning is damaged/,
      /restore .*\/backups\/dealbox-20260102T031500Z\.tar\.age --data .*dealbox export DIR/,
    )
  })

  test('because it is lost, or was never there', async () => {
    const folder = copyOf('lost')
    rmSync(join(folder, 'dealbox.db'))
    await refusal(folder, /is missing, although .* contains the keys of a database/, /dealbox restore BACKUP/)
    const { checks, code } = await doctor(join(root, 'nowhere'))
    assert.equal(code, 1)
    for (const name of ['database', 'permissions', 'disk'])
      assert.match(`${checks[name]?.status} ${checks[name]?.advice}`, /^fail Name the data folder with --data\.$/)
  })

  test('because a page of it is damaged; --fix does not write to it', async () => {
    const folder = copyOf('damaged')
    let page = 0
    change(folder, (db) => {
      page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'notes'").pluck().get() as number
    })
    overwritePages(folder, [page], () => Buffer.alloc(4096, 7))
    await refusal(folder, /^The database is damaged: /, /Stop the server and restore a backup/)
    change(folder, "UPDATE messages SET status = 'queued'; DELETE FROM sqlite_stat1")
    chmodSync(folder, 0o755)
    const before = readFileSync(join(folder, 'dealbox.db'))
    const { fixed } = await doctor(folder, '--fix')
    assert.deepEqual(fixed, [`Took the permissions of other users from ${folder}.`])
    assert.deepEqual(readFileSync(join(folder, 'dealbox.db')), before)
  })

  test('yet, since it is older: it is said, and not migrated', async () => {
    const folder = copyOf('older')
    for (const name of ['dealbox.db', 'keys']) rmSync(join(folder, name), { recursive: true })
    const { sql, hash } = releasedSchema(4)
    change(
      folder,
      'PRAGMA journal_mode = WAL',
      sql,
      `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 4`,
      (db) =>
        void db
          .prepare("INSERT INTO installation (singleton, id, schema_hash, created_at) VALUES (1, 'x', ?, 0)")
          .run(hash),
    )
    chmodSync(join(folder, 'dealbox.db'), 0o600)
    writeFileSync(join(folder, 'dealbox.db-wal'), 'torn', { mode: 0o600 })
    const { skipped, checks } = await expectOne(
      folder,
      'versions',
      'warn',
      /the database has schema 4\.$/,
      /^Start this version/,
      '--fix',
    )
    assert.equal(checks.database?.status, 'pass')
    assert.ok(skipped.includes('schema'))
    change(folder, (db) => assert.equal(db.pragma('user_version', { simple: true }), 4))
  })
})

describe('one thing alone', () => {
  test('an index that does not fit its table is found with --full', async () => {
    const folder = copyOf('index')
    change(folder, (db) => {
      const raw = db as Connection & { unsafeMode: (on: boolean) => void }
      raw.unsafeMode(true)
      db.exec(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX contacts_name ON contacts (org_id, name)' WHERE name = 'contacts_name'",
      )
    })
    assert.equal((await doctor(folder)).checks.database?.status, 'pass')
    await expectOne(folder, 'database', 'fail', /damaged: .*index contacts_name/, /restore/, '--full')
  })

  test('tables that another program has changed', async () => {
    const folder = copyOf('drift')
    change(
      folder,
      'DROP INDEX deals_title; CREATE TABLE extra (a); ALTER TABLE tags ADD COLUMN more TEXT; DROP TRIGGER attachments_gone',
    )
    const { checks } = await expectOne(
      folder,
      'schema',
      'fail',
      /index deals_title is missing, table tags was changed, trigger attachments_gone is missing and table extra was added/,
      /changed by another program/,
    )
    assert.equal(checks.database?.status, 'pass')
    change(folder, 'ANALYZE')
    assert.deepEqual((await doctor(folder, '--fix')).fixed, [], 'nothing is written to tables that are not known')
  })

  test('a log that a killed server has left, which --fix copies', async () => {
    const folder = join(root, 'log')
    const store = openStore(whole)
    store.db.prepare('UPDATE orgs SET name = ?').run('Acme & Co')
    cpSync(whole, folder, { recursive: true }) // as it would be after kill -9
    store.db.prepare('UPDATE orgs SET name = ?').run('Acme')
    store.close()
    rmSync(join(folder, 'dealbox.db-shm'))
    const before = readFileSync(join(folder, 'dealbox.db-wal'))
    await expectOne(folder, 'log', 'warn', /though no server runs.*Nothing is lost/, /Keep this file/)
    assert.deepEqual(readFileSync(join(folder, 'dealbox.db-wal')), before)
    const { fixed, checks } = await doctor(folder, '--fix')
    assert.deepEqual([fixed, checks.log?.status], [['Copied the write-ahead log into the database.'], 'pass'])
    withStore(folder, ({ db }) => assert.equal(db.prepare('SELECT name FROM orgs').pluck().get(), 'Acme & Co'))
  })

  test('an entry of the audit log that somebody has changed', async () => {
    const folder = copyOf('audit')
    withStore(folder, (store) =>
      store.transaction(() => auditLog(store).record({ org: org.org, actor: { type: 'server' }, action: 'test.done' })),
    )
    const { checks } = await doctor(folder)
    assert.match(checks.audit?.detail ?? '', /^The audit log \(\d+ entr(y|ies)\) fits together\.$/)
    change(folder, (db) => {
      const guard = "SELECT sql FROM sqlite_schema WHERE name = 'audit_log_kept'"
      const sql = db.prepare(guard).pluck().get() as string
      db.exec(`DROP TRIGGER audit_log_kept; UPDATE audit_log SET action = 'test.changed'; ${sql}`)
    })
    await expectOne(
      folder,
      'audit',
      'fail',
      /^The audit log was changed \(.*: changed: entry/,
      /who can write the file/,
    )
  })

  test('a job that a running server does not begin', async () => {
    const folder = copyOf('late')
    withStore(folder, (store) =>
      jobQueue(store).put(org.org, { kind: 'sla.recount', key: 'org', payload: {}, dueAt: Date.now() - 2 * HOUR_MS }),
    )
    assert.equal((await doctor(folder)).checks.jobs?.status, 'pass')
    const release = lockInstance(folder)
    try {
      await expectOne(folder, 'jobs', 'fail', /^A job of Acme has been due since /, /restart it/)
    } finally {
      release()
    }
  })

  test('files of another user, which root is told how to give back', {
    skip: !isRoot && 'only root may give files away',
  }, async () => {
    const folder = copyOf('owner')
    chownSync(join(folder, 'server.lock'), 12345, 12345)
    const { fixed } = await expectOne(
      folder,
      'permissions',
      'fail',
      /^server\.lock belong to another user than the data folder \(0\)/,
      new RegExp(`sudo chown -hR 0:0 ${folder}"`),
      '--fix',
    )
    assert.deepEqual([fixed, statSync(join(folder, 'server.lock')).uid], [[], 12345])
  })

  test('a folder of another user, in which root closes nothing that a link leads to', {
    skip: !isRoot && 'only root may give files away',
  }, async () => {
    const folder = copyOf('raced')
    const [keys, elsewhere] = [join(folder, 'keys'), join(root, 'of-root')]
    mkdirSync(elsewhere)
    for (const file of [join(elsewhere, 'secrets.key'), join(folder, 'open')]) writeFileSync(file, '', { mode: 0o644 })
    for (const path of [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))])
      chownSync(path, 12345, 12345)
    chmodSync(root, 0o711)
    chmodSync(join(keys, 'secrets.key'), 0o644)
    const finding = permissions({ dataDir: folder } as Patient)
    renameSync(keys, `${keys}.real`)
    symlinkSync(elsewhere, keys)
    assert.match(applyFixes(folder, [finding], 'nothing').join(), /^This could not be fixed: EPERM/)
    assert.equal(statSync(join(elsewhere, 'secrets.key')).mode & 0o777, 0o644)
    rmSync(keys)
    renameSync(`${keys}.real`, keys)
    const { fixed, checks } = await doctor(folder, '--fix')
    assert.match(fixed.join(), /^Took the permissions of other users from .*secrets\.key/)
    assert.match(checks.permissions?.detail ?? '', /^Only the user 12345 may read the data folder/)
    assert.deepEqual(
      [process.geteuid?.(), process.getegid?.(), statSync(join(folder, 'dealbox.db')).uid],
      [0, 0, 12345],
    )
  })

  test('a folder in memory', async (t) => {
    const disk = smallDisk(24 * 1024)
    if (!disk) return t.skip('no file system can be mounted here')
    t.after(disk.drop)
    const folder = join(disk.folder, 'data')
    cpSync(whole, folder, { recursive: true })
    await expectOne(folder, 'file_system', 'warn', /is on tmpfs, in memory/, /Move the data folder to a disk/)
    await expectOne(folder, 'disk', 'fail', /less than --min-free \(\d/, /^Free some space/, '--min-free', '64M')
  })

  test('what belongs to a server that starts meanwhile is left alone', () => {
    const folder = copyOf('starting')
    const finding = (isAlone: boolean) => warn('It is there.', 'Remove it.', { isAlone, run: () => 'Removed it.' })
    const release = lockInstance(folder)
    try {
      assert.deepEqual(applyFixes(folder, [finding(true)], 'all'), [])
      assert.deepEqual(applyFixes(folder, [finding(false)], 'all'), ['Removed it.'])
    } finally {
      release()
    }
    assert.deepEqual(applyFixes(folder, [finding(true)], 'all'), ['Removed it.'])
    lockInstance(folder)()
  })

  test('an empty folder of backups, once there should be one', async () => {
    const folder = copyOf('old')
    change(folder, 'UPDATE installation SET created_at = 0')
    await expectOne(folder, 'backups', 'warn', /^There is no backup in .*\/old\/backups\.$/, /dealbox backup/)
    const elsewhere = join(root, 'elsewhere')
    mkdirSync(elsewhere)
    const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
    writeFileSync(join(elsewhere, `dealbox-${stamp}.tar`), '')
    const { checks } = await doctor(folder, '--backup-dir', elsewhere)
    assert.equal(checks.backups?.status, 'pass')
  })

  test('a backup that is dated in the future, which is not the newest', async () => {
    const folder = copyOf('future')
    const made = (ms: number) => `backups/dealbox-${new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '')}.tar`
    mkdirSync(join(folder, 'backups'), { mode: 0o700 })
    const old = made(Date.now() - 3 * 24 * HOUR_MS)
    let future = ''
    for (const hoursAhead of [2, 40 * 24, 60 * 24]) {
      if (future) rmSync(join(folder, future))
      future = made(Date.now() + hoursAhead * HOUR_MS)
      writeFileSync(join(folder, future), '', { mode: 0o600 })
      await expectOne(folder, 'backups', 'warn', /is dated in the future: .*there is no other\.$/, /dealbox backup/)
    }
    writeFileSync(join(folder, old), '', { mode: 0o600 })
    await expectOne(folder, 'backups', 'warn', new RegExp(`^The newest backup is .*/${old}, of`), /dealbox backup/)
    overwritePages(folder, [1], () => Buffer.alloc(4096, 7))
    const { checks } = await doctor(folder)
    assert.match(checks.database?.advice ?? '', new RegExp(`dealbox restore .*/${old} --data`))
  })
})

test('the commands of docs/troubleshooting.md work as they are printed', async () => {
  const folder = copyOf('printed')
  const job = withStore(folder, (store) => {
    jobQueue(store).put(org.org, { kind: 'conversation.wake', key: 'x', payload: {}, dueAt: 0 })
    const fail = "UPDATE jobs SET failed_at = 1 WHERE key = 'x' RETURNING id"
    return store.db.prepare(fail).pluck().get() as string
  })
  const page = readFileSync(join(import.meta.dirname, '../../../docs/troubleshooting.md'), 'utf8')
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text as string)
  const lines = blocks.flatMap((text) => text.trim().split('\n')).map((line) => line.replace(/ *#.*/, ''))
  assert.ok(lines.length >= 6)
  for (const line of lines) {
    const [, ...argv] = line.split(' ').map((word) => (word === 'ID' ? job : word))
    if (argv[1] === 'drop') change(folder, 'UPDATE jobs SET failed_at = 1') // it was tried again before
    const { code, err } = await cli([...argv, '--data', folder])
    assert.deepEqual([code, err], [0, ''], line)
  }
})

test('each check has found something in these tests, but for those that need a copy', () => {
  assert.equal(known.size, 25)
  assert.deepEqual(
    [...known].filter((name) => !complained.has(name)).sort(),
    ['replication', 'server'],
    'see test/ops/replication',
  )
})
