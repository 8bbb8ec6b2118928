import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { newSecret } from '../../../src/auth/secrets.ts'
import { openAllSealed } from '../../../src/store/folder/sealed.ts'
import { openStore } from '../../../src/store/open.ts'
import { allOrgsEver } from '../../../src/store/orgs/orgs.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { compareTables, fillEmptyTables, wrongSecrets } from '../../support/moved.ts'
import { checkDelivered, checkTold, compareExports, startLoad, type Told, triesIn } from '../../support/moving.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type Served, serve } from '../../support/served.ts'
import { until } from '../../support/until.ts'

const DEALS = 2000
const WRITERS = 4

const folder = temporaryFolder()
const [from, to] = [join(folder, 'from'), join(folder, 'to')]
const EMAIL = 'ana@acme.example'
const cookie = newSecret()
let id: string
let token: string
let source: Served
let target: Served
let receiver: Receiver
let load: ReturnType<typeof startLoad>
const told: Told = { versions: new Map(), made: new Map() }
const options = { webhookAllow: '127.0.0.1', host: 'crm.example.com,127.0.0.1' }

before(async () => {
  id = (await cliJson('init', '--data', from, '--org', 'Acme', '--email', EMAIL)).org_id
  await cliJson('init', '--data', to, '--org', 'Birch', '--email', 'bo@birch.example')
  await cliJson('seed', '--profile', 'demo', '--data', from)
  await cliJson('org', 'host', id, 'acme.crm.example.com', '--data', from)
  token = (await cliJson('token', 'create', '--email', EMAIL, '--scope', 'all', '--data', from)).token
  const store = openStore(from)
  fillEmptyTables(store, cookie.hash, DEALS)
  store.close()
  receiver = await startReceiver()
  source = await serve(from, token, options)
  target = await serve(to, token, options)
  const webhook = { url: receiver.url, event_types: ['*'] }
  assert.equal((await source.call('POST', '/webhooks', webhook)).status, 201)
})
after(async () => {
  await load?.stop()
  await Promise.all([source?.stop(), target?.stop(), receiver?.stop()])
})

const receive = async (): Promise<string> => (await cliJson('org', 'receive', '--data', to)).key
const move = async (key: string, ...more: string[]) =>
  cli(['org', 'move', id, '--to', target.api, '--data', from, '--json', ...more], { DEALBOX_MOVE_KEY: key })
const orgsIn = (dataDir: string) => {
  const store = openStore(dataDir)
  try {
    return allOrgsEver(store.db)
  } finally {
    store.close()
  }
}

// How long writes wait is for `npm run org-move`.
test('an organisation moves under load: nothing is lost or doubled, and webhooks stay in order', async () => {
  const first = orgsIn(from)[0]?.last_seq ?? 0
  load = startLoad({ bases: [source.api, target.api], token, writers: WRITERS, name: 'load', told })
  let reads = 0
  const reading = (async () => {
    for (let status = 200; status === 200; reads++) {
      status = (await source.call('GET', '/deals?limit=1')).status
      assert.ok(status === 200 || status === 421, `a read answered ${status}`)
    }
  })()
  const { code, out, err } = await move(await receive())
  assert.equal(code, 0, err)
  const moved = JSON.parse(out)
  await reading
  assert.ok(reads > 10 && moved.changes > 0, `${reads} reads and ${moved.changes} changes during the move`)
  await load.stop()
  assert.ok(
    load.refused.every((each) => each === '421 moved'),
    load.refused.join(),
  )
  assert.deepEqual([moved.org_id, moved.address], [id, 'https://acme.crm.example.com'])
  assert.ok(moved.rows > DEALS)

  const known = told.made.size
  load = startLoad({ bases: [target.api], token, writers: WRITERS, name: 'there', told })
  await until(() => told.made.size >= known + 20)
  await load.stop()
  const last = orgsIn(to).find(({ public_id }) => public_id === id)?.last_seq as number
  while (receiver.requests.length < last - first) await receiver.came(last - first)
  checkDelivered(receiver.requests, { from: first + 1, to: last, tries: triesIn(to, id) })
  checkTold(to, id, told)
  assert.ok(compareExports(from, to, id) > DEALS)
  assert.deepEqual(compareTables(from, to, id), [])
  const store = openStore(to)
  try {
    const org = allOrgsEver(store.db).find(({ public_id }) => public_id === id)?.id as number
    assert.deepEqual(wrongSecrets(store, org), [])
    assert.deepEqual(openAllSealed(store.db, store.vault).unreadable, [])
  } finally {
    store.close()
  }
})

describe('afterwards', () => {
  const ask = (base: string, path: string, headers: Record<string, string> = {}) =>
    fetch(`${base}${path}`, { headers, redirect: 'manual' })

  test('the source answers 421 with the new address, by the API and by the screens', async () => {
    for (const [method, path, body] of [
      ['GET', '/deals', undefined],
      ['POST', '/deals', { title: 'Late' }],
    ] as const) {
      const { status, body: said } = await source.call(method, path, body)
      assert.deepEqual([status, said.code, said.moved_to], [421, 'moved', 'https://acme.crm.example.com'])
    }
    const page = await ask(source.screens, '/deals', { cookie: `dealbox=${cookie.secret}` })
    assert.equal(page.status, 421)
    assert.match(await page.text(), /href="https:\/\/acme\.crm\.example\.com\/deals"/)
    const wrong = await source.call('GET', '/deals')
    assert.equal(wrong.status, 421)
    const forged = `${token.slice(0, -60)}${'A'.repeat(60)}`
    assert.equal((await ask(source.api, '/api/v1/deals', { authorization: `Bearer ${forged}` })).status, 401)
  })

  test('tokens, sessions and secrets hold at the target', async () => {
    assert.equal((await target.call('GET', '/deals?limit=1')).status, 200)
    const page = await ask(target.screens, '/app/boot', { cookie: `dealbox=${cookie.secret}` })
    assert.notEqual(page.status, 421)
    const list = await cliJson('org', 'list', '--data', to)
    assert.deepEqual(
      list.map(({ name, host, moved_to }: Record<string, unknown>) => [name, host, moved_to]),
      [
        ['Birch', null, null],
        ['Acme', 'acme.crm.example.com', null],
      ],
    )
    assert.equal((await cli(['audit', '--verify', '--data', to])).code, 0)
    assert.equal((await cli(['audit', '--verify', '--data', from])).code, 0)
  })

  test('commands of the source know where it is, and maps name it once', async () => {
    const { code, err } = await cli(['export', join(folder, 'none'), '--org', id, '--data', from])
    assert.deepEqual(
      [code, err],
      [1, 'This organisation has moved to https://acme.crm.example.com. Send its requests there.\n'],
    )
    assert.equal((await cli(['org', 'list', '--map', 'nginx', '--data', from])).out, '')
    const map = await cli(['org', 'list', '--map', 'nginx', '--server', '10.0.0.5', '--data', to])
    assert.equal(map.out, 'acme.crm.example.com 10.0.0.5;\n')
    assert.equal((await cli(['org', 'list', '--map', 'caddy', '--data', to])).out, 'acme.crm.example.com 127.0.0.1\n')
    assert.equal((await cli(['org', 'list', '--map', 'pigeon', '--data', to])).code, 2)
    for (const server of ['a;b', 'a b', '$host'])
      assert.equal((await cli(['org', 'list', '--map', 'nginx', '--server', server, '--data', to])).code, 2, server)
    assert.equal((await move('dbxmove_none')).code, 1)
  })
})
