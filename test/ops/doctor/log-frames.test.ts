import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, test } from 'node:test'
import { logFault } from '../../../src/ops/doctor/inspect/log-frames.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { serve } from '../../support/served.ts'

// A write-ahead log that a killed server has left, and that the disk has not kept as it was.

const root = temporaryFolder()
const whole = join(root, 'whole')
let count = 0
let data: string
before(async () => {
  const live = join(root, 'live')
  await cliJson('init', '--data', live, '--org', 'A', '--email', 'a@a.example')
  const store = openStore(live)
  store.db.pragma('wal_autocheckpoint = 0')
  const name = store.db.prepare('UPDATE orgs SET name = ?')
  for (let n = 0; n < 60; n++) name.run(`Org ${n} ${'x'.repeat(100)}`)
  mkdirSync(join(whole, 'keys'), { recursive: true })
  for (const each of ['dealbox.db', 'dealbox.db-wal']) copyFileSync(join(live, each), join(whole, each)) // as kill -9 leaves them
  store.close()
})
beforeEach(() => {
  data = join(root, String(count++))
  mkdirSync(data)
  for (const each of ['dealbox.db', 'dealbox.db-wal']) copyFileSync(join(whole, each), join(data, each))
})

const log = (): string => join(data, 'dealbox.db-wal')
const frame = (n: number): number => 32 + n * (24 + 4096)
function flip(at: number): void {
  const bytes = readFileSync(log())
  bytes[at] = (bytes[at] as number) ^ 1
  writeFileSync(log(), bytes)
}
const finding = async () => JSON.parse((await cli(['doctor', '--data', data, '--json'])).out).checks.log

test('that is whole loses nothing, also without its last frame, or with half of it', async () => {
  assert.equal(logFault(data), undefined)
  assert.match((await finding()).detail, /Nothing is lost\.$/)
  const { length } = readFileSync(log())
  truncateSync(log(), length - 100)
  assert.equal(logFault(data), undefined)
  flip(frame(58) + 200)
  truncateSync(log(), frame(59))
  assert.equal(logFault(data), undefined, 'nothing follows it')
})

test('with one changed bit before others names how many changes are lost, and the doctor copies nothing', async () => {
  flip(frame(10) + 500)
  const sentence = /^The write-ahead log has a damaged part, and (\d+) changes behind it cannot be read/
  const [, lost] = sentence.exec(logFault(data) as string) ?? []
  assert.ok(Number(lost) >= 40 && Number(lost) < 60, String(lost))
  const { status, detail } = await finding()
  assert.equal(status, 'fail')
  assert.match(detail, sentence)
  const before = readFileSync(log())
  await cli(['doctor', '--data', data, '--fix'])
  assert.ok(readFileSync(log()).equals(before))
})

test('of noise is said', () => {
  flip(5)
  assert.match(logFault(data) as string, /^The write-ahead log is not readable from its beginning/)
  writeFileSync(log(), Buffer.alloc(5000, 7))
  assert.match(logFault(data) as string, /not readable from its beginning/)
  writeFileSync(log(), '')
  assert.equal(logFault(data), undefined)
})

test('is said by a server at its start', async () => {
  await cliJson('init', '--data', join(root, 'served'), '--org', 'A', '--email', 'a@a.example')
  data = join(root, 'served')
  writeFileSync(log(), Buffer.alloc(5000, 7))
  const server = await serve(data, '')
  await server.stop()
  assert.ok(server.lines.some(({ msg, level }) => level === 50 && /not readable from its beginning/.test(msg)))
})
