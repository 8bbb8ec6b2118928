import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { parseAllow } from '../../src/lib/net/allow.ts'
import { type Address, guard } from '../../src/lib/net/guard.ts'
import { webhookStore } from '../../src/webhooks/webhooks.ts'
import { startServer, type TestServer } from '../support/server.ts'

type Row = Record<string, string | number | null>

/** What the names of the tests resolve to. */
const NAMES: Record<string, Address[]> = {
  'private.example': [{ address: '10.0.0.5', family: 4 }],
  'mixed.example': [
    { address: '93.184.215.14', family: 4 },
    { address: 'fd00::1', family: 6 },
  ],
  'metadata.example': [{ address: '169.254.169.254', family: 4 }],
  'listed.example': [{ address: '10.7.0.1', family: 4 }],
}
let asked: string[] = []
/** Of the guard, which keeps answers for some seconds. */
let guardMs = 0
async function lookup(host: string): Promise<Address[]> {
  asked.push(host)
  if (host.startsWith('nowhere')) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' })
  if (host.startsWith('silent')) return new Promise(() => undefined)
  return NAMES[host] ?? [{ address: '93.184.215.14', family: 4 }]
}

let server: TestServer
before(async () => {
  const allow = parseAllow('listed.example')
  server = await startServer({ guard: guard({ allow, ownPorts: () => [], lookup, now: () => guardMs }) })
})
after(() => server.stop())

