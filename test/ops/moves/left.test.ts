import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { resourceDeps } from '../../../src/app/deps.ts'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { linkStore } from '../../../src/auth/links.ts'
import { mailLinks } from '../../../src/auth/mail-links.ts'
import { passwords } from '../../../src/auth/passwords.ts'
import { newSecret } from '../../../src/auth/secrets.ts'
import { refuseUnlessEmpty } from '../../../src/exports/place.ts'
import { inBatch } from '../../../src/imports/bulk.ts'
import { pauseSending, resumeSending } from '../../../src/ops/backup/sending.ts'
import { drain } from '../../../src/ops/moves/departing.ts'
import { type Departure, departureStore } from '../../../src/ops/moves/departures.ts'
import { settle } from '../../../src/ops/moves/settle.ts'
import { unsubscribing } from '../../../src/sequences/enrollments/unsubscribe.ts'
import { batches } from '../../../src/store/batches.ts'
import { lockMove } from '../../../src/store/folder/lock.ts'
import { jobCounts } from '../../../src/store/jobs/job-counts.ts'
import { jobQueue } from '../../../src/store/jobs/jobs.ts'
import type { OpenedStore } from '../../../src/store/open.ts'
import { allOrgsEver } from '../../../src/store/orgs/orgs.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { type Fate, startRelay } from '../../support/relay.ts'
import { type Served, serve } from '../../support/served.ts'
import { inStore, moveOrg, receiveIn, stateIn } from './moving-orgs.ts'

// What a move leaves behind: it says where the organisation is, is not written to, and is the organisation again if the
// other server has lost it. Both servers never have it.

const folder = temporaryFolder()
const [from, to] = [join(folder, 'from'), join(folder, 'to')]
const HOST = 'acme.crm.example.com'
const ADDRESS = `https://${HOST}`
const PASSWORD = 'a lake in the north'
const cookie = newSecret()
let a: Org
let twin: Org
let link: string
let unsubscribe: string
let rating: string
let source: Served
let target: Served
let relay: Awaited<ReturnType<typeof startRelay>>
let moved: { id: string; key: string }

before(async () => {
  a = await inStore(from, (store) => makeOrg(store, from, 'Acme'))
  await inStore(to, (store) => makeOrg(store, to, 'Birch'))
  await inStore(from, async (store) => {
    const { db, clock } = store
    twin = await makeOrg(store, from, 'Cedar')
    db.prepare("UPDATE members SET email = 'ana@acme.example' WHERE org_id = ? AND role = 'owner'").run(twin.org)
    const stored = await passwords({ cost: { memory: 64, passes: 1 } }).hash(PASSWORD)
    const now = clock.now()
    const columns = 'org_id, id, hash, member_id, created_at, seen_at, expires_at'
    const session = [a.org, clock.id(), cookie.hash, a.owner, now, now, now + 1e9]
    store.transaction(() => {
      for (const { org, owner } of [a, twin]) credentialStore(store).setPassword(org, owner, stored)
      db.prepare(`INSERT INTO sessions (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`).run(...session)
      link = linkStore(store).makeInvite(a.org, { email: null, role: 'viewer', invited_by: null }).secret
      jobQueue(store).put(a.org, { kind: 'test.later', key: 'one', payload: {}, dueAt: now + 1e9 })
      db.prepare("UPDATE orgs SET public_base_url = 'https://crm.example.com' WHERE id = ?").run(a.org)
    })
    rating = mailLinks(resourceDeps(store)).tokenOf(a.org, 'rating', clock.id())
    unsubscribe = (unsubscribing(resourceDeps(store)).url(a.org, { id: clock.id() }) as string)
      .split('/')
      .at(-1) as string
  })
  await cliJson('org', 'host', a.id, HOST, '--data', from)
  source = await serve(from, a.token, { host: `${HOST},127.0.0.1`, trustProxy: '127.0.0.1' })
  target = await serve(to, a.token)
  relay = await startRelay(() => target.api)
})
after(async () => {
  await Promise.all([source?.stop(), target?.stop(), relay?.stop()])
})

const receive = (dataDir = to): Promise<string> => receiveIn(dataDir)
const move = (key: string, url = relay.url, dataDir = from) => moveOrg(a.id, url, key, dataDir)
const stateOf = (dataDir: string) => stateIn(dataDir, a.id)
const chainOf = (dataDir: string) =>
  inStore(dataDir, ({ db }) => db.prepare('SELECT last_seq FROM audit_chains WHERE org = ?').pluck().get(a.id))

