import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { resourceDeps } from '../../../src/app/deps.ts'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { keyring } from '../../../src/auth/keys.ts'
import { newSecret } from '../../../src/auth/secrets.ts'
import { replyTags } from '../../../src/inbox/mailboxes/reply-tags.ts'
import { departureStore } from '../../../src/ops/moves/departures.ts'
import { unsubscribing } from '../../../src/sequences/enrollments/unsubscribe.ts'
import type { OpenedStore } from '../../../src/store/open.ts'
import { allOrgsEver } from '../../../src/store/orgs/orgs.ts'
import { stagedOrgs } from '../../../src/store/orgs/staged.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { OK, type Receiver, startReceiver } from '../../support/receiver.ts'
import { startRelay } from '../../support/relay.ts'
import { type Served, serve } from '../../support/served.ts'
import { becomes } from '../../support/until.ts'
import { makeAuthority } from '../../webhooks/egress/certificates.ts'
import { standBetween } from '../backup/places/between.ts'
import { inStore, moveOrg, receiveIn, stateIn } from './moving-orgs.ts'

const folder = temporaryFolder()
const [from, to] = [join(folder, 'from'), join(folder, 'to')]
let a: Org
let b: Org
let source: Served
let target: Served
let receiver: Receiver
let relay: Awaited<ReturnType<typeof startRelay>>

before(async () => {
  a = await inStore(from, (store) => makeOrg(store, from, 'Acme'))
  b = await inStore(to, (store) => makeOrg(store, to, 'Birch'))
  receiver = await startReceiver()
  source = await serve(from, a.token, { webhookAllow: '127.0.0.1' })
  target = await serve(to, a.token, { webhookAllow: '127.0.0.1' })
  relay = await startRelay(() => target.api)
  assert.equal((await source.call('POST', '/webhooks', { url: receiver.url, event_types: ['*'] })).status, 201)
})
after(async () => {
  await Promise.all([source?.stop(), target?.stop(), receiver?.stop(), relay?.stop()])
})

const receive = (dataDir = to): Promise<string> => receiveIn(dataDir)
const move = (key: string, url = relay.url, dataDir = from) => moveOrg(a.id, url, key, dataDir)
const stateOf = (dataDir: string) => stateIn(dataDir, a.id)

/** Both servers, and what is in the folders, are as if there had been no move. */
async function stays(): Promise<void> {
  assert.equal(await stateOf(from), 'open')
  assert.equal(await stateOf(to), undefined)
  assert.deepEqual(await source.tryTo('POST', '/deals', { title: 'Still here' }), [201, null])
  assert.equal((await target.call('GET', '/deals')).status, 401)
  await inStore(from, ({ db }) => {
    const left = 'SELECT (SELECT count(*) FROM departures) + (SELECT count(*) FROM departing_changes)'
    assert.equal(db.prepare(`${left} + (SELECT count(*) FROM former_token_keys)`).pluck().get(), 0)
    assert.equal(
      db
        .prepare("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'departing\\_%\\_insert' ESCAPE '\\'")
        .pluck()
        .get(),
      0,
    )
  })
}

describe('a move that fails', () => {
  test('by what the command is given', async () => {
    for (const url of ['ftp://there.example', 'http://there.example', 'there', 'https://u@there.example']) {
      const { code, err } = await move(await receive(), url)
      assert.deepEqual([code, err.includes('--to')], [2, true], err)
    }
    assert.match((await move('dbxmove_wrong')).err, /wrong_key/)
    assert.match((await move(await receive(), 'http://127.0.0.1:9')).err, /target_unreachable/)
    assert.match((await move(await receive(), receiver.url)).err, /no_target|target_unreachable/)
    assert.equal((await cli(['org', 'erase', a.id, '--data', from])).code, 1)
    await stays()
  })

  for (const step of ['begin', 'count', 'prepare', 'commit'])
    test(`because ${step} never arrives leaves everything as it was`, async () => {
      relay.decide((path) => (path.endsWith(step) ? 'drop' : 'pass'))
      const { code, err } = await move(await receive())
      assert.equal(code, 1)
      assert.match(err, /cannot be reached/)
      await stays()
    })

  test('because something arrives that was not sent leaves everything as it was', async () => {
    relay.decide((_, body) =>
      body.includes('"table":"deals"') ? { body: body.replace('Still here', 'Other') } : 'pass',
    )
    assert.match((await move(await receive())).err, /copies_differ/)
    await stays()
  })

  test('because something else arrives of what changed after all was compared leaves everything as it was', async () => {
    let isMade = false
    relay.decide(async (path, body) => {
      if (path.endsWith('count') && body.includes('"table":"webhooks"') && !isMade) {
        isMade = true
        assert.equal((await source.call('POST', '/deals', { title: 'After the comparison' })).status, 201)
      }
      return body.includes('After the comparison') ? { body: body.replace('After the', 'Before the') } : 'pass'
    })
    assert.match((await move(await receive())).err, /copies_differ/)
    assert.equal(isMade, true)
    await stays()
  })

  test('leaves nothing at the target for long', async () => {
    relay.decide((path) => (path.endsWith('prepare') ? 'drop' : 'pass'))
    await move(await receive())
    const left = () => inStore(to, ({ db }) => stagedOrgs(db).length)
    await becomes(left, 0)
  })
})