let count = 0
const given = (more: object = {}) => ({
  url: `https://hooks${count++}.example/a?b=1`,
  event_types: ['deal.*', 'contact.created'],
  ...more,
})
async function make(more: object = {}, headers = {}) {
  const { status, body } = await server.call('POST', '/webhooks', given(more), { headers })
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const get = async (id: string) => (await server.call('GET', `/webhooks/${id}`)).body
const patch = (id: string, body: object, headers = {}) => server.call('PATCH', `/webhooks/${id}`, body, { headers })
const stateOf = (id: string) =>
  server.store.db.prepare('SELECT * FROM webhook_states WHERE webhook_id = ?').get(id) as Row
const setState = (id: string, set: string) =>
  server.store.db.prepare(`UPDATE webhook_states SET ${set} WHERE webhook_id = ?`).run(id)
/** The secrets that sign at the moment, the newest first. */
const secretsOf = (id: string, { store } = server): { secret: string; until: number | null }[] =>
  JSON.parse(store.vault.open(`webhook ${id}`, stateOf(id).secrets as string))
async function empty(): Promise<void> {
  const { body } = await server.call('GET', '/webhooks?limit=100')
  for (const { id } of body.data) await server.call('DELETE', `/webhooks/${id}`)
}

describe('a webhook', () => {
  test('is made active, answers its secret, and begins behind the events that there are', async () => {
    await server.call('POST', '/deals', { title: 'Before' })
    const sent = given({ description: 'For *everything*' })
    const { status, headers, body } = await server.call('POST', '/webhooks', sent)
    const { secret, id, ...rest } = body
    assert.equal(status, 201)
    assert.deepEqual(rest, {
      ...sent,
      status: 'active',
      disabled_reason: null,
      last_success_at: null,
      last_failure_at: null,
      created_at: '2026-11-20T08:36:00.000Z',
      updated_at: '2026-11-20T08:36:00.000Z',
      version: 1,
    })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(headers.get('location'), `/api/v1/webhooks/${id}`)
    assert.equal(headers.get('etag'), '"1"')
    assert.deepEqual(await get(id), { id, ...rest })
    assert.equal(stateOf(id).planned_seq, server.lastSeq())
    assert.deepEqual(secretsOf(id), [{ secret, until: null }])
  })

  test('is no news itself: nothing that is done to it makes an event', async () => {
    const seq = server.lastSeq()
    const { id } = await make()
    await patch(id, { status: 'paused' })
    await server.call('POST', `/webhooks/${id}/rotate-secret`)
    await server.call('DELETE', `/webhooks/${id}`)
    assert.equal(server.lastSeq(), seq)
  })

  test('takes names, patterns and *, each once, in the order given', async () => {
    const event_types = ['task.completed', 'deal.*', 'task.completed', '*', 'deal.*']
    assert.deepEqual((await make({ event_types })).event_types, ['task.completed', 'deal.*', '*'])
  })

  for (const [what, body, pointer, code] of [
    ['no url', { url: undefined }, '/url', 'required'],
    ['no event types', { event_types: undefined }, '/event_types', 'required'],
    ['an empty list of them', { event_types: [] }, '/event_types', 'empty'],
    ['an unknown event', { event_types: ['deal.created', 'deal.exploded'] }, '/event_types/1', 'unknown_event'],
    ['an event in capitals', { event_types: ['Deal.created'] }, '/event_types/0', 'unknown_event'],
    ['a pattern of a part', { event_types: ['deal.stage_*'] }, '/event_types/0', 'unknown_event'],
    ['a pattern of no resource', { event_types: ['deals.*'] }, '/event_types/0', 'unknown_event'],
    ['the type of a test', { event_types: ['webhook.test'] }, '/event_types/0', 'unknown_event'],
    ['the events of webhooks', { event_types: ['webhook.*'] }, '/event_types/0', 'unknown_event'],
    ['an unknown status', { status: 'broken' }, '/status', 'invalid_choice'],
    ['a url that is none', { url: 'hooks.example' }, '/url', 'invalid_url'],
    ['another scheme', { url: 'ftp://hooks.example/' }, '/url', 'invalid_url'],
    ['a secret', { secret: 'whsec_mine' }, '/secret', 'unknown_field'],
    ['a reason', { disabled_reason: 'x' }, '/disabled_reason', 'unknown_field'],
  ] as const) {
    test(`with ${what} is refused, and nothing is made`, async () => {
      const before = (await server.call('GET', '/webhooks?count=true')).body.total
      const all = Object.entries({ ...given(), ...body }).filter(([, value]) => value !== undefined)
      const refused = await server.call('POST', '/webhooks', Object.fromEntries(all))
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_fields'])
      assert.deepEqual([refused.body.errors[0].pointer, refused.body.errors[0].code], [pointer, code])
      assert.equal((await server.call('GET', '/webhooks?count=true')).body.total, before)
    })
  }

  test('is listed newest first, and by its status', async () => {
    await empty()
    const [one, other, third] = [await make(), await make({ status: 'paused' }), await make()]
    const ids = async (query = '') =>
      (await server.call('GET', `/webhooks?${query}`)).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(await ids(), [third.id, other.id, one.id])
    assert.deepEqual(await ids('sort=created_at'), [one.id, other.id, third.id])
    assert.deepEqual(await ids('status=paused'), [other.id])
    assert.deepEqual(await ids('status[in]=active,disabled'), [third.id, one.id])
  })

  test('shows when it last went well and badly, at once', async () => {
    const { id } = await make()
    await server.call('GET', '/webhooks') // a page that is kept would show nothing of it
    setState(id, `last_success_at = ${server.now()}, last_failure_at = ${server.now() - 1}`)
    const times = { last_success_at: '2026-11-20T08:36:00.000Z', last_failure_at: '2026-11-20T08:35:59.999Z' }
    const { body } = await server.call('GET', '/webhooks?limit=1')
    for (const { last_success_at, last_failure_at } of [await get(id), body.data[0]])
      assert.deepEqual({ last_success_at, last_failure_at }, times)
    assert.equal((await patch(id, { description: 'x' })).body.last_success_at, times.last_success_at)
  })

  test('is one of at most 50 in an organisation; another one has its own', async () => {
    await empty()
    const made = []
    for (let n = 0; n < 50; n++) made.push(await make())
    const refused = await server.call('POST', '/webhooks', given())
    assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_webhooks'])
    assert.match(refused.body.detail, /already 50 webhooks\. Delete one/)
    assert.equal((await server.call('POST', '/webhooks', given(), { token: server.b.token })).status, 201)
    await server.call('DELETE', `/webhooks/${made[7].id}`)
    assert.equal((await server.call('POST', '/webhooks', given())).status, 201)
    await empty()
  })

  test('that was deleted is gone with its state, answers 404, and its deliveries with it', async () => {
    const { id } = await make()
    const { body: delivery } = await server.call('POST', `/webhooks/${id}/test`)
    assert.equal(
      (await server.call('DELETE', `/webhooks/${id}`, undefined, { headers: { 'if-match': '"7"' } })).status,
      412,
    )
    const { status, text } = await server.call('DELETE', `/webhooks/${id}`)
    assert.deepEqual([status, text], [204, ''])
    assert.equal(stateOf(id), undefined)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['POST', '/rotate-secret'],
      ['POST', `/deliveries/${delivery.id}/redeliver`],
    ] as const)
      assert.equal((await server.call(method, `/webhooks/${id}${path}`)).status, 404, path)
  })
})