/** As a page of the source would, with the cookie of a session. */
async function ask(method: string, path: string, body?: object, more: Record<string, string> = {}) {
  const headers = {
    origin: source.screens,
    cookie: `dealbox=${cookie.secret}`,
    'content-type': 'application/json',
    ...more,
  }
  const init = { method, headers, redirect: 'manual' as const }
  const answer = await fetch(source.screens + path, body ? { ...init, body: JSON.stringify(body) } : init)
  const text = await answer.text()
  const code = /json/.test(answer.headers.get('content-type') ?? '') ? (JSON.parse(text).code ?? null) : null
  return { said: [answer.status, code], text, headers: answer.headers }
}

/** Writes down that a move was begun, or asked for its last step, as a folder from that moment has it. */
function depart(store: OpenedStore, more: Partial<Departure> & { isAsked?: boolean } = {}): Departure {
  const departures = departureStore(store)
  const { isAsked, ...given } = more
  const all = {
    org: a.org,
    public_id: a.id,
    id: randomUUID(),
    url: relay.url,
    address: ADDRESS,
    ca: null,
    key: 'x',
    ...given,
  }
  departures.begin(all, () => undefined)
  if (isAsked) departures.ask(a.org)
  return departures.all()[0] as Departure
}

describe('a write that waited while the organisation left', () => {
  const WRITES = [
    ['POST', '/app/password', { current: PASSWORD, new: 'another lake in the south' }],
    ['POST', '/app/totp', { password: PASSWORD }],
    ['POST', '/app/login', { email: 'ana@acme.example', password: PASSWORD }],
  ] as const
  for (const [method, path, body] of WRITES)
    test(`${path} is not answered as done`, async () => {
      await inStore(from, async (store) => {
        const release = lockMove(from) // the server does not end what follows
        const departures = departureStore(store)
        if (path === '/app/login')
          store.db.prepare("UPDATE members SET status = 'deactivated' WHERE org_id = ?").run(twin.org)
        depart(store)
        departures.pause(a.org, () => [])
        const writing = ask(method, path, body)
        await source.call('GET', '/deals?limit=1')
        departures.markMoved(a.org, ADDRESS, () => undefined)
        const { said } = await writing
        assert.deepEqual(said, [421, 'moved'])
        store.transaction(() => departures.takeBack(a.org))
        if (path === '/app/login')
          store.db.prepare("UPDATE members SET status = 'active' WHERE org_id = ? AND id = ?").run(twin.org, twin.owner)
        const sql = 'SELECT totp FROM credentials WHERE org_id = ? AND member_id = ?'
        assert.equal(store.db.prepare(sql).pluck().get(a.org, a.owner), null)
        release()
      })
    })

  test('a batch of an import, neither', () =>
    inStore(from, (store) => {
      const departures = departureStore(store)
      const run = () => inBatch(store, batches(store, { now: () => 0, sleep: () => undefined }), a.org, () => 'done')
      assert.equal(run(), 'done')
      const release = lockMove(from)
      departures.markMoved(a.org, ADDRESS, () => undefined)
      assert.throws(run, /has moved to/)
      store.transaction(() => departures.takeBack(a.org))
      release()
    }))
})

describe('an organisation that is moving', () => {
  test('does not take an export, which would change its number', () =>
    inStore(from, (store) => {
      const release = lockMove(from)
      refuseUnlessEmpty(store, a.org, [])
      depart(store)
      assert.throws(() => refuseUnlessEmpty(store, a.org, []), { code: 'moving' })
      departureStore(store).markStaying(a.org, () => undefined)
      release()
    }))

  test('is the only one that moves from the folder', async () => {
    const release = lockMove(from)
    assert.match((await move(await receive())).err, /move_running/)
    release()
  })

  test('a lease that has ended is nothing that is being sent', () =>
    inStore(from, (store) => {
      const lease = (ms: number | null) =>
        store.db
          .prepare('UPDATE jobs SET leased_until = ? WHERE org_id = ?')
          .run(ms === null ? null : Date.now() + ms, a.org)
      const { sending } = departureStore(store)
      lease(60_000)
      assert.equal(sending(a.org), 1)
      lease(-1)
      assert.equal(sending(a.org), 0)
      lease(null)
    }))

  test('waits only so long for what is being sent', async () => {
    const given = { dataDir: from, org: { id: a.org }, maxMs: 0 }
    await drain(given, { sending: () => 0 })
    await assert.rejects(drain(given, { sending: () => 1 }), { code: 'still_sending' })
  })
})

