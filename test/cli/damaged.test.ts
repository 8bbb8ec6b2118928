import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { makeOrg } from '../support/org.ts'
import { type Served, serve } from '../support/served.ts'
import { until } from '../support/until.ts'
import { dealbox } from './command-line.ts'

const root = mkdtempSync(join(tmpdir(), 'dealbox-damaged-'))
const whole = join(root, 'whole')
let token: string
let noteId: string
let contactId: string

before(async () => {
  const store = openStore(whole, { create: true })
  token = (await makeOrg(store, whole, 'Acme')).token
  store.close()
  const server = await serve(whole, token)
  const contact = await server.call('POST', '/contacts', { last_name: 'Lee' })
  contactId = contact.body.id
  const note = await server.call('POST', '/notes', { body: 'Hello', contact_ids: [contactId] })
  await server.call('POST', '/deals', { title: 'Desks' })
  const webhook = { url: 'https://receiver.example/', event_types: ['deal.created'] }
  assert.equal((await server.call('POST', '/webhooks', webhook)).status, 201)
  assert.equal(note.status, 201, JSON.stringify(note.body))
  noteId = note.body.id
  await server.stop()
})
after(() => {
  for (const fd of open) closeSync(fd)
  rmSync(root, { recursive: true, force: true })
})

function copyOf(name: string): string {
  const folder = join(root, name)
  cpSync(whole, folder, { recursive: true })
  return folder
}

/** Lays noise over the first page of the table or index. A server reads it anew, since another process has written. */
function damage(folder: string, name: string): void {
  const store = openStore(folder)
  const page = store.db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name) as number
  overwrite(folder, page)
  store.db.exec("UPDATE orgs SET name = name || '.'")
  store.close()
}

/** Closed at the end: whoever closes a file gives up all locks of the process on it, those of SQLite as well. */
const open: number[] = []

function overwrite(folder: string, page: number): void {
  const noise = Array.from({ length: 128 }, (_, at) => hash('sha256', `noise ${at}`, 'buffer'))
  const fd = openSync(join(folder, 'dealbox.db'), 'r+')
  writeSync(fd, Buffer.concat(noise), 0, 4096, (page - 1) * 4096)
  open.push(fd)
}

const ADVICE = /Stop the server and restore a backup of the data folder\.$/

/** When the server has logged something by itself. */
const untilLogged = (server: Served) => until(() => server.lines.length > 0)

async function checkNothingIsWritten(server: Served): Promise<void> {
  const written = await server.call('POST', '/tags', { name: 'new' })
  assert.deepEqual([written.status, written.body.code], [503, 'database_damaged'])
  assert.match(written.body.detail, /Nothing was written, and nothing will be\./)
  assert.match(written.body.detail, ADVICE)
  assert.deepEqual(await server.tryTo('DELETE', `/notes/${noteId}`), [503, 'database_damaged'])
  const ready = await server.screen('/readyz')
  assert.deepEqual([ready.status, ready.body.code], [503, 'database_damaged'])
  assert.match(ready.body.detail, /damaged \(SQLITE_CORRUPT\S*: .+\)/)
  assert.match(ready.body.detail, ADVICE)
  assert.deepEqual(ready.body.checks.database, { status: 'fail' })
  assert.equal((await server.screen('/livez')).status, 200)
}

const logged = ({ lines }: Served) =>
  lines.map(({ level, failure, omitted, err }) => ({ level, failure, omitted, reason: err?.message }))

const ONE_LINE = [{ level: 50, failure: 'damaged', omitted: 0, reason: 'database disk image is malformed' }]

test('a read that comes to a damaged page is 503, ends all writing, and is logged once', async () => {
  const folder = copyOf('read')
  const server = await serve(folder, token)
  try {
    damage(folder, 'notes')
    assert.deepEqual(await server.tryTo('POST', '/tags', { name: 'before' }), [201, null])
    assert.equal((await server.screen('/readyz')).status, 200)
    const read = await server.call('GET', `/notes/${noteId}`)
    assert.deepEqual([read.status, read.body.code], [503, 'database_damaged'])
    assert.match(read.body.detail, /required part of the database is damaged/)
    assert.match(read.body.detail, ADVICE)
    await checkNothingIsWritten(server)
    assert.deepEqual(await server.tryTo('GET', '/notes'), [503, 'database_damaged'])
    assert.equal((await server.call('GET', '/deals')).body.data.length, 1)
    assert.deepEqual(logged(server), ONE_LINE)
    assert.match(server.lines[0].msg, /nothing is written any more: stop the server and restore a backup/)
  } finally {
    await server.stop()
  }
})

test('a write that comes to a damaged page is 503, and ends all writing', async () => {
  const folder = copyOf('write')
  const server = await serve(folder, token)
  try {
    damage(folder, 'notes')
    const written = await server.call('POST', '/notes', { body: 'Hello', contact_ids: [contactId] })
    assert.deepEqual([written.status, written.body.code], [503, 'database_damaged'])
    assert.match(written.body.detail, /Nothing was written/)
    await checkNothingIsWritten(server)
    assert.equal((await server.call('GET', '/deals')).body.data.length, 1)
    assert.deepEqual(logged(server), ONE_LINE)
  } finally {
    await server.stop()
  }
})

for (const [who, name] of [
  ['the scheduler', 'jobs_due'],
  ['the delivery of webhooks', 'webhook_states'],
  ['the receiving of mail', 'mailboxes_position'],
] as const) {
  test(`damage that ${who} comes to, without a request, ends all writing`, async () => {
    const folder = copyOf(name)
    const server = await serve(folder, token)
    try {
      assert.equal((await server.screen('/readyz')).status, 200)
      damage(folder, name)
      await untilLogged(server)
      await checkNothingIsWritten(server)
      assert.equal((await server.call('GET', '/deals')).body.data.length, 1)
      assert.deepEqual(logged(server), ONE_LINE)
    } finally {
      await server.stop()
    }
  })
}

test('a folder with a damaged table is served, and what is in the others is read', async () => {
  const folder = copyOf('restart')
  damage(folder, 'notes')
  const server = await serve(folder, token)
  try {
    assert.equal((await server.call('GET', `/notes/${noteId}`)).status, 503, 'nobody has looked into it before')
    await checkNothingIsWritten(server)
    assert.equal((await server.call('GET', '/deals')).body.data.length, 1)
    assert.deepEqual(logged(server), ONE_LINE)
  } finally {
    await server.stop()
  }
})

test('a folder whose database is damaged where a start needs it is refused with what to do', async () => {
  const folder = copyOf('start')
  damage(folder, 'installation')
  const refused = await dealbox(['serve', '--data', folder, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off'])
  assert.equal(refused.code, 1)
  assert.match(refused.err, /dealbox\.db is damaged \(SQLITE_CORRUPT\); restore a backup of the data folder\.\n$/)
  overwrite(folder, 1)
  const beginning = await dealbox(['member', 'list', '--data', folder])
  assert.equal(beginning.code, 1)
  assert.match(beginning.err, /is not a Dealbox database, or its beginning is damaged; restore a backup of the data/)
})