describe('a change of a webhook', () => {
  test('of what it is, replaces the lists whole, clears by null, and counts the version', async () => {
    const { id, url } = await make({ description: 'x' })
    server.advance(1000)
    const { status, body, headers } = await patch(id, { event_types: ['*'], description: null })
    assert.equal(status, 200)
    assert.deepEqual([body.url, body.event_types, body.description, body.version], [url, ['*'], null, 2])
    assert.equal(body.secret, undefined)
    assert.equal(body.updated_at, new Date(server.now()).toISOString())
    assert.equal(headers.get('etag'), '"2"')
    assert.deepEqual(await get(id), body)
  })

  test('to nothing else changes nothing', async () => {
    const { secret, ...webhook } = await make({ description: 'x' })
    const state = stateOf(webhook.id)
    server.advance(1000)
    const { url, event_types, status } = webhook
    for (const same of [
      {},
      { url, event_types, status },
      { description: 'x' },
      { event_types: [...event_types, ...event_types] },
    ]) {
      const { body } = await patch(webhook.id, same)
      assert.deepEqual(body, webhook)
    }
    assert.deepEqual(stateOf(webhook.id), state)
  })

  test('is for the version that If-Match names', async () => {
    const { id } = await make()
    assert.equal((await patch(id, { description: 'x' }, { 'if-match': '"2"' })).status, 412)
    assert.equal((await patch(id, { description: 'x' }, { 'if-match': '"1"' })).status, 200)
    assert.equal((await get(id)).version, 2)
  })

  test('of a field that has to be there to null is refused', async () => {
    const { id } = await make()
    for (const name of ['url', 'event_types', 'status']) {
      const { status, body } = await patch(id, { [name]: null })
      assert.deepEqual([status, body.errors[0].pointer], [422, `/${name}`])
    }
    assert.equal((await get(id)).version, 1)
  })

  test('of the status says why it is disabled, as long as it is', async () => {
    const { id } = await make()
    const reasonAfter = async (status: string) => (await patch(id, { status })).body.disabled_reason
    assert.equal(await reasonAfter('paused'), null)
    assert.equal(await reasonAfter('disabled'), 'A member set the status to disabled.')
    assert.equal(await reasonAfter('paused'), null)
    assert.equal(await reasonAfter('active'), null)
    assert.equal((await make({ status: 'disabled' })).disabled_reason, 'A member set the status to disabled.')
    assert.equal((await make({ status: 'paused' })).disabled_reason, null)
  })

  test('of something else leaves the reason that the server gave', async () => {
    const { id } = await make()
    const { disable } = webhookStore(server.deps)
    server.store.transaction(() => disable(server.a.org, id, 'Its receiver answered 410.'))
    assert.deepEqual([(await get(id)).status, (await get(id)).version], ['disabled', 2])
    const { body } = await patch(id, { description: 'x', status: 'disabled' })
    assert.deepEqual([body.disabled_reason, body.version], ['Its receiver answered 410.', 3])
    server.store.transaction(() => disable(server.a.org, id, 'Another reason.'))
    assert.deepEqual(await get(id), body)
  })

  const failing = 'failures = 12, failing_since = 1, held_until = 4102444800000'
  for (const [what, body, isAnew] of [
    ['of the status', { status: 'active' }, true],
    ['of the url', { url: 'https://mended.example/' }, true],
    ['of the description', { description: 'x' }, false],
    ['of the event types', { event_types: ['*'] }, false],
  ] as const) {
    test(`${what} ${isAnew ? 'lets it begin anew, with nothing to wait for' : 'lets it wait as before'}`, async () => {
      const { id } = await make({ status: 'paused' })
      const { id: other } = await make()
      const due = server.now() + 3_600_000
      const insert = (webhook: string, dueAt: number | null) => {
        const delivery = server.store.clock.id()
        server.store.db
          .prepare(
            `INSERT INTO deliveries (org_id, id, webhook_id, event_id, type, object_id, status, tries, failures,
               is_ordered, due_at, created_at, updated_at, version)
             VALUES (?, ?, ?, 'e', 'deal.created', 'o', 'pending', '[]', 3, 1, ?, 0, 0, 1)`,
          )
          .run(server.a.org, delivery, webhook, dueAt)
        return () => server.store.db.prepare('SELECT due_at FROM deliveries WHERE id = ?').pluck().get(delivery)
      }
      const [later, waiting, foreign] = [insert(id, due), insert(id, null), insert(other, due)]
      for (const each of [id, other]) setState(each, failing)
      assert.equal((await patch(id, body)).status, 200)
      const { failures, failing_since, held_until } = stateOf(id)
      assert.deepEqual([failures, failing_since, held_until], isAnew ? [0, null, null] : [12, 1, 4_102_444_800_000])
      assert.deepEqual([later(), waiting(), foreign()], [isAnew ? server.now() : due, null, due])
      assert.equal(stateOf(other).failures, 12)
    })
  }
})

