import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sumOf } from '../../src/exports/files.ts'
import { restoreExport } from '../../src/exports/restore.ts'
import { writeExport } from '../../src/exports/write.ts'
import { contentOf, contentStore } from '../../src/inbox/messages/contents.ts'
import { inboxOf } from '../support/inbox.ts'
import { stillPace } from '../support/pace.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'

// The contents of files in an export: each once, and as part of each attachment in the formats before 4.

const { folder, drop } = scratch()
const LARGE = Buffer.from(Uint8Array.from({ length: 1_600_001 }, (_, at) => (at * 7 + (at >> 8)) % 256))
const FILES = [LARGE, Buffer.from('small'), LARGE, Buffer.alloc(0)]
let server: TestServer
let message: Row
before(async () => {
  server = await startServer()
  const attachments = FILES.map((bytes, at) => ({ name: `${at}`, data: bytes.toString('base64') }))
  message = await inboxOf(server).say('inbound', undefined, { attachments })
  await contentStore(server.store.db).stage(server.store.write, server.a.org, contentOf(LARGE.subarray(1)))
})
after(async () => {
  await server.stop()
  drop()
})

type Manifest = { format_version: number; files: { name: string }[] }
const recordsOf = (place: string, name: string): Row[] =>
  readFileSync(join(place, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Restores an export into a new server, where the files have to be the same. */
async function check(place: string): Promise<void> {
  const other = await startServer()
  try {
    await restoreExport(other.store, { dataDir: other.dataDir, org: other.b.org, folder: place, pace: stillPace })
    for (const [at, { id }] of (message.attachments as Row[]).entries()) {
      const path = `/messages/${message.id}/attachments/${id}`
      const { status, bytes } = await other.call('GET', path, undefined, { token: other.b.token })
      assert.equal(status, 200)
      assert.ok(bytes.equals(FILES[at] as Buffer))
    }
    const count = (table: string) => other.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    assert.deepEqual(['attachments', 'file_contents', 'file_chunks'].map(count), [4, 3, 4])
  } finally {
    await other.stop()
  }
}

test('an export has each content once, without what is only staged', async () => {
  const place = join(folder, 'new')
  writeExport(server.store, server.a.org, place)
  assert.equal(recordsOf(place, 'file_contents.ndjson').length, 3)
  assert.equal(recordsOf(place, 'file_chunks.ndjson').length, 4)
  await check(place)
})

test('the files of an export of format 3 are restored', async () => {
  const place = join(folder, 'old')
  writeExport(server.store, server.a.org, place)
  const dataOf = new Map((message.attachments as Row[]).map(({ id }, at) => [id, FILES[at]?.toString('base64')]))
  const old = recordsOf(place, 'attachments.ndjson').map(({ id, message_id }) => ({
    id,
    message_id,
    data: dataOf.get(id),
  }))
  writeFileSync(join(place, 'attachments.ndjson'), old.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const parts = ['file_contents.ndjson', 'file_chunks.ndjson']
  for (const name of parts) rmSync(join(place, name))
  const manifest = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')) as Manifest
  manifest.format_version = 3
  manifest.files = manifest.files.filter(({ name }) => !parts.includes(name))
  const changed = manifest.files.find(({ name }) => name === 'attachments.ndjson') as object
  Object.assign(changed, sumOf(join(place, 'attachments.ndjson')))
  writeFileSync(join(place, 'manifest.json'), JSON.stringify(manifest))
  await check(place)
})
