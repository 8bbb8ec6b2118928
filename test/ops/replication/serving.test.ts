import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startHeartbeat } from '../../../src/ops/replication/heartbeat.ts'
import { DATABASE, openStore } from '../../../src/store/open.ts'
import { replicationRow } from '../../../src/store/replication.ts'
import { cli, temporaryFolder } from '../../cli/command-line.ts'
import { noLitestream, replicate } from '../../support/litestream.ts'
import { makeOrg } from '../../support/org.ts'
import { serve } from '../../support/served.ts'
import { becomes, until } from '../../support/until.ts'

const folder = temporaryFolder()
let count = 0

async function newData() {
  const dataDir = join(folder, `data-${count++}`)
  const store = openStore(dataDir, { create: true })
  const { token } = await makeOrg(store, dataDir, 'Acme')
  store.close()
  return { dataDir, token }
}

const examined = async (dataDir: string) => {
  const { out } = await cli(['doctor', '--data', dataDir, '--json']) // a copy that nobody asks is a failure
  const { checks } = JSON.parse(out)
  return [checks.replication, checks.schema, checks.log]
}

test('the heart beats each five seconds, and each second while others write', async () => {
  const { dataDir } = await newData()
  let now = Date.UTC(2026, 10, 23)
  const store = openStore(dataDir, { wall: () => now })
  const { read } = replicationRow(store.db)
  let second = () => undefined as unknown
  const every = (ms: number, job: () => void) => {
    assert.equal(ms, 1000)
    second = job
    return () => {
      second = () => assert.fail('it was stopped')
    }
  }
  const settled = () => store.write(() => 0) // behind what is to be written
  // What the store itself moves behind the commits would count, too.
  let writes = 0
  const changes = { ...store.changes, byUs: () => writes + read().beat }
  const stop = startHeartbeat({ store: { ...store, changes }, every })
  await settled()
  const first = read()
  assert.deepEqual([first.beat, first.beat_at], [1, now])
  const beats: number[] = []
  for (let at = 1; at <= 20; at++) {
    now += 1000
    if (at === 12 || at === 13) writes++
    second()
    await settled()
    await pause(0)
    if (read().beat_at === now) beats.push(at)
  }
  assert.deepEqual(beats, [5, 10, 12, 13, 18])
  assert.equal(read().beat, 6)
  await stop()
  store.close()
})

describe('a replicated server', { skip: noLitestream }, () => {
  test('says how it stands with the copy to those who watch it, and to commands', async () => {
    const { dataDir, token } = await newData()
    const copy = join(folder, 'copy')
    const litestream = replicate(join(dataDir, DATABASE), { folder: copy })
    await until(() => existsSync(copy), 'the copy')
    const server = await serve(dataDir, token, {
      replicated: true,
      replica: copy,
      publicUrl: 'https://crm.example.com',
    })
    try {
      const found = await until(async () => {
        const { status, body } = await server.screen('/readyz')
        assert.equal(status, 200)
        return body.checks.replication.lag_s !== undefined && body.checks.replication
      }, 'it was asked')
      assert.deepEqual([found.status, found.epoch], ['pass', 1])
      assert.match(found.detail, /^The keys and settings are not beside the replica/)
      assert.ok(found.lag_s <= 10)
      const text = await (await fetch(`${server.screens}/metrics`)).text()
      assert.match(text, /\ndealbox_replication_lag_seconds \d/)
      assert.match(text, /\ndealbox_replication_epoch 1\n/)
      assert.match(text, /\ndealbox_health_check\{check="replication"\} 0\n/)
      const [replication, schema] = await until(async () => {
        const all = await examined(dataDir)
        return all[0].status === 'pass' && all
      }, 'the server has noted it')
      assert.match(replication.detail, /^The replica at .*copy was \d+ s old at .*; this is primary 1\.$/)
      assert.equal(schema.status, 'pass')
      assert.deepEqual(server.lines, [])
    } finally {
      await server.stop()
    }
    const store = openStore(dataDir)
    const { is_replicated, primary_url } = replicationRow(store.db).read()
    assert.deepEqual([is_replicated, primary_url], [true, 'https://crm.example.com'])
    store.close()
    const [replication, , log] = await examined(dataDir)
    assert.match(replication.detail, /^No server runs\. The last heartbeat is of /)
    assert.match(log.detail, /Litestream copies it, and empties it\.$/)
    await litestream.kill()
  })
})

test('a server that nobody asks about its copy says so; one that is not replicated says nothing', async () => {
  const { dataDir, token } = await newData()
  const alone = await serve(dataDir, token, { replicated: true })
  try {
    const { status, body } = await alone.screen('/readyz')
    const { replication } = body.checks
    assert.deepEqual([status, replication.status, replication.lag_s], [200, 'warn', undefined])
    assert.match(replication.detail, /^Nobody asks the replica/)
    const text = await (await fetch(`${alone.screens}/metrics`)).text()
    assert.doesNotMatch(text, /\ndealbox_replication_lag_seconds \d/)
    assert.match((await examined(dataDir))[0].detail, /^Nobody asks the replica/)
    const stranger = await fetch(`${alone.screens}/readyz`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
    assert.deepEqual(await stranger.json(), { status: 'ready' })
  } finally {
    await alone.stop()
  }
  const plain = await serve(dataDir, token)
  try {
    assert.equal((await plain.screen('/readyz')).body.checks.replication, undefined)
    assert.doesNotMatch(await (await fetch(`${plain.screens}/metrics`)).text(), /dealbox_replication/)
    await becomes(async () => (await examined(dataDir))[0].detail, 'The database is not replicated.')
  } finally {
    await plain.stop()
  }
})