describe('where a webhook may point', () => {
  const REFUSED = [
    ['https://10.0.0.5/hook', '10.0.0.5'],
    ['http://127.0.0.1:9/', '127.0.0.1'],
    ['http://localhost/', 'localhost'],
    ['http://169.254.169.254/latest/meta-data', '169.254.169.254'],
    ['http://[::1]/', '::1'],
    ['http://[::ffff:10.0.0.5]/', '10.0.0.5'],
    ['http://0x0a000005/', '10.0.0.5'],
    ['https://private.example/', 'private.example'],
    ['https://mixed.example/', 'mixed.example'],
    ['https://metadata.example/', 'metadata.example'],
  ] as const

  for (const [url, host] of REFUSED) {
    test(`is not ${url}, neither on create nor by PATCH, which changes nothing then`, async () => {
      const count = async () => (await server.call('GET', '/webhooks?count=true')).body.total
      const { secret, ...webhook } = await make()
      const state = stateOf(webhook.id)
      const before = await count()
      for (const refused of [
        await server.call('POST', '/webhooks', given({ url })),
        await patch(webhook.id, { url, status: 'paused', description: 'x' }),
      ]) {
        assert.deepEqual([refused.status, refused.body.code], [422, 'url_not_allowed'])
        assert.match(refused.body.detail, /--webhook-allow/)
        assert.ok(refused.body.detail.includes(host), refused.body.detail)
        const [{ pointer, code, message }] = refused.body.errors
        assert.deepEqual([pointer, code], ['/url', 'url_not_allowed'])
        assert.match(message, /^is not allowed: .*--webhook-allow/)
      }
      assert.deepEqual(await get(webhook.id), webhook)
      assert.deepEqual([stateOf(webhook.id), await count()], [state, before])
    })
  }

  test('is not where a user name or a password is needed', async () => {
    for (const url of ['https://user@hooks.example/', 'https://:pass@hooks.example/']) {
      const { status, body } = await server.call('POST', '/webhooks', given({ url }))
      assert.deepEqual([status, body.code], [422, 'url_not_allowed'])
      assert.match(body.detail, /must not contain a user name or a password/)
    }
  })

  test('is not at port 0, whether the host is listed or not', async () => {
    for (const url of ['http://listed.example:0/', 'https://hooks.example:0/x', 'http://hooks.example:00/']) {
      const { status, body } = await server.call('POST', '/webhooks', given({ url }))
      assert.deepEqual([status, body.code, body.errors[0].pointer], [422, 'url_not_allowed', '/url'], url)
      assert.match(body.detail, /Port 0/)
    }
  })

  test('is what --webhook-allow lists', async () => {
    assert.equal((await make({ url: 'http://listed.example:8080/' })).url, 'http://listed.example:8080/')
  })

  test('may be a name that nobody knows as yet, or that no resolver answers for', async () => {
    assert.equal((await make({ url: 'https://nowhere.example/' })).status, 'active')
    assert.equal((await make({ url: 'https://silent.example/' })).status, 'active') // nothing else ends the wait for it
  })

  test('is not asked about before the rest of the body may be right, and not again where it stays', async () => {
    const { id, url } = await make()
    asked = []
    await server.call('POST', '/webhooks', given({ url: 'nonsense' }))
    await server.call('POST', '/webhooks', given({ url: ['https://a.example/'] }))
    await patch(id, { description: 'x' })
    assert.deepEqual(asked, [])
    // Where it points by now is for each try to say: a webhook can be paused whatever became of its host.
    NAMES[new URL(url).hostname] = [{ address: '10.0.0.9', family: 4 }]
    guardMs += 60_000
    assert.equal((await patch(id, { url, status: 'paused' })).status, 200)
  })

  test('comes after the record and the other fields in the order of checks, and before the state', async () => {
    const bad = { url: 'http://10.0.0.5/' }
    const nobody = await patch('01890000-0000-7000-8000-000000000000', bad)
    assert.equal(nobody.status, 404)
    const { id } = await make()
    assert.equal((await patch(id, bad, { 'if-match': '"9"' })).status, 412)
    assert.equal((await patch(id, { ...bad, surprise: 1 })).body.code, 'invalid_fields')
  })
})

