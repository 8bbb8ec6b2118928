import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { RESERVE } from '../../src/store/folder/reserve.ts'
import { type Served, serve } from '../support/served.ts'
import { smallDisk } from '../support/small-disk.ts'
import { cliJson } from './command-line.ts'

const KILOBYTES = 24 * 1024
const RESERVED = (KILOBYTES * 1024) / 16

const probe = smallDisk(KILOBYTES)
probe?.drop()

describe('a full disk', { skip: !probe && 'no file system can be mounted here' }, () => {
  const whole = mkdtempSync(join(tmpdir(), 'dealbox-whole-'))
  let token: string
  let disk: NonNullable<typeof probe>
  let dataDir: string
  let reserve: string
  let server: Served | undefined
  let ids: string[]

  before(async () => {
    await cliJson('init', '--data', whole, '--org', 'Acme', '--email', 'ana@acme.example')
    const made = await cliJson('token', 'create', '--data', whole, '--email', 'ana@acme.example', '--scope', 'all')
    token = made.token
    const first = await serve(whole, token)
    const created = Array.from({ length: 40 }, (_, n) => first.call('POST', '/contacts', { last_name: `Lee ${n}` }))
    ids = (await Promise.all(created)).map(({ body }) => body.id)
    await first.stop()
    rmSync(join(whole, RESERVE)) // of a larger disk
  })
  after(() => rmSync(whole, { recursive: true, force: true }))

  beforeEach(() => {
    disk = smallDisk(KILOBYTES) as typeof disk
    dataDir = join(disk.folder, 'data')
    reserve = join(dataDir, RESERVE)
    cpSync(whole, dataDir, { recursive: true })
  })
  afterEach(async () => {
    await server?.stop()
    server = undefined
    disk.drop()
  })

  async function start(): Promise<Served> {
    server = await serve(dataDir, token, { minFree: 'off' }) // fills it to the last byte
    return server
  }

  async function stop(): Promise<void> {
    await server?.stop()
    server = undefined
  }

  async function checkReadsAlone({ call, tryTo, screen }: Served): Promise<void> {
    assert.equal((await call('GET', '/contacts')).body.data.length > 0, true)
    const written = await call('POST', '/deals', { title: 'New' })
    assert.deepEqual([written.status, written.body.code], [503, 'storage_full'])
    assert.match(written.body.detail, /disk of the server is full, and nothing was written/)
    assert.deepEqual(await tryTo('PATCH', `/contacts/${ids[39]}`, { last_name: 'Other' }), [503, 'storage_full'])
    const ready = await screen('/readyz')
    assert.deepEqual([ready.status, ready.body.code], [503, 'storage_full'])
    assert.match(ready.body.detail, /disk is full\. Reads and deletions still work/)
    assert.deepEqual(ready.body.checks, { database: { status: 'pass' }, disk: { status: 'fail' } })
    assert.equal((await screen('/livez')).status, 200)
  }

  async function checkDeletes({ tryTo }: Served, some: string[]): Promise<void> {
    for (const id of some) {
      assert.deepEqual(await tryTo('DELETE', `/contacts/${id}`), [204, null])
      assert.deepEqual(await tryTo('GET', `/contacts/${id}`), [404, 'not_found'])
    }
  }

  async function checkWritesAgain({ tryTo, screen, lines }: Served): Promise<void> {
    assert.deepEqual(await tryTo('POST', '/deals', { title: 'New' }), [201, null])
    const { status, body } = await screen('/readyz')
    assert.equal(status, 200)
    assert.equal(body.checks.disk.status, 'warn') // it is small
    assert.ok(body.checks.disk.free_bytes > 0)
    assert.equal(statSync(reserve).size, RESERVED)
    assert.match(lines.at(-1).msg, /there is space on the disk again/)
  }

  const failures = ({ lines }: Served) => lines.flatMap(({ failure }) => failure ?? [])

  test('at the start: reads and deletions go on, and writes as soon as there is space', async () => {
    await start()
    await stop() // a server has run here before
    assert.equal(statSync(reserve).size, RESERVED)
    disk.fill()
    const running = await start()
    assert.equal(existsSync(reserve), false)
    await checkReadsAlone(running)
    assert.equal((await cliJson('token', 'list', '--data', dataDir)).length, 1) // commands read as well
    await checkDeletes(running, ids.slice(0, 10))
    await checkReadsAlone(running)
    assert.deepEqual(failures(running), ['full'])
    disk.free()
    await checkWritesAgain(running)
    const { detail } = (await running.screen('/readyz')).body.checks.disk
    assert.match(detail, /^Only [\d.]+ MiB are free on the disk of the data folder\. Free some space/)
    await checkDeletes(running, ids.slice(10, 12))
  })

  test('of a server that is started again, and finds the disk as full as before', async () => {
    await start()
    await stop()
    disk.fill()
    await checkDeletes(await start(), ids.slice(0, 5))
    await stop()
    assert.ok(existsSync(reserve))
    disk.fill()
    const running = await start()
    await checkReadsAlone(running)
    await checkDeletes(running, ids.slice(5, 10))
    disk.free()
    await checkWritesAgain(running)
  })

  test('at the start, with no byte set aside: reads go on, and all writes as soon as there is space', async () => {
    disk.fill()
    const running = await start()
    await checkReadsAlone(running)
    assert.deepEqual(await running.tryTo('DELETE', `/contacts/${ids[0]}`), [503, 'storage_full'])
    disk.free()
    await checkWritesAgain(running)
    await checkDeletes(running, ids.slice(0, 5))
    const { disk: found } = (await running.screen('/readyz')).body.checks
    assert.deepEqual([found.status, /Commands have to wait/.test(found.detail)], ['warn', true])
  })

  test('that a write finds while the server runs ends writes, and not deletions', async () => {
    const running = await start()
    disk.fill()
    const description = 'x'.repeat(100_000)
    let answer: [number, string | null] = [201, null]
    while (answer[0] === 201) answer = await running.tryTo('POST', '/notes', note(description))
    assert.deepEqual(answer, [503, 'storage_full'])
    assert.equal(existsSync(reserve), false)
    await checkReadsAlone(running)
    await checkDeletes(running, ids.slice(0, 10))
    assert.deepEqual(failures(running), ['full'])
    disk.free()
    await checkWritesAgain(running)
  })

  test('that a deletion finds first is no obstacle to it', async () => {
    const running = await start()
    await running.tryTo('GET', '/contacts')
    disk.fill()
    await checkDeletes(running, ids.slice(0, 38)) // more than fits into the log at once
    assert.deepEqual(failures(running), ['full'])
    await checkReadsAlone(running)
  })

  test('does not keep a server from stopping, and takes nothing that was answered', async () => {
    const running = await start()
    const body = 'x'.repeat(100_000)
    const write = () => running.call('POST', '/notes', note(body))
    const written = [await write(), await write(), await write()]
    rmSync(reserve)
    disk.fill()
    for (;;) {
      const answer = await write() // into the log, which has its space; the database gets no more
      if (answer.status !== 201) break
      written.push(answer)
    }
    await stop()
    assert.ok(statSync(join(dataDir, 'dealbox.db-wal')).size > 0, 'it could not be copied into the database')
    const second = await start()
    for (const { body } of written) assert.deepEqual(await second.tryTo('GET', `/notes/${body.id}`), [200, null])
    disk.free()
    assert.deepEqual(await second.tryTo('POST', '/notes', note(body)), [201, null])
  })

  test('is no obstacle to the first start of all', async () => {
    dataDir = join(disk.folder, 'fresh')
    reserve = join(dataDir, RESERVE)
    await cliJson('init', '--data', dataDir, '--org', 'Acme', '--email', 'ana@acme.example')
    assert.equal(statSync(reserve).size, RESERVED)
    const made = await cliJson('token', 'create', '--data', dataDir, '--email', 'ana@acme.example', '--scope', 'all')
    rmSync(reserve)
    disk.fill()
    server = await serve(dataDir, made.token, { minFree: 'off' })
    assert.equal((await server.call('GET', '/stages')).status, 200)
    assert.deepEqual(await server.tryTo('POST', '/contacts', { last_name: 'Lee' }), [503, 'storage_full'])
    disk.free()
    assert.deepEqual(await server.tryTo('POST', '/contacts', { last_name: 'Lee' }), [201, null])
  })

  const note = (body: string) => ({ body, contact_ids: [ids[38]] })
})
