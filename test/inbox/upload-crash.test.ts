import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { contentOf, contentStore } from '../../src/inbox/messages/contents.ts'
import { openStore } from '../../src/store/open.ts'
import { bundled } from '../support/bundle.ts'
import { makeOrg } from '../support/org.ts'
import { openRaw } from '../support/raw.ts'
import { until } from '../support/until.ts'

// In the bundle of the executable, which leaves out most of koa-body.

const MIB = 1_048_576

test('what was half uploaded or half written when the server was killed is gone after its next start', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-uploads-'))
  const { file, env, remove } = await bundled('src/main.ts')
  const children: ChildProcess[] = []
  t.after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
    remove()
  })
  const store = openStore(dataDir, { create: true })
  const { org, token } = await makeOrg(store, dataDir, 'Acme')
  const { stage } = contentStore(store.db)
  await stage(store.write, org, contentOf(Buffer.alloc(2 * MIB, 'staged')))
  store.close()
  const left = () => (existsSync(join(dataDir, 'uploads')) ? readdirSync(join(dataDir, 'uploads')) : [])
  const rows = () => {
    const { db, close } = openStore(dataDir)
    const counts = ['messages', 'attachments', 'file_contents', 'file_chunks'].map((table) =>
      db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
    )
    close()
    return counts
  }
  assert.deepEqual(rows(), [0, 0, 1, 3])

  async function start() {
    const own = ['--json', '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
    const stdio = ['ignore', 'pipe', 'inherit'] as const
    const child = spawn(process.execPath, [file, 'serve', '--data', dataDir, ...own], {
      stdio: [...stdio],
      env: { ...process.env, ...env },
    })
    children.push(child)
    // What it logs may come first.
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const { api } = await new Promise<{ api: string }>((resolve, reject) => {
      lines.on('line', (line) => line.includes('"api":') && resolve(JSON.parse(line)))
      child.once('exit', (code) => reject(new Error(`it ended with ${code}`)))
    })
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await once(child, 'exit')
    }
    return { api, end }
  }
  const message = '{"direction":"inbound","from":{"email":"a@firm.example"},"channel":"chat"}'
  const form = [
    '--XX\r\nContent-Disposition: form-data; name="message"\r\n\r\n',
    `${message}\r\n--XX\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`,
    'x'.repeat(3 * MIB),
    '\r\n--XX--\r\n',
  ].join('')
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/form-data; boundary=XX`
  const request = `POST /api/v1/messages HTTP/1.1\r\n${head}\r\nContent-Length: ${form.length}\r\n\r\n${form}`

  const first = await start()
  await until(() => rows().every((many) => many === 0)) // its first write deletes them
  const cut = await openRaw(first.api)
  cut.write(request.slice(0, -1000))
  await until(() => left().length > 0)
  await first.end('SIGKILL')
  cut.socket.destroy()
  assert.equal(left().length, process.platform === 'win32' ? left().length : 1)
  const second = await start()
  assert.deepEqual(left(), [])
  const whole = await openRaw(second.api)
  whole.write(request)
  const [answer] = await whole.answered(1)
  whole.socket.destroy()
  assert.equal(answer?.status, 201, String(answer?.body))
  assert.deepEqual(left(), [])
  await second.end('SIGTERM')
  assert.deepEqual(rows(), [1, 1, 1, 4])
})
