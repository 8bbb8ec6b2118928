import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { api } from '../../../src/app/api.ts'
import { resourceDeps } from '../../../src/app/deps.ts'
import { bodies } from '../../../src/http/body/bodies.ts'
import { listen } from '../../../src/http/listener/server.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { arrivalStore } from '../../../src/ops/moves/arrivals.ts'
import { startArriving } from '../../../src/ops/moves/arriving.ts'
import { movesEndpoint } from '../../../src/ops/moves/endpoint.ts'
import { leavingOrg } from '../../../src/ops/moves/received-org.ts'
import { openStaging } from '../../../src/ops/moves/second.ts'
import { type Fence, notPrimary } from '../../../src/store/folder/fence.ts'
import { type OpenedStore, openStore } from '../../../src/store/open.ts'
import { SCHEMAS } from '../../../src/store/schema/migrations.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg } from '../../support/org.ts'

// What arrives at a primary that is replaced meanwhile: nobody else has it, so it must not be answered as done.

const parent = temporaryFolder()
const replaced = notPrimary({ epoch: 2, primary_url: 'http://b.example.com', promoted_at: null })
const CLOSED: Fence = () => replaced
const OPEN: Fence = () => undefined
let fence: Fence
let count = 0
const ends: (() => unknown)[] = []
after(async () => {
  for (const end of ends.reverse()) await end()
})

/** A folder with an organisation, opened by a store that has written nothing, so that nothing but a test asks the fence. */
async function opened<T>(prepare: (store: OpenedStore, org: number) => T, isReplicated = false) {
  const dataDir = join(parent, String(++count))
  const first = openStore(dataDir, { create: true })
  const { org } = await makeOrg(first, dataDir, 'Acme')
  const prepared = prepare(first, org)
  first.close()
  fence = OPEN
  const store = openStore(dataDir, { fence: () => fence(), isReplicated, neverSleeps: true })
  ends.push(store.close)
  return { store, dataDir, prepared, database: join(dataDir, 'dealbox.db') }
}

describe('the last step of a move', () => {
  let url: string
  let database: string
  let store: OpenedStore
  let key: string
  const id = { move: '', org: '' }

  beforeEach(async () => {
    id.move = randomUUID()
    id.org = randomUUID()
    const made = await opened((first, org) => ({
      key: first.transaction(() => arrivalStore(first).make()).key,
      columns: leavingOrg(first.db, org).prepared().org,
    }))
    ;({ store, database } = made)
    key = made.prepared.key
    const { dataDir } = made
    const arriving = startArriving({ store, dataDir, log: silentLog })
    const stopping = new AbortController().signal
    const read = bodies()
    const app = api(store, {
      ...{ dataDir, deps: resourceDeps(store), log: silentLog, rate: null, corsOrigins: [], stopping, bodies: read },
      first: movesEndpoint({ arriving, store, bodies: read, log: silentLog, stopping }),
    })
    const listener = await listen(app.callback(), { host: '127.0.0.1', port: 0 })
    url = listener.url
    ends.push(arriving.stop, () => listener.stop(0))
    const { move, org: public_id } = id
    const hello = { move, public_id, name: 'Birch', host: null, schema: SCHEMAS.at(-1)?.hash, dealbox_version: '0' }
    assert.deepEqual(await post('begin', { ...hello, now: Date.now() }), [200, undefined])
    assert.deepEqual(await post('prepare', { move, now: 0, org: made.prepared.columns, chain: null }), [200, undefined])
  })

  /** Returns the status, and the code of the Problem or the outcome. */
  async function post(step: string, body: object = { move: id.move }): Promise<[number, string | undefined]> {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${url}/moves/${step}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const { code, outcome } = (await answer.json()) as { code?: string; outcome?: string }
    return [answer.status, code ?? outcome]
  }

  const isHere = (): boolean =>
    store.db.prepare("SELECT 1 FROM orgs WHERE public_id = ? AND state = 'open'").get(id.org) !== undefined

  test('is not done by a server that was replaced while it waited for the lock', async () => {
    const other = openSqlite(database)
    other.exec('BEGIN IMMEDIATE')
    let asked = 0
    fence = () => void asked++
    const answer = post('commit')
    while (asked === 0) await turn()
    fence = CLOSED
    other.exec('COMMIT')
    other.close()
    assert.deepEqual([await answer, isHere()], [[503, 'not_primary'], false])
    fence = OPEN
    assert.deepEqual([await post('commit'), isHere()], [[200, 'committed'], true])
  })

  test('is not answered as done by a server that was replaced before, within or after it', async () => {
    const seen: unknown[] = []
    for (let asks = 0; asks < 4; asks++) {
      let left = asks
      fence = () => (left-- > 0 ? undefined : replaced)
      seen.push([...(await post('commit')), isHere()])
    }
    assert.deepEqual(seen, [
      [503, 'not_primary', false],
      [503, 'not_primary', false], // asked before COMMIT
      [503, 'not_primary', true], // and after it
      [200, 'committed', true],
    ])
    fence = CLOSED
    for (const step of ['commit', 'abort']) assert.deepEqual(await post(step), [503, 'not_primary'], step)
    fence = OPEN
    assert.deepEqual(await post('abort'), [200, 'committed'])
  })
})

describe('the connection that fills an organisation', () => {
  const insert = (from: number, to: number) => `WITH RECURSIVE n (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM n
    WHERE n < ${to}) INSERT INTO arriving_audit SELECT 'a', n, json_quote(hex(zeroblob(2000))) FROM n`

  test('asks before each commit and after it', async () => {
    const { store } = await opened(() => undefined)
    let left = 1
    const check = () => {
      if (left-- === 0) throw replaced
    }
    const { db, write, close } = openStaging(store.db, check)
    const rows = () => store.db.prepare('SELECT count(*) FROM arriving_audit').pluck().get()
    const add = () => write(() => db.prepare(insert(1, 1)).run())
    left = 0
    await assert.rejects(add(), { code: 'not_primary' })
    assert.equal(rows(), 0)
    left = 1
    await assert.rejects(add(), { code: 'not_primary' })
    assert.equal(rows(), 1)
    close()
  })

  test('leaves the checkpoints to Litestream where that does them', async () => {
    for (const isReplicated of [true, false]) {
      const { store, database } = await opened(() => undefined, isReplicated)
      const before = statSync(database).size
      const { db, write, close } = openStaging(store.db, () => undefined)
      for (let from = 1; from < 2000; from += 500) await write(() => db.prepare(insert(from, from + 499)).run())
      const grown = statSync(database).size - before
      assert.ok(isReplicated ? grown === 0 : grown > 4_000_000, String(grown))
      close()
    }
  })
})
