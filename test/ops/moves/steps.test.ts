import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { hashOf, NO_HASH, type Row } from '../../../src/events/audit/entry.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { type Arrival, arrivalStore, KEY_MS } from '../../../src/ops/moves/arrivals.ts'
import { startArriving } from '../../../src/ops/moves/arriving.ts'
import { movedRows } from '../../../src/ops/moves/moved-rows.ts'
import { ORG_COLUMNS } from '../../../src/ops/moves/protocol.ts'
import { SCHEMAS } from '../../../src/store/schema/migrations.ts'
import { searchIndex } from '../../../src/store/search/search.ts'
import type { Database } from '../../../src/store/sqlite/driver.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { type Served, serve } from '../../support/served.ts'
import { inStore, receiveIn } from './moving-orgs.ts'

// What the receiving server answers to each step, also to one that no source would send.

const to = join(temporaryFolder(), 'to')
let b: Org
let target: Served
let key: string

before(async () => {
  b = await inStore(to, (store) => makeOrg(store, to, 'Birch'))
  target = await serve(to, b.token)
})
after(() => target?.stop())
beforeEach(async () => {
  key = await receiveIn(to)
})

type Said = [status: number, code: string | null]

async function post(path: string, body: unknown, own = key): Promise<Said> {
  const init = { method: 'POST', headers: { authorization: `Bearer ${own}` } }
  const answer = await fetch(`${target.api}/moves/${path}`, {
    ...init,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const said = (await answer.json()) as { code?: string; outcome?: string }
  return [answer.status, said.code ?? said.outcome ?? null]
}

const hello = (more: object = {}) => ({
  ...{ move: randomUUID(), public_id: randomUUID(), name: 'Cedar', host: null },
  ...{ schema: SCHEMAS.at(-1)?.hash, dealbox_version: '0', now: Date.now(), ...more },
})

/** Begins a move and returns it. */
async function begun() {
  const given = hello()
  assert.deepEqual(await post('begin', given), [200, null])
  return given
}

const rows = (move: string, ...pieces: object[]) => ({ move, pieces, audit: [] as unknown[], check: false })
const ORG = { name: 'Cedar', timezone: 'UTC', currency: 'EUR', country: null, public_base_url: null, last_seq: 0 }
const UNSET = { host: null, keep_originals_days: null, keep_originals_mib: null }
const ended = (move: string, chain: object | null = null) => ({
  ...{ move, now: Date.now(), chain },
  org: Object.fromEntries(
    ORG_COLUMNS.map((name) => [name, { ...UNSET, last_conversation: 0, created_at: 1, ...ORG }[name]]),
  ),
})

const arrivalOf = (own: string): Promise<Arrival> =>
  inStore(to, (store) => arrivalStore(store).get(own.split('_')[1] as string) as Arrival)

describe('the steps of a move', () => {
  test('are for who has the key, before the body is read; for others there is nothing', async () => {
    for (const own of ['', 'dbxmove_none', b.token])
      assert.deepEqual(await post('begin', hello(), own), [404, 'no_such_path'])
    for (const own of [`dbxmove_${randomUUID()}_${'A'.repeat(43)}`, `${key.slice(0, -2)}xx`])
      assert.deepEqual(await post('begin', hello(), own), [401, 'wrong_key'])
    assert.deepEqual(await post('steal', {}), [404, 'no_such_path'])
    assert.deepEqual(await post('constructor', {}), [404, 'no_such_path'])
    const headers = { authorization: `Bearer ${key}` }
    assert.equal((await fetch(`${target.api}/moves/begin`, { headers })).status, 404)
    assert.deepEqual(await post('rows', 'x'.repeat(49 * 1_048_576)), [413, 'body_too_large'])
  })

  test('have a form', async () => {
    const { move } = await begun()
    const wrong: [string, unknown][] = [
      ['begin', '{'],
      ['begin', '[]'],
      ['begin', { ...hello(), public_id: undefined }],
      ['rows', { move }],
      ['rows', rows(move, { table: 'none', rows: [], gone: [['x']] })],
      ['rows', rows(move, { table: 'signing_keys', rows: [['x', 1, null]], gone: [] })],
      ['rows', rows(move, { table: 'deals', rows: [['too', 'few']], gone: [] })],
      ['rows', rows(move, { table: 'deals', rows: [], gone: [['too', 'many']] })],
      ['rows', rows(move, { table: 'deals', rows: [], gone: [[{ i: '99999999999999999999' }]] })],
      ['rows', rows(move, { table: 'search', rows: [[99, randomUUID(), 'word']], gone: [] })],
      ['rows', rows(move, { table: 'former_token_keys', rows: [['kid', 'other', null, 1]], gone: [] })],
      ['rows', { ...rows(move), audit: [['x']] }],
      ['count', { move, table: 'none', after: null }],
      ['count', { move, table: 'deals', after: [1, 2] }],
      ['prepare', { move, now: Date.now(), org: {}, chain: null }],
      ['commit', {}],
    ]
    for (const [step, body] of wrong)
      assert.deepEqual(await post(step, body), [400, 'malformed_request'], `${step} ${JSON.stringify(body)}`)
    assert.deepEqual(target.lines, [])
  })

  test('need the same tables, a clock that is not behind, and an organisation and host that are not there', async () => {
    await cliJson('org', 'host', b.id, 'birch.example.com', '--data', to)
    const count = () => inStore(to, ({ db }) => db.prepare('SELECT count(*) FROM orgs').pluck().get())
    const before = await count()
    for (const [given, code] of [
      [{ schema: 'other' }, 'other_version'],
      [{ now: Date.now() + 4000 }, 'clock_behind'], // the source waits no longer at the end
      [{ public_id: b.id }, 'org_exists'],
      [{ host: 'birch.example.com' }, 'host_taken'],
    ] as const)
      assert.deepEqual(await post('begin', hello(given)), [409, code])
    const { move } = hello()
    for (const [step, body] of [
      ['rows', rows(move)],
      ['count', { move, table: 'deals', after: null }],
      ['prepare', ended(move)],
      ['commit', { move }],
    ] as const)
      assert.deepEqual(await post(step, body), [409, 'move_ended'], step)
    assert.equal(await count(), before)
  })

  test('a key ends after an hour, unless a move goes on', async () => {
    const expireIn = (ms: number) =>
      inStore(to, async (store) => {
        const arrival = await arrivalOf(key)
        store.transaction(() => arrivalStore(store).set({ ...arrival, expires_at: Date.now() + ms }))
      })
    await expireIn(KEY_MS / 4)
    assert.deepEqual(await post('abort', { move: 'none' }), [200, 'none'])
    assert.ok((await arrivalOf(key)).expires_at < Date.now() + KEY_MS / 3, 'no move goes on')
    const { move } = await begun()
    for (const [step, body] of [
      ['rows', rows(move)],
      ['count', { move, table: 'deals', after: null }],
    ] as const) {
      await expireIn(KEY_MS / 4)
      assert.deepEqual(await post(step, body), [200, null])
      assert.ok((await arrivalOf(key)).expires_at > Date.now() + KEY_MS / 2, step)
    }
    await expireIn(-1)
    assert.deepEqual(await post('rows', rows(move)), [401, 'wrong_key'])
  })

  test('begin anew after a restart, unless all was there', async () => {
    const { move } = await begun()
    assert.deepEqual(await post('rows', rows(move)), [200, null])
    const other = (await cliJson('org', 'receive', '--data', to)).key
    const given = hello()
    assert.deepEqual(await post('begin', given, other), [200, null])
    assert.deepEqual(await post('prepare', ended(given.move), other), [200, null])
    assert.deepEqual(await post('rows', rows(given.move), other), [409, 'move_ended'], 'nothing follows')
    await target.stop()
    target = await serve(to, b.token)
    assert.deepEqual(await post('rows', rows(move)), [409, 'move_ended'])
    assert.equal((await arrivalOf(key)).state, 'waiting')
    await begun()
    assert.deepEqual(await post('abort', { move }), [200, 'none'])
    assert.deepEqual(await post('commit', { move: given.move }, other), [200, 'committed'])
    assert.deepEqual(await post('commit', { move: given.move }, other), [200, 'committed'])
    assert.deepEqual(await post('abort', { move: given.move }, other), [200, 'committed'])
    assert.deepEqual(await post('begin', hello(), other), [409, 'key_used'])
  })

  test('an audit log comes for this organisation only, and whole', async () => {
    const entry = (org: string, previous: string, seq: number): Row => {
      const row = { org, seq, at: 1, actor_type: 'server', actor_id: null, actor_email: null, via: null }
      const all = { ...row, action: 'org.made', record_id: null, detail: '{}' }
      return { ...all, hash: hashOf(previous, all) }
    }
    for (const isWhole of [false, true]) {
      const { move, public_id } = await begun()
      const one = entry(public_id, NO_HASH, 1)
      const two = entry(public_id, isWhole ? one.hash : NO_HASH, 2)
      const audit = [
        { ...one, org: b.id },
        { ...two, org: '' },
      ].map((row) => Object.values(row))
      assert.deepEqual(await post('rows', { ...rows(move), audit }), [200, null])
      const chain = { anchor_seq: 0, anchor_hash: NO_HASH, last_seq: 2, last_hash: two.hash }
      assert.deepEqual(await post('prepare', ended(move, chain)), [200, null])
      const said: Said = isWhole ? [200, 'committed'] : [409, 'other_audit_log']
      assert.deepEqual(await post('commit', { move }), said)
    }
    assert.equal((await cli(['audit', '--verify', '--data', to])).code, 0)
  })
})

test('a server that stops answers 503', () =>
  inStore(to, async (store) => {
    const arriving = startArriving({ store, dataDir: to, log: silentLog })
    await arriving.stop()
    await assert.rejects(
      arriving.perform('abort', 'none', {}),
      (error) => error instanceof Problem && error.status === 503,
    )
  }))

test('the words of an organisation are counted without reading those of others', () =>
  inStore(to, (store) => {
    const { db } = store
    const seen: string[] = []
    const prepare = (sql: string) => {
      seen.push(sql)
      return db.prepare(sql)
    }
    const noting = { prepare } as unknown as Database
    const own = searchIndex(db, 'deal')
    const add = (title: string) => {
      const id = store.clock.id()
      const columns =
        'org_id, id, title, title_key, stage_id, status, tag_ids, stage_changed_at, created_at, updated_at, version'
      const values = [b.org, id, title, title, b.stages.demo, 'open', '[]', 1, 1, 1, 1]
      db.prepare(`INSERT INTO deals (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(...values)
      own.put(b.org, id, [title])
      return id
    }
    store.transaction(() => ['one', 'two', 'three'].forEach(add))
    const moved = movedRows(noting, store.vault, b.org)
    const [first] = moved.page('search', null, 1)
    const more = [...moved.page('search', first?.at ?? null, 10)]
    assert.deepEqual(
      [first, ...more].map((each) => each?.values[2]),
      ['one', 'two', 'three'],
    )
    for (const sql of seen.filter((each) => each.includes('search_docs') && each.startsWith('SELECT'))) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql.replaceAll('?', '1')}`).all() as { detail: string }[]
      const reads = plan.map(({ detail }) => detail).filter((each) => / doc\b| search_docs\b/.test(each))
      for (const detail of reads) assert.match(detail, /rowid>\? AND rowid<\?|rowid=\?/, detail)
    }
  }))
