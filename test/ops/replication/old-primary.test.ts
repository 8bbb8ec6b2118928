import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { claimEpoch } from '../../../src/ops/replication/epochs.ts'
import { registerStandby } from '../../../src/ops/replication/holder.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli } from '../../cli/command-line.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { serve } from '../../support/served.ts'
import { becomes, until } from '../../support/until.ts'

// A folder of a primary that had a replica, when it is started in another way.

const root = mkdtempSync(join(tmpdir(), 'dealbox-old-primary-'))
after(() => rmSync(root, { recursive: true, force: true }))
let count = 0
let data: string
let replica: string
let org: Org

beforeEach(async () => {
  data = join(root, `data-${++count}`)
  replica = join(root, `replica-${count}`)
  mkdirSync(replica)
  const store = openStore(data, { create: true })
  org = await makeOrg(store, data, 'Acme')
  store.close()
})

type More = Parameters<typeof serve>[2]
const start = (more: More) => serve(data, org.token, more)
const asBefore = () => ({ replicated: true, replica })
const writes = async (served: Awaited<ReturnType<typeof start>>) =>
  (await served.tryTo('POST', '/deals', { title: 'A' }))[0]
const serveOnce = async (more: More) => {
  const served = await start(more)
  const status = await writes(served)
  await served.stop()
  return status
}

describe('a primary with a replica', () => {
  test('does not start without it, or with another option alone, and says what it was and what insists', async () => {
    assert.equal(await serveOnce(asBefore()), 201)
    for (const more of [{}, { replicated: true }]) {
      await assert.rejects(start(more), (error: { status: number; code: string; message: string }) => {
        assert.deepEqual([error.status, error.code], [409, 'replica_missing'])
        assert.match(error.message, /--replicated --replica for .*replica-\d+, as before.*--old-primary-is-off/)
        return true
      })
    }
    const { code, err } = await cli(['serve', '--data', data, '--screens-listen', 'off', '--api-listen', '127.0.0.1:0'])
    assert.deepEqual([code, /Start it with --replicated --replica/.test(err)], [1, true], err)
    assert.equal(await serveOnce(asBefore()), 201)
    assert.equal(await serveOnce({ oldPrimaryIsOff: true }), 201)
    assert.equal(await serveOnce({}), 201)
  })

  test('that has seen its successor does not start at all, whatever anybody says', async () => {
    assert.equal(await serveOnce(asBefore()), 201)
    await claimEpoch(folderCopy(replica), { epoch: 2, from: 1, primary_url: null, now: 0 })
    await assert.rejects(start(asBefore()), { code: 'not_primary' })
    for (const more of [{}, { oldPrimaryIsOff: true }, { ...asBefore(), oldPrimaryIsOff: true }])
      await assert.rejects(start(more), { code: 'not_primary' })
  })

  test('with a standby does not start with another replica, where nobody would see its successor', async () => {
    const first = await start(asBefore())
    await registerStandby(folderCopy(replica), 1, 0)
    await until(() => existsSync(join(replica, 'dealbox/epoch-00000001-fenced.json')))
    await first.stop()
    const other = join(root, `other-${count}`)
    mkdirSync(other)
    await assert.rejects(start({ replicated: true, replica: other }), { code: 'replica_changed' })
    assert.equal(existsSync(join(other, 'dealbox')), false)
    // The same place may have another name, such as where a share is mounted elsewhere.
    const moved = join(root, `moved-${count}`)
    renameSync(replica, moved)
    assert.equal(await serveOnce({ replicated: true, replica: moved }), 201)
    assert.equal(await serveOnce({ replicated: true, replica: other, oldPrimaryIsOff: true }), 201)
    assert.equal(await serveOnce({ replicated: true, replica: other }), 201)
  })

  test('alone starts with another replica, also while the old one is away', async () => {
    assert.equal(await serveOnce(asBefore()), 201)
    rmSync(replica, { recursive: true })
    const other = join(root, `other-${count}`)
    mkdirSync(other)
    assert.equal(await serveOnce({ replicated: true, replica: other }), 201)
  })

  test('alone writes while its replica is away, and /readyz warns', async () => {
    const served = await start(asBefore())
    renameSync(replica, `${replica}-gone`)
    await becomes(async () => (await served.screen('/readyz')).body.checks.primary.status, 'warn')
    assert.equal(await writes(served), 201)
    await served.stop()
    assert.equal(await serveOnce(asBefore()), 201)
    assert.equal((await cli(['member', 'add', 'eve@acme.example', '--name', 'Eve', '--data', data])).code, 0)
  })
})

describe('two servers from one folder', () => {
  test('the one that was there first writes no more, and says so to clients, in /readyz and in its log', async () => {
    const first = await start(asBefore())
    assert.equal(await writes(first), 201)
    const to = join(root, `clone-${count}`)
    cpSync(data, to, { recursive: true })
    const second = await serve(to, org.token, asBefore())
    try {
      assert.equal(await writes(second), 201)
      for (;;) {
        const [status, code] = await first.tryTo('POST', '/deals', { title: 'B' })
        if (status === 201) continue // it looks each two seconds
        assert.deepEqual([status, code], [503, 'another_server'])
        break
      }
      const { status, body } = await first.screen('/readyz')
      assert.deepEqual([status, body.code], [503, 'another_server'])
      assert.ok(
        first.lines.some(({ msg }) => /^Another server was started from a copy of this data folder, on /.test(msg)),
      )
      assert.equal(await writes(second), 201)
    } finally {
      await first.stop()
    }
    await assert.rejects(start(asBefore()), { code: 'another_server' })
    assert.equal(await writes(second), 201)
    await second.stop()
  })
})