test('what is made during the copy works there, too', async () => {
  const [recovery, file] = ['abcde-fghjk', 'f'.repeat(64)]
  const attach = ({ db }: OpenedStore, id: string) =>
    db.prepare('INSERT INTO attachments (org_id, id, message_id, sha256) VALUES (?, ?, ?, ?)').run(a.org, id, 'm', file)
  await inStore(from, (store) => {
    store.db.pragma('foreign_keys = OFF')
    store.db.prepare('INSERT INTO file_contents VALUES (?, ?, 3, 0)').run(a.org, file)
    store.db.prepare("INSERT INTO file_chunks VALUES (NULL, ?, ?, 0, x'616263')").run(a.org, file)
    attach(store, 'first')
  })
  let token = ''
  relay.decide(async (path): Promise<Fate> => {
    if (token || !path.endsWith('count')) return 'pass'
    assert.equal((await cli(['keys', 'rotate', '--data', from])).code, 0)
    const argv = ['token', 'create', '--org', a.id, '--email', 'ana@acme.example', '--scope', 'all', '--data', from]
    token = (await cliJson(...argv)).token
    await inStore(from, (store) => {
      const hashed = store.vault.sign(`recovery code ${a.owner}`, recovery.replace('-', ''))
      const sql = 'UPDATE credentials SET recovery_codes = ? WHERE org_id = ? AND member_id = ?'
      store.db.prepare(sql).run(JSON.stringify([hashed]), a.org, a.owner)
      store.db.pragma('foreign_keys = OFF')
      attach(store, 'second')
      store.db.prepare("DELETE FROM attachments WHERE org_id = ? AND id = 'first'").run(a.org)
    })
    return 'pass'
  })
  const key = await receive()
  const { code, out, err } = await move(key)
  assert.equal(code, 0, err)
  moved = { id: JSON.parse(out).move, key }
  assert.deepEqual(relay.faults, [])
  const list = await fetch(`${target.api}/api/v1/deals`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(list.status, 200)
  await inStore(to, (store) => {
    const org = allOrgsEver(store.db).find(({ public_id }) => public_id === a.id)?.id as number
    const own = credentialStore(store).get(org, a.owner)
    assert.ok(own && credentialStore(store).useCode(own, recovery))
    const sql = 'SELECT size_bytes FROM file_contents WHERE org_id = ? AND sha256 = ?'
    assert.equal(store.db.prepare(sql).pluck().get(org, file), 3)
  })
})

describe('a move that was cut off before it was noted that the other server was asked', () => {
  test('has moved if that server says so, and stays if it does not answer', async () => {
    const { id, key } = moved
    const hold = lockMove(from)
    await inStore(from, async (store) => {
      const departures = departureStore(store)
      const again = async (fate: 'pass' | 'drop') => {
        store.transaction(() => departures.takeBack(a.org))
        const departure = depart(store, { id, key })
        assert.equal(departure.asked_at, null)
        relay.decide(() => fate)
        return settle({ store, departure, actor: { type: 'server' }, tries: 1 })
      }
      assert.equal(await again('drop'), 'stays')
      assert.equal(await again('pass'), 'moved')
    })
    hold()
    assert.deepEqual([await stateOf(from), await stateOf(to)], ['moved', 'open'])
  })

  test('a copy that only looks does not end the move of the original', async () => {
    const copy = join(folder, 'copy')
    const one = await inStore(copy, async (store) => {
      const made = await makeOrg(store, copy, 'Copy')
      depart(store, { org: made.org, public_id: made.id, key: await receive() })
      return made
    })
    const before = relay.passed.length
    pauseSending(copy)
    await (await serve(copy, one.token)).stop()
    assert.equal(relay.passed.length, before)
    resumeSending(copy)
    await (await serve(copy, one.token)).stop()
    assert.equal(relay.passed.length, before + 1)
  })
})

describe('what is left', () => {
  test('says where the organisation is, whatever somebody asks', async () => {
    assert.deepEqual((await ask('POST', '/app/links/check', { token: link })).said, [421, 'moved'])
    assert.deepEqual((await ask('POST', '/app/logout')).said, [421, 'moved'])
    assert.match(
      (await ask('GET', '/deals?view=1&q=x')).text,
      /href="https:\/\/acme\.crm\.example\.com\/deals\?view=1&amp;q=x"/,
    )
  })

  test('leads whoever rates an answer to its new server', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${source.screens}/rating/${rating}/good`, { method })
      assert.equal(answer.status, 421)
      assert.match(await answer.text(), new RegExp(`href="https://${HOST}/rating/${rating}/good"`))
    }
  })

  test('hands on who unsubscribes by a mail that was sent before', async () => {
    const asked: (string | undefined)[][] = []
    const page = { 'Dealbox-Page': 'unsubscribe', Location: '/' }
    let [status, headers]: [number, Record<string, string>] = [200, page]
    const there = createServer(async (req, res) => {
      const times = req.headers['dealbox-handed-on'] as string | undefined
      asked.push([req.method, req.url, req.headers['content-type'], times, await text(req)])
      res.writeHead(status, headers).end('the page there')
    })
    await once(there.listen(0, '127.0.0.1'), 'listening')
    const movedTo = (address: string) =>
      inStore(from, ({ db, transaction }) =>
        transaction(() => db.prepare('UPDATE orgs SET moved_to = ? WHERE id = ?').run(address, a.org)),
      )
    const click = async (more: Record<string, string> = {}) => {
      const type = 'application/x-www-form-urlencoded'
      const headers = { 'content-type': type, 'x-forwarded-host': HOST, ...more }
      const body = 'List-Unsubscribe=One-Click'
      const init = { method: 'POST', headers, body, redirect: 'manual' as const }
      const answer = await fetch(`${source.screens}/unsubscribe/${unsubscribe}`, init)
      return [answer.status, answer.headers.get('retry-after'), /<h1>(.*)<\/h1>/.exec(await answer.text())?.[1]]
    }
    const { port } = there.address() as AddressInfo
    await movedTo(`http://127.0.0.1:${port}`)
    const question = await fetch(`${source.screens}/unsubscribe/${unsubscribe}`)
    assert.match(await question.text(), /<p>Stop receiving mailings from the sender of that email\?<\/p>\n<form/)
    try {
      assert.deepEqual(await click(), [200, null, 'You are unsubscribed'])
      const form = [
        `/unsubscribe/${unsubscribe}`,
        'application/x-www-form-urlencoded',
        '1',
        'List-Unsubscribe=One-Click',
      ]
      assert.deepEqual(asked.splice(0), [['POST', ...form]])
      status = 404
      assert.deepEqual(await click(), [404, null, 'This link does not work'])
      const failed = [503, '60', 'Something went wrong']
      for (status of [302, 308, 421, 503]) assert.deepEqual(await click(), failed)
      headers = {}
      for (status of [200, 404]) assert.deepEqual(await click(), failed, 'not the page, but a proxy, or the API')
      headers = page
      status = 200
      asked.length = 0
      assert.equal((await click({ 'dealbox-handed-on': '4' }))[0], 200, 'it has moved several times')
      assert.equal(asked.splice(0)[0]?.[3], '5')
      for (const times of ['-1', 'x']) assert.deepEqual(await click({ 'dealbox-handed-on': times }), failed)
      assert.deepEqual(await click({ 'dealbox-handed-on': '5' }), failed, 'two servers that name each other')
      assert.deepEqual(await click({ 'x-forwarded-host': '127.0.0.1' }), failed, 'the proxy sends its name here still')
      assert.deepEqual(asked, [])
      await movedTo(`http://127.0.0.1:${port}/below/`)
      await click()
      assert.equal(asked[0]?.[1], `/below/unsubscribe/${unsubscribe}`)
      await movedTo(target.api)
      assert.deepEqual(await click(), failed, 'the API has no such page')
      await movedTo(target.screens)
      assert.deepEqual(await click(), [404, null, 'This link does not work'], 'the real one has no such enrollment')
      there.close()
      there.closeAllConnections()
      await movedTo(`http://127.0.0.1:${port}`)
      assert.deepEqual(await click(), failed)
      const lines = source.lines.splice(0)
      assert.ok(lines.some(({ status }) => status === 302) && lines.some(({ reason }) => reason === 'ECONNREFUSED'))
      assert.ok(!JSON.stringify(lines).includes(unsubscribe), 'the link is as secret as a password')
    } finally {
      there.close()
      there.closeAllConnections()
      await movedTo(ADDRESS)
    }
  })

  test('signs in who is in another organisation here, too', async () => {
    const login = { email: 'ana@acme.example', password: PASSWORD }
    assert.deepEqual((await ask('POST', '/app/login', login, { cookie: '' })).said, [200, null])
  })

  test('is nothing that the doctor complains about, at neither server', async () => {
    for (const data of [from, to]) {
      const { out } = await cli(['doctor', '--full', '--data', data, '--json', '--min-free', 'off'])
      const { checks } = JSON.parse(out) as { checks: Record<string, { status: string; detail: string }> }
      delete checks.foreign_keys // tests above have left rows without what they refer to
      const complaints = Object.values(checks).filter(({ status }) => status !== 'pass')
      assert.deepEqual([complaints, checks.orphans?.status, checks.audit?.status], [[], 'pass', 'pass'])
    }
  })

  test('is not written to, so that the organisation can come back', async () => {
    const before = await chainOf(from)
    assert.deepEqual((await ask('POST', '/app/login', { email: 'ana@acme.example', password: 'wrong' })).said, [
      401,
      'invalid_credentials',
    ])
    const { code, err } = await cli(['token', 'revoke', a.tokenId, '--data', from])
    assert.deepEqual([code, /has moved to/.test(err)], [1, true])
    assert.equal((await cli(['org', 'host', a.id, 'none', '--data', from])).code, 0)
    assert.doesNotMatch((await ask('GET', '/deals')).text, /href/) // only programs know the address now
    assert.equal((await cli(['org', 'host', a.id, HOST, '--data', from])).code, 0)
    const { stop, lines } = source
    await stop() // refused attempts are written down then, at the latest
    assert.deepEqual(lines, [])
    source = await serve(from, a.token, { host: `${HOST},127.0.0.1`, trustProxy: '127.0.0.1' })
    assert.equal(await chainOf(from), before)
    const back = await move(await receive(from), source.api, to)
    assert.equal(back.code, 0, back.err)
    assert.equal((await source.call('GET', '/deals?limit=1')).status, 200)
  })
})

