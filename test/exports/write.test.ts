import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { replaySeed } from '../../src/demo/replay/replay.ts'
import { AUDIT_LOG, FORMAT } from '../../src/exports/manifest.ts'
import { writeExport } from '../../src/exports/write.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'
import { addMailboxes, PASSWORD } from './export-fixture-mail.ts'

// The folder that an export makes, and the moment that it shows.

const { folder, drop } = scratch()
let server: TestServer
before(async () => {
  server = await startServer()
  replaySeed(server.store, { org: server.a.org, seed: 1, profile: 'demo', asOf: server.now() })
})
after(async () => {
  await server.stop()
  drop()
})

const write = (place: string, onProgress?: (records: number) => void) =>
  writeExport(server.store, server.a.org, place, onProgress)

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
const linesOf = (place: string, name: string): any[] =>
  readFileSync(join(place, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

test('the manifest names every file with its size, its hash and its records', () => {
  const place = join(folder, 'named')
  const manifest = write(place)
  assert.deepEqual(JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')), manifest)
  const { files, ...rest } = manifest
  assert.deepEqual(rest, {
    format: 'dealbox-export',
    format_version: FORMAT,
    dealbox_version: rest.dealbox_version,
    exported_at: '2026-11-20T08:36:00.000Z',
    org: { id: server.a.id, name: 'Acme' },
    last_seq: server.lastSeq(),
  })
  assert.deepEqual([...files.map(({ name }) => name), 'manifest.json'].sort(), readdirSync(place).sort())
  for (const { name, records, bytes, sha256 } of files) {
    const content = readFileSync(join(place, name))
    assert.equal(bytes, content.length, name)
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'), name)
    if (name.endsWith('.ndjson')) assert.equal(records, linesOf(place, basename(name, '.ndjson')).length, name)
  }
})

test('nobody else can read it, and no secret is in it', async () => {
  const { body: webhook } = await server.call('POST', '/webhooks', { url: 'https://a.example/', event_types: ['*'] })
  addMailboxes(server, server.a)
  const place = join(folder, 'private')
  write(place)
  const { db } = server.store
  assert.deepEqual(
    linesOf(place, 'webhooks').map(({ id }) => id),
    [webhook.id],
  )
  const secrets = [
    webhook.secret,
    db.prepare('SELECT secrets FROM webhook_states WHERE webhook_id = ?').pluck().get(webhook.id) as string,
    PASSWORD,
    ...(db
      .prepare('SELECT smtp_secret, imap_secret FROM mailboxes WHERE smtp_secret IS NOT NULL')
      .raw()
      .get() as string[]),
    server.a.token,
    ...(db.prepare('SELECT kid FROM signing_keys').pluck().all() as string[]),
  ]
  const textOf = (names: string[]) => names.map((name) => readFileSync(join(place, name), 'utf8')).join('\n')
  const everything = textOf(readdirSync(place))
  assert.match(everything, /support@acme\.example/)
  for (const secret of secrets) assert.ok(secret && !everything.includes(secret))
  // The id of a token is no secret, but only the audit log has use for it.
  assert.ok(!textOf(readdirSync(place).filter((name) => name !== AUDIT_LOG)).includes(server.a.tokenId))
  if (process.platform === 'win32') return
  assert.equal(statSync(place).mode & 0o777, 0o700)
  for (const name of readdirSync(place)) assert.equal(statSync(join(place, name)).mode & 0o777, 0o600, name)
})

test('a record is as the interface answers it, without what follows from the clock', async () => {
  const place = join(folder, 'shapes')
  write(place)
  const lines = linesOf(place, 'tasks')
  const { body } = await server.call('GET', '/tasks?sort=created_at&limit=100')
  for (const [index, { is_overdue, ...task }] of body.data.entries()) assert.deepEqual(lines[index], task)
})

test('it shows one moment, whatever is written meanwhile', async () => {
  const place = join(folder, 'moment')
  // Another connection, as that of a server beside the command.
  const { openStore } = await import('../../src/store/open.ts')
  const own = openStore(server.dataDir, { wall: server.now })
  const { contactStore } = await import('../../src/crm/contacts.ts')
  const { dealStore } = await import('../../src/crm/deals/deals.ts')
  const [contacts, deals] = [contactStore(server.deps), dealStore(server.deps)]
  const who = { org: server.a.org, member: null }
  let changes = 0
  const change = () =>
    server.store.transaction(() => {
      const contact = contacts.create(who, { last_name: `Meanwhile ${changes}` })
      deals.create(who, { title: 'Meanwhile', primary_contact_id: contact.id })
      const [old] = contacts.list(who.org, {
        limit: 1,
        sort: { column: 'id' },
        descending: false,
        conditions: [],
        count: false,
      }).rows
      contacts.remove(who, contacts.columns.present(old as unknown[]))
      changes++
    })
  const seq = server.lastSeq()
  const manifest = writeExport(own, who.org, place, change)
  own.close()

  assert.ok(changes > 10, String(changes))
  assert.ok(server.lastSeq() > seq)
  assert.equal(manifest.last_seq, seq)
  const events = linesOf(place, 'events')
  assert.deepEqual([events.length, events.at(-1).seq], [seq, seq])
  const everything = readdirSync(place)
    .map((name) => readFileSync(join(place, name), 'utf8'))
    .join('\n')
  assert.ok(!everything.includes('Meanwhile'))
  const ids = Object.fromEntries(
    ['contacts', 'companies', 'deals', 'members', 'tags', 'stages'].map((name) => [
      name,
      new Set(linesOf(place, name).map(({ id }) => id)),
    ]),
  )
  const resolves = (table: string, id: string | null) => assert.ok(id === null || ids[table]?.has(id), `${table} ${id}`)
  for (const { company_id, primary_contact_id, owner_id, stage, tag_ids } of linesOf(place, 'deals')) {
    resolves('companies', company_id)
    resolves('contacts', primary_contact_id)
    resolves('members', owner_id)
    resolves('stages', stage)
    for (const id of tag_ids) resolves('tags', id)
  }
  for (const { contact_ids, deal_ids } of [...linesOf(place, 'notes'), ...linesOf(place, 'tasks')]) {
    for (const id of contact_ids) resolves('contacts', id)
    for (const id of deal_ids) resolves('deals', id)
  }
  for (const { contact_id } of linesOf(place, 'list_contacts')) resolves('contacts', contact_id)
})

describe('the folder', () => {
  test('is made with those that it lies in, and taken where it is empty', () => {
    write(join(folder, 'deep/er/place'))
    assert.ok(existsSync(join(folder, 'deep/er/place/manifest.json')))
    mkdirSync(join(folder, 'empty'))
    write(join(folder, 'empty'))
    assert.ok(existsSync(join(folder, 'empty/manifest.json')))
  })

  test('is left alone where it holds something', () => {
    const place = join(folder, 'taken')
    mkdirSync(place)
    writeFileSync(join(place, 'mine.txt'), 'mine')
    assert.throws(() => write(place), {
      code: 'not_empty',
      message: `${place} is not empty. Export to a new or empty folder.`,
    })
    assert.deepEqual(readdirSync(place), ['mine.txt'])
  })

  test('is not there, nor anything beside it, when the export fails', () => {
    const place = join(folder, 'failing')
    const fail = () => {
      throw new Error('in the middle')
    }
    assert.throws(() => write(place, fail), /in the middle/)
    assert.deepEqual(
      readdirSync(dirname(place)).filter((name) => name.startsWith('failing')),
      [],
    )
  })

  test('cannot be in a file', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const place of [file, join(file, 'inside')]) {
      assert.throws(() => write(place), {
        code: 'cannot_write',
        message: `${place} cannot be written: it is a file, or in the path of one.`,
      })
    }
  })
})
