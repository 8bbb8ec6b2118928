import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { makeOrg } from '../support/org.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-serve-'))
before(async () => {
  const store = openStore(dataDir, { create: true })
  await makeOrg(store, dataDir, 'Acme')
  store.close()
})
after(() => rmSync(dataDir, { recursive: true, force: true }))

test('a server whose log has no reader any more serves on, and stops when told to', async () => {
  const main = join(import.meta.dirname, '../../src/main.ts')
  const argv = ['serve', '--data', dataDir, '--json', '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const child = spawn(process.execPath, [main, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { msg, api } = JSON.parse(String(line).split('\n')[0] as string)
  assert.equal(msg, 'listening')
  child.stdout.destroy()
  for (let count = 0; count < 40; count++) assert.equal((await fetch(`${api}/api/v1/deals`)).status, 401)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})
