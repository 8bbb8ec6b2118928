import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, mock, test } from 'node:test'
import { credentialStore } from '../../src/auth/credentials.ts'
import { passwords } from '../../src/auth/passwords.ts'
import { RESERVE } from '../../src/store/folder/reserve.ts'
import { openStore } from '../../src/store/open.ts'
import { type Served, serve } from '../support/served.ts'
import { smallDisk } from '../support/small-disk.ts'
import { cli, cliJson } from './command-line.ts'

const KILOBYTES = 24 * 1024
const EMAIL = 'ana@acme.example'
const PASSWORD = 'a password of many words'
const MIN_FREE = { minFree: '8M' }
/** Less than that, and enough for the write-ahead log of all that happens here. */
const LEFT_KILOBYTES = 6 * 1024

const probe = smallDisk(KILOBYTES)
probe?.drop()

describe('below --min-free', { skip: !probe && 'no file system can be mounted here' }, () => {
  const whole = mkdtempSync(join(tmpdir(), 'dealbox-low-'))
  let disk: NonNullable<typeof probe>
  let dataDir: string
  let token: string
  let server: Served
  let contact: string
  /** Free space is asked for once a second. */
  let aheadMs = 0

  before(async () => {
    const { now } = performance
    mock.method(performance, 'now', () => now.call(performance) + aheadMs)
    disk = smallDisk(KILOBYTES) as typeof disk
    dataDir = join(disk.folder, 'data')
    const { member_id } = await cliJson('init', '--data', dataDir, '--org', 'Acme', '--email', EMAIL)
    token = (await cliJson('token', 'create', '--data', dataDir, '--email', EMAIL, '--scope', 'all')).token
    const stored = await passwords({ cost: { memory: 64, passes: 1 } }).hash(PASSWORD)
    const store = openStore(dataDir)
    credentialStore(store).setPassword(1, member_id, stored)
    store.close()
    server = await serve(dataDir, token, MIN_FREE)
    contact = (await server.call('POST', '/contacts', { last_name: 'Lee' })).body.id
  })
  after(async () => {
    mock.restoreAll()
    await server.stop()
    disk.drop()
    rmSync(whole, { recursive: true, force: true })
  })

  const later = () => {
    aheadMs += 1000
  }

  test('writes are refused before the disk is full, and /readyz and the log say so', async () => {
    disk.fill(LEFT_KILOBYTES)
    later()
    const written = await server.call('POST', '/deals', { title: 'New' })
    assert.deepEqual([written.status, written.body.code], [503, 'storage_full'])
    assert.match(written.body.detail, /disk of the server is almost full, and nothing was written\. Free some space/)
    assert.deepEqual(await server.tryTo('PATCH', `/contacts/${contact}`, { last_name: 'Other' }), [503, 'storage_full'])
    const ready = await server.screen('/readyz')
    assert.deepEqual([ready.status, ready.body.code], [503, 'storage_full'])
    assert.match(ready.body.detail, /less free space than --min-free\. Reads and deletions still work/)
    assert.equal(existsSync(join(dataDir, RESERVE)), true, 'what is reserved for a full disk is still there')
    const [{ failure, free_bytes, min_free_bytes, msg }, ...more] = server.lines
    assert.deepEqual([failure, min_free_bytes, more], ['low', 8 * 1_048_576, []])
    assert.ok(free_bytes < min_free_bytes && free_bytes > 4 * 1_048_576)
    assert.match(msg, /less free space than --min-free/)
  })

  test('files are refused before they are written to the same disk', async () => {
    const form = new FormData()
    form.append('unknown', 'x') // whoever reads it refuses it for that
    const { status, body } = await server.form('/messages', form)
    assert.deepEqual([status, body.code], [503, 'storage_full'])
  })

  test('reads, exports, commands and deletions go on', async () => {
    assert.equal((await server.call('GET', '/contacts')).body.data.length, 1)
    const { code, err } = await cli(['export', join(whole, 'out'), '--data', dataDir])
    assert.equal(code, 0, err)
    assert.equal((await cliJson('token', 'list', '--data', dataDir)).length, 1)
    assert.deepEqual(await server.tryTo('DELETE', `/contacts/${contact}`), [204, null])
    assert.deepEqual(await server.tryTo('GET', `/contacts/${contact}`), [404, 'not_found'])
  })

  test('somebody can sign in, to free some space', async () => {
    const post = async (path: string, body: object): Promise<number> => {
      const headers = { 'Content-Type': 'application/json', Origin: server.screens }
      return (await fetch(server.screens + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
    }
    assert.equal(await post('/app/login', { email: EMAIL, password: PASSWORD }), 200)
    assert.equal(await post('/app/login', { email: EMAIL, password: 'another' }), 401)
    const { url } = await cliJson('member', 'reset', EMAIL, '--data', dataDir)
    assert.equal(await post('/app/links/accept', { token: new URL(url).hash.slice(1) }), 200)
  })

  test('a server that starts there says the same', async () => {
    const copy = join(disk.folder, 'copy')
    cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith(RESERVE) })
    const second = await serve(copy, token, MIN_FREE)
    try {
      assert.equal((await second.screen('/readyz')).body.code, 'storage_full')
      assert.deepEqual(
        second.lines.map(({ failure }) => failure),
        ['low'],
      )
    } finally {
      await second.stop()
      rmSync(copy, { recursive: true })
    }
  })

  test('writes resume by themselves, with an eighth more than that', async () => {
    disk.free()
    disk.fill(8 * 1024 + 512)
    later()
    assert.deepEqual(await server.tryTo('POST', '/deals', { title: 'New' }), [503, 'storage_full'])
    disk.free()
    later()
    assert.deepEqual(await server.tryTo('POST', '/deals', { title: 'New' }), [201, null])
    assert.equal((await server.screen('/readyz')).status, 200)
    assert.match(server.lines.at(-1).msg, /there is space on the disk again/)
  })
})

test('--min-free has to be a size', async () => {
  const { code, err } = await cli(['serve', '--min-free', 'much', '--data', join(tmpdir(), 'dealbox-nowhere')])
  assert.equal(code, 2)
  assert.match(err, /^--min-free must be a size such as 256M or 1G, or off\. See "dealbox serve --help"\.\n$/)
})