test('while it leaves, nothing is sent for it; what is being sent ends first', async () => {
  relay.decide(() => 'pass')
  await receiver.came(1)
  const count = receiver.requests.length
  let isLeaving = true
  let early = 0
  receiver.answer(() => {
    if (isLeaving) early++
    return OK
  })
  await inStore(from, async (store) => {
    const departures = departureStore(store)
    departures.leave(a.org)
    assert.equal((await source.call('POST', '/deals', { title: 'Quiet' })).status, 201)
    assert.equal(departures.sending(a.org), 0)
    for (let turns = 0; turns < 300; turns++) await new Promise((resolve) => setTimeout(resolve, 1))
    isLeaving = false
    departures.markStaying(a.org, () => undefined)
    await receiver.came(count + 1)
    assert.equal(early, 0, 'a webhook was called meanwhile')
    await becomes(() => departures.sending(a.org), 0) // the server has read the answer
    receiver.answer(() => 'never')
    assert.equal((await source.call('POST', '/deals', { title: 'Slow' })).status, 201)
    await receiver.came(count + 2)
    assert.equal(departures.sending(a.org), 1)
    receiver.answer(() => OK)
    receiver.release()
    await becomes(() => departures.sending(a.org), 0)
  })
})

test('writes wait in the pause, and the server asks what came of an interrupted move', async (t) => {
  relay.decide(() => 'drop')
  // By TLS with the certificates of --ca that the command had, and not the server.
  const own = makeAuthority()
  const secure = await standBetween(Number(new URL(relay.url).port), own)
  t.after(secure.stop)
  const url = `${own ? 'https' : 'http'}://127.0.0.1:${secure.port}`
  const key = await receive()
  await inStore(from, async (store) => {
    const departures = departureStore(store)
    const id = randomUUID()
    const given = { org: a.org, public_id: a.id, id, url, address: 'https://there.example', ca: own?.ca ?? null, key }
    departures.begin(given, () => undefined)
    departures.pause(a.org, keyring(from, store).publicKeys)
    departures.ask(a.org)
  })
  let isWritten = false
  const writing = source.call('POST', '/deals', { title: 'Waits' }).then(({ status }) => {
    isWritten = true
    return status
  })
  assert.equal((await source.call('GET', '/deals?limit=1')).status, 200)
  const ended = cli(['token', 'create', '--email', 'ana@acme.example', '--scope', 'all', '--data', to, '--org', b.id])
  assert.equal((await ended).code, 1) // Birch has no such member; its writes do not wait
  assert.equal(isWritten, false)
  relay.decide(() => 'pass')
  assert.equal(await writing, 201)
  await stays()
})

test('nobody sees an organisation before the end of its move', async () => {
  const cookie = newSecret()
  await inStore(from, ({ db }) => {
    const [now, id] = [Date.now(), randomUUID()]
    const columns = 'org_id, id, hash, member_id, created_at, seen_at, expires_at'
    const row = [a.org, id, cookie.hash, a.owner, now, now, now + 1e9]
    db.prepare(`INSERT INTO sessions (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`).run(...row)
  })
  const asked = (base: string) =>
    fetch(`${base}/api/v1/deals?limit=1`, { headers: { cookie: `dealbox=${cookie.secret}` } }).then(
      ({ status }) => status,
    )
  let looks = 0
  relay.decide(async (path) => {
    if (!path.endsWith('prepare')) return 'pass'
    assert.deepEqual([await asked(source.screens), await asked(target.screens)], [200, 401])
    assert.equal((await target.call('GET', '/deals')).status, 401)
    assert.equal((await cliJson('org', 'list', '--data', to)).length, 1)
    looks++
    return 'drop'
  })
  assert.equal((await move(await receive())).code, 1)
  assert.deepEqual([looks, relay.faults], [1, []])
  await stays()
})