describe('the secret of a webhook', () => {
  test('is in no other answer, no event, no log and no file of the store', async () => {
    const lines: string[] = []
    const log = pino({ base: null }, { write: (line: string) => lines.push(line) })
    const own = await startServer({ log })
    try {
      const headers = { 'idempotency-key': 'made-once' }
      const { body } = await own.call('POST', '/webhooks', given(), { headers })
      const { id } = body
      const rotated = await own.call('POST', `/webhooks/${id}/rotate-secret`, undefined, {
        headers: { 'idempotency-key': 'r' },
      })
      const secrets = [body.secret, rotated.body.secret].flatMap((secret: string) => [secret, secret.slice(6)])
      assert.equal(new Set(secrets).size, 4)
      const texts = [
        await own.call('GET', `/webhooks/${id}`),
        await own.call('GET', '/webhooks'),
        await own.call('PATCH', `/webhooks/${id}`, { description: 'x' }),
        await own.call('PATCH', `/webhooks/${id}`, {}),
        await own.call('POST', `/webhooks/${id}/test`),
        await own.call('GET', `/webhooks/${id}/deliveries`),
        await own.call('GET', '/webhooks/events'),
      ].map(({ status, text }) => {
        assert.equal(status, 200)
        return text
      })
      texts.push(JSON.stringify(own.events()), lines.join())
      assert.ok(lines.length >= 9)
      const rows = own.store.db.prepare('SELECT body FROM idempotency').pluck().all() as string[]
      assert.equal(rows.length, 2)
      own.store.db.pragma('wal_checkpoint(PASSIVE)')
      const files = readdirSync(own.dataDir).filter((name) => statSync(join(own.dataDir, name)).isFile())
      assert.ok(files.includes('dealbox.db') && files.includes('dealbox.db-wal'), files.join())
      for (const name of files) texts.push(readFileSync(join(own.dataDir, name), 'latin1'))
      for (const secret of secrets) for (const text of texts) assert.ok(!text.includes(secret), text.slice(0, 60))
      assert.ok(
        texts.some((text) => text.includes(id)),
        'the files are those that it would be in',
      )
    } finally {
      await own.stop()
    }
  })

  test('comes again with the repeat of a create and of a rotation, and there is one webhook', async () => {
    await empty()
    const [sent, headers] = [given(), { 'idempotency-key': 'the-same' }]
    const first = await server.call('POST', '/webhooks', sent, { headers })
    const again = await server.call('POST', '/webhooks', sent, { headers })
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([again.status, again.text], [201, first.text])
    assert.match(again.body.secret, /^whsec_/)
    const rotate = `/webhooks/${first.body.id}/rotate-secret`
    const rotated = await server.call('POST', rotate, undefined, { headers: { 'idempotency-key': 'turn' } })
    const repeated = await server.call('POST', rotate, undefined, { headers: { 'idempotency-key': 'turn' } })
    assert.equal(repeated.text, rotated.text)
    assert.equal(secretsOf(first.body.id).length, 2)
    const other = await server.call('POST', '/webhooks', given(), { headers })
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
    assert.equal((await server.call('GET', '/webhooks?count=true')).body.total, 1)
  })

  test('is another one after a rotation, and the one before signs along for 24 hours', async () => {
    const { id, secret: first } = await make()
    const rotate = async () => {
      const { status, body, headers } = await server.call('POST', `/webhooks/${id}/rotate-secret`)
      assert.equal(status, 200)
      assert.equal(headers.get('etag'), `"${body.version}"`)
      return body
    }
    server.advance(1000)
    const { secret: second, ...shown } = await rotate()
    assert.notEqual(second, first)
    assert.deepEqual(shown, await get(id))
    assert.equal(shown.version, 2)
    const day = 24 * 3_600_000
    assert.deepEqual(secretsOf(id), [
      { secret: second, until: null },
      { secret: first, until: server.now() + day },
    ])
    server.advance(day - 1)
    const { secret: third } = await rotate()
    assert.deepEqual(
      secretsOf(id).map(({ secret }) => secret),
      [third, second, first],
    )
    server.advance(1)
    const { secret: fourth } = await rotate()
    assert.deepEqual(
      secretsOf(id).map(({ secret }) => secret),
      [fourth, third, second],
    )
    for (let n = 0; n < 12; n++) await rotate()
    assert.equal(secretsOf(id).length, 10)
  })

  test('that cannot be read any more is replaced by a rotation', async () => {
    const own = await startServer()
    try {
      const make = async () => (await own.call('POST', '/webhooks', given())).body
      const [one, other] = [await make(), await make()]
      const file = join(own.dataDir, 'keys', 'secrets.key')
      if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600)
      const read = (id: string) => {
        const sealed = own.store.db.prepare('SELECT secrets FROM webhook_states WHERE webhook_id = ?').pluck().get(id)
        return JSON.parse(own.store.vault.open(`webhook ${id}`, sealed as string))
      }
      rmSync(file)
      assert.throws(() => read(one.id), { code: 'secret_unreadable' })
      const { status, body } = await own.call('POST', `/webhooks/${one.id}/rotate-secret`)
      assert.equal(status, 200)
      assert.deepEqual(read(one.id), [{ secret: body.secret, until: null }])
      assert.throws(() => read(other.id), { code: 'secret_unreadable' })
      // A stored answer with a secret is as lost as the secret.
      const [sent, headers] = [given(), { 'idempotency-key': 'lost' }]
      assert.equal((await own.call('POST', '/webhooks', sent, { headers })).status, 201)
      writeFileSync(file, Buffer.alloc(32, 1))
      rmSync(file)
      const repeated = await own.call('POST', '/webhooks', sent, { headers })
      assert.deepEqual([repeated.status, repeated.body.code], [409, 'secret_unreadable'])
    } finally {
      await own.stop()
    }
  })
})