describe('an organisation that the other server has lost', () => {
  test('is taken back, with its jobs, by who confirms it', async () => {
    await inStore(from, ({ db }) => db.prepare("UPDATE jobs SET failed_at = 1 WHERE kind = 'test.later'").run())
    const { code, err } = await move(await receive())
    assert.equal(code, 0, err)
    const sql = 'SELECT kind FROM jobs WHERE org_id = (SELECT id FROM orgs WHERE public_id = ?)'
    const kinds = () => inStore(from, ({ db }) => db.prepare(sql).pluck().all(a.id))
    assert.deepEqual(await kinds(), ['moved test.later'])
    await inStore(from, (store) => assert.deepEqual([...jobCounts(store).givenUp()], [])) // it is counted there
    assert.equal((await cli(['org', 'take-back', a.id, '--data', from])).code, 2)
    assert.equal(await stateOf(from), 'moved')
    const back = await cli(['org', 'take-back', a.id, '--yes', '--data', from])
    assert.equal(back.code, 0, back.err)
    assert.match(back.err, /must not have it any more/)
    assert.deepEqual(await kinds(), ['test.later'])
    assert.deepEqual(await source.tryTo('POST', '/deals', { title: 'Here again' }), [201, null])
    assert.match((await cli(['org', 'take-back', a.id, '--yes', '--data', from])).err, /has not moved/)
    assert.equal((await cli(['audit', '--verify', '--data', from])).code, 0)
  })

  test('is erased at a server whose backup is from before its move', async () => {
    const erase = (...more: string[]) => cli(['org', 'erase', a.id, '--data', to, ...more])
    assert.match((await erase()).err, /has not moved/)
    assert.equal((await erase('--moved-to', 'nowhere', '--yes')).code, 2)
    assert.equal((await erase('--moved-to', ADDRESS)).code, 2)
    assert.equal(await stateOf(to), 'open')
    assert.equal((await erase('--moved-to', ADDRESS, '--yes')).code, 0)
    assert.deepEqual(await target.tryTo('GET', '/deals'), [421, 'moved'])
    const left = 'SELECT count(*) FROM members WHERE org_id = (SELECT id FROM orgs WHERE public_id = ?)'
    assert.equal(await inStore(to, ({ db }) => db.prepare(left).pluck().get(a.id)), 0)
    assert.match((await erase('--moved-to', ADDRESS, '--yes')).err, /Leave out --moved-to/)
    assert.match((await cli(['org', 'take-back', a.id, '--yes', '--data', to])).err, /has been erased/)
  })

  test('does not come to a server whose audit log of it is another one, which is seen at the beginning', async () => {
    const before = relay.passed.length
    relay.decide(() => 'pass')
    assert.match((await move(await receive())).err, /other_audit_log/)
    assert.deepEqual(relay.passed.slice(before), ['/moves/begin', '/moves/abort'])
    assert.equal(await stateOf(from), 'open')
  })
})
