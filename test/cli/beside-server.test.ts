import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { httpClient } from '../support/client.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { MAIN } from '../support/program.ts'

// A server and a command are processes of their own on one folder, as they are in life.

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-beside-'))
const client = httpClient()
let org: Org
let populated: Org
let server: ChildProcess
let urls: { api: string; screens: string }
before(async () => {
  const store = openStore(dataDir, { create: true })
  org = await makeOrg(store, dataDir, 'Acme')
  populated = await makeOrg(store, dataDir, 'Filled')
  store.close()
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  server = spawn(process.execPath, [MAIN, 'serve', '--data', dataDir, '--json', '--rate-limit', 'off', ...listen], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  urls = JSON.parse(String(line).split('\n')[0] as string)
  server.stdout?.resume()
})
after(async () => {
  client.stop()
  server.kill('SIGTERM')
  await once(server, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
})

function start(...argv: string[]): ChildProcess {
  const of = ['--data', dataDir, '--org', populated.id, '--json']
  return spawn(process.execPath, [MAIN, ...argv, ...of], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** An organisation, and a token of a member who is in no export. */
async function addOrg(): Promise<Org> {
  const store = openStore(dataDir)
  const added = await makeOrg(store, dataDir, 'Third')
  store.close()
  return added
}

let written = 0

/** One request after the other: a write has to be answered before the next one is sent. */
async function round(): Promise<void> {
  const headers = { authorization: `Bearer ${org.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: `Tag ${written++}` })
  const get = { method: 'GET', headers, body: undefined }
  const statuses = [
    (await client.send(`${urls.api}/api/v1/tags`, { method: 'POST', headers, body })).status,
    (await client.send(`${urls.api}/api/v1/deals`, get)).status,
    (await client.send(`${urls.screens}/livez`, get)).status,
  ]
  assert.deepEqual(statuses, [201, 200, 200])
}

const countOf = (table: string): unknown => {
  const { db, close } = openStore(dataDir)
  const count = db.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(populated.org)
  close()
  return count
}

describe('a server beside a command that writes much', () => {
  test('has its turn a hundred times while a seed goes on, and refuses nothing', async () => {
    const command = start('seed', '--profile', '10k')
    while (countOf('companies') === 0) await round()
    for (let count = 0; count < 100; count++) await round()
    assert.equal(command.exitCode, null, 'the seed has had its end before: it held the lock for long')
    command.kill('SIGKILL')
    await once(command, 'exit')
    await round()
    assert.ok((countOf('companies') as number) > 0)
  })

  test('refuses nothing while an import goes on, which comes in whole', async () => {
    const rows = Array.from({ length: 3000 }, (_, n) => `Ana ${n},ana${n}@import.example,Import ${n % 300}`)
    const file = join(dataDir, 'people.csv')
    writeFileSync(file, `Name,Email,Company\n${rows.join('\n')}\n`)
    const command = start('import', 'contacts', file)
    let out = ''
    command.stdout?.on('data', (text) => {
      out += text
    })
    const ended = once(command, 'close')
    while (command.exitCode === null) await round()
    assert.deepEqual(await ended, [0, null])
    assert.equal(JSON.parse(out).created, 3000)
  })

  test('refuses nothing while an export is brought back, which is there at once', async () => {
    const out = join(dataDir, 'out')
    await once(start('export', out), 'close')
    const { id, token } = await addOrg()
    const command = spawn(process.execPath, [MAIN, 'import', out, '--data', dataDir, '--org', id, '--json'])
    const ended = once(command, 'close')
    const seen = new Set<number>()
    while (command.exitCode === null) {
      await round()
      const headers = { authorization: `Bearer ${token}` }
      const { status, text } = await client.send(`${urls.api}/api/v1/contacts?count=true&limit=1`, {
        method: 'GET',
        headers,
        body: undefined,
      })
      assert.equal(status, 200, text)
      seen.add(JSON.parse(text).total)
    }
    assert.deepEqual(await ended, [0, null])
    assert.ok(written > 150 && seen.has(0) && seen.size <= 2, `${[...seen]} contacts were seen`)
  })

  test('refuses nothing while a person is erased, and does not know them afterwards', async () => {
    const get = (path: string) =>
      client.send(`${urls.api}/api/v1${path}`, {
        method: 'GET',
        headers: { authorization: `Bearer ${populated.token}` },
        body: undefined,
      })
    const page = '/contacts?limit=1'
    const [{ id }] = JSON.parse((await get(page)).text).data
    const command = start('contact', 'forget', id, '--yes')
    let out = ''
    command.stdout?.on('data', (text) => {
      out += text
    })
    const ended = once(command, 'close')
    const began = written
    while (command.exitCode === null) await round()
    assert.deepEqual(await ended, [0, null])
    assert.ok(written > began)
    const { erased, remnants } = JSON.parse(out)
    assert.deepEqual([erased.contacts, remnants], [1, undefined])
    assert.equal((await get(`/contacts/${id}`)).status, 404)
    assert.ok(!(await get(page)).text.includes(id), 'the page is not the one from before')
  })
})