test('a move is complete although the answer to its last step was lost, and the organisation can come back', async () => {
  const codes = await inStore(from, (store) => ({ ...signedBy(store, a.org), org: a.org }))
  const late = request(`${source.api}/api/v1/deals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${a.token}`, 'content-type': 'application/json' },
  })
  const answered = once(late, 'response')
  relay.decide((path) => {
    // So much that nobody gives up the rest of it for two minutes, which is longer than all other steps take.
    if (path.endsWith('prepare')) late.write(`{"title":${' '.repeat(1_000_000)}`)
    return path.endsWith('commit') ? 'lose' : 'pass'
  })
  const { code, out, err } = await move(await receive())
  late.end('"Too late"}')
  const [answer] = await answered
  assert.equal(answer.statusCode, 421) // it had been authenticated before
  answer.resume()
  assert.equal(code, 0, err)
  assert.ok(JSON.parse(out).rows > 0 && JSON.parse(out).paused_ms > 0)
  assert.deepEqual([await stateOf(from), await stateOf(to)], ['moved', 'open'])
  assert.equal((await target.call('GET', '/deals?limit=1')).status, 200)
  await inStore(to, (store) => {
    const org = allOrgsEver(store.db).find(({ public_id }) => public_id === a.id)?.id as number
    assert.equal(replyTags(resourceDeps(store)).numberIn(org, codes.address), 7)
    assert.deepEqual(unsubscribing(resourceDeps(store)).read(codes.token), { org, enrollment_id: codes.enrollment })
    const own = credentialStore(store).get(org, a.owner)
    assert.ok(own && credentialStore(store).useCode(own, codes.recovery))
  })
  const [own, former] = (await cliJson('keys', 'list', '--data', to)) as { kid: string; is_former?: true }[]
  assert.deepEqual([own?.is_former, former?.is_former], [undefined, true])
  assert.equal((await cli(['org', 'erase', a.id, '--data', from])).code, 0)
  await inStore(from, ({ db }) => assert.equal(db.prepare('SELECT count(*) FROM deals').pluck().get(), 0))
  assert.deepEqual(await source.tryTo('GET', '/deals'), [421, 'moved'])
  const back = await move(await receive(from), source.api, to)
  assert.equal(back.code, 0, back.err)
  assert.equal((await source.call('GET', '/deals?limit=1')).status, 200)
  assert.deepEqual(await target.tryTo('GET', '/deals'), [421, 'moved'])
  assert.equal((await cli(['org', 'erase', a.id, '--data', to])).code, 0)
  await inStore(to, (store) => {
    assert.equal(store.db.prepare('SELECT count(*) FROM deals').pluck().get(), 0)
    const link = unsubscribing(resourceDeps(store)).read(codes.token) // of mails from before the first move
    assert.equal(link?.enrollment_id, codes.enrollment)
  })
  for (const dataDir of [from, to]) assert.equal((await cli(['audit', '--verify', '--data', dataDir])).code, 0)
})

/** What a server signs and others return later. */
function signedBy(store: OpenedStore, org: number) {
  const deps = resourceDeps(store)
  const enrollment = store.clock.id()
  const mailbox = { address: 'sales@acme.example' } as Parameters<ReturnType<typeof replyTags>['addressOf']>[1]
  store.db.prepare("UPDATE orgs SET public_base_url = 'https://crm.example.com' WHERE id = ?").run(org)
  const url = unsubscribing(deps).url(org, { id: enrollment }) as string
  const recovery = 'abcde-fghjk'
  const hashed = store.vault.sign(`recovery code ${a.owner}`, recovery.replace('-', ''))
  store.db
    .prepare('INSERT INTO credentials (org_id, member_id, recovery_codes) VALUES (?, ?, ?)')
    .run(org, a.owner, JSON.stringify([hashed]))
  return {
    address: replyTags(deps).addressOf(org, mailbox, 7),
    token: url.split('/').at(-1) as string,
    enrollment,
    recovery,
  }
}
