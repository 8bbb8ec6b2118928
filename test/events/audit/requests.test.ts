import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { linkStore } from '../../../src/auth/links.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import type { WriteRoute } from '../../../src/http/route.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/time.ts'
import { screenHandlers, screenRoutes } from '../../../src/site/routes.ts'
import { PASSWORD, type Screens, screenParts, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Which requests write to the audit log, and what.

let server: TestServer
let screens: Screens
/** What the server repeats, by its period. */
const repeated = new Map<number, (() => void)[]>()

before(async () => {
  server = await startServer()
  screens = await startScreens(server, {
    every: (ms, job) => {
      repeated.set(ms, [...(repeated.get(ms) ?? []), job])
      return () => undefined
    },
  })
})
after(async () => {
  await screens.stop()
  await server.stop()
})

let seen = 0
const all = (chain: string) => [...auditLog(server.store).all(chain)]
beforeEach(() => {
  seen = all(server.a.id).length
  server.advance(MINUTE_MS)
})

/** The entries since the test began: who, by what, what, about what, with which details. */
const added = () =>
  all(server.a.id)
    .slice(seen)
    .map(({ actor_type, actor_id, via, action, record_id, detail }) => ({
      who: actor_id ?? actor_type,
      via,
      said: [action, record_id, JSON.parse(detail)],
    }))
const said = () => added().map(({ said }) => said)

/** Writes without an entry: changes of records, which the events have, and what only concerns the member. */
const RECORDS = [
  '/deals',
  '/deals/:id',
  '/deals/:id/close',
  '/contacts',
  '/contacts/:id',
  '/companies',
  '/companies/:id',
  '/notes',
  '/notes/:id',
  '/tasks',
  '/tasks/:id',
  '/tags',
  '/tags/:id',
  '/lists',
  '/lists/:id',
  '/lists/:id/members',
  '/meetings',
  '/meetings/:id',
  '/meetings/:id/transcript',
  '/conversations/:id',
  '/messages',
  '/messages/:id/cancel',
  '/messages/:id/send-now',
  '/messages/:id/take-back',
  '/messages/:id/split',
  '/conversations/:id/mailbox',
  '/conversations/:id/merge',
  '/conversations/:id/spam',
  '/enrollments',
  '/enrollments/:id',
  '/webhooks/:id/test',
  '/views',
  '/views/:id',
  '/saved-replies',
  '/saved-replies/:id',
  '/drafts/:key',
  '/drafts/:key/files',
  '/drafts/:key/files/:id',
  '/drafts/:key/files/copy',
  '/drafts/:key/files/restore',
  '/people',
  '/meetings/mails',
  '/people/read',
  '/preferences',
  '/notifications/read',
  '/undo',
  '/bulk',
  '/bulk/:id/stop',
  '/bulk/:id/undo',
  '/steps/:id/undo',
  '/bin/:event_id/restore',
  '/new-mails/:id/departure',
  // They change nothing.
  '/rules/try',
  '/sequences/preview',
  '/enrollments/preview',
]

test('every write of the API and the screens has an entry, but for those of records', () => {
  const parts = screenParts(server)
  const routes = [...server.routes, ...screenRoutes(parts)]
  const writes = routes.filter((route): route is WriteRoute => route.kind === 'write')
  assert.ok(writes.length > 40 && screenHandlers)
  const without = writes.filter(({ audit }) => audit === undefined).map(({ path }) => path)
  assert.deepEqual([...new Set(without)].sort(), [...RECORDS].sort())
})

describe('a request by a token', () => {
  test('about webhooks and custom fields has an entry with the member and the token', async () => {
    const hook = { url: 'https://hooks.example/', event_types: ['deal.*'] }
    const { body } = await server.call('POST', '/webhooks', hook)
    await server.call('PATCH', `/webhooks/${body.id}`, { description: 'secret plans' })
    await server.call('PATCH', `/webhooks/${body.id}`, { description: 'secret plans' })
    await server.call('POST', `/webhooks/${body.id}/rotate-secret`)
    await server.call('DELETE', `/webhooks/${body.id}`)
    const field = { object: 'deal', key: 'region', label: 'Region', type: 'text' }
    const made = await server.call('POST', '/custom-fields', field)
    assert.deepEqual(said(), [
      ['webhook.created', body.id, {}],
      ['webhook.changed', body.id, { fields: ['description'] }],
      ['webhook.secret_rotated', body.id, {}],
      ['webhook.deleted', body.id, {}],
      ['custom_field.created', made.body.id, {}],
    ])
    const [{ who, via } = { who: '', via: '' }] = added()
    assert.deepEqual([who, via], [server.a.owner, `token ${server.a.tokenId}`])
    assert.doesNotMatch(JSON.stringify(added()), /whsec|plans/)
  })

  test('that is refused or repeated has none', async () => {
    const field = { object: 'deal', key: 'size', label: 'Size', type: 'text' }
    const headers = { 'idempotency-key': 'once' }
    for (const _ of [1, 2]) await server.call('POST', '/custom-fields', field, { headers })
    assert.equal((await server.call('POST', '/custom-fields', field)).status, 409)
    assert.equal((await server.call('POST', '/webhooks', {})).status, 422)
    assert.deepEqual(
      said().map(([action]) => action),
      ['custom_field.created'],
    )
    assert.deepEqual(all(server.b.id), [])
  })
})

describe('a request by a session', () => {
  test('about members, invitations and sessions has an entry', async () => {
    const owner = await screens.signedIn({ id: server.a.owner })
    const { id } = await screens.newMember('member')
    const patch = await owner.call('PATCH', `/app/members/${id}`, { role: 'admin', name: 'Somebody' })
    assert.equal(patch.status, 200, patch.text)
    await owner.call('PATCH', `/app/members/${id}`, { role: 'admin' })
    const { body: invited } = await owner.call('POST', '/app/invites', { role: 'viewer', email: 'new@else.example' })
    await owner.call('DELETE', `/app/invites/${invited.id}`)
    const other = await screens.signedIn({ id })
    await owner.call('DELETE', `/app/sessions/${other.session}`)
    await owner.call('DELETE', `/app/members/${id}/sessions`)
    assert.deepEqual(said(), [
      ['member.changed', id, { fields: ['name', 'role'], role: 'admin' }],
      ['invitation.created', invited.id, { role: 'viewer' }],
      ['invitation.withdrawn', invited.id, {}],
      ['session.ended', other.session, {}],
      ['sessions.ended', id, {}],
    ])
    assert.deepEqual([...new Set(added().map(({ via }) => via))], [`session ${owner.session}`])
    assert.doesNotMatch(JSON.stringify(added()), /Somebody|new@else/)
  })

  test('that merges records has an entry with their ids, and its undo one', async () => {
    const make = async (name: string) => (await server.call('POST', '/companies', { name })).body.id as string
    const [kept_id, merged_id] = [await make('Same'), await make('Same Ltd')]
    const member = await screens.signedIn('member')
    const { body: merge } = await member.call('POST', '/app/merges', { object: 'company', kept_id, merged_id })
    await member.call('POST', `/app/merges/${merge.id}/undo`)
    assert.deepEqual(said(), [
      ['merge.made', merge.id, { object: 'company', kept_id, merged_id }],
      ['merge.undone', merge.id, {}],
    ])
  })

  test('that signs in, changes the password, or signs out has an entry', async () => {
    const { id, email } = await screens.newMember('member')
    const answer = await screens.send('POST', '/app/login', { email, password: PASSWORD })
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    const next = 'another lake in the south'
    const changed = await screens.send('POST', '/app/password', { current: PASSWORD, new: next }, { cookie })
    assert.equal(changed.status, 204, changed.text)
    await screens.send('POST', '/app/logout', undefined, { cookie })
    const [session] = said().map(([, record]) => record)
    assert.deepEqual(said(), [
      ['session.started', session, { by: 'password' }],
      ['password.changed', id, {}],
      ['session.ended', session, {}],
    ])
    assert.ok(added().every(({ who, via }) => who === id && via === `session ${session}`))
    assert.doesNotMatch(JSON.stringify(added()), /lake/)
  })

  test('that takes up a link has an entry', async () => {
    const { store, a } = server
    const links = linkStore(store)
    const signIn = store.transaction(() => links.makeSignIn(a.org, a.owner))
    await screens.send('POST', '/app/links/accept', { token: signIn })
    const { secret } = store.transaction(() =>
      links.makeInvite(a.org, { email: null, role: 'viewer', invited_by: null }),
    )
    const given = { name: 'New', email: 'new@people.example', password: 'a third lake in the east' }
    const joined = await screens.send('POST', '/app/links/accept', { token: secret, ...given })
    assert.equal(joined.status, 201, joined.text)
    assert.deepEqual(
      said().map(([action, , detail]) => [action, detail]),
      [
        ['session.started', { by: 'link' }],
        ['member.joined', { role: 'viewer' }],
        ['session.started', { by: 'invitation' }],
      ],
    )
  })
})

describe('refused attempts to sign in', () => {
  const fail = (email: string) => screens.send('POST', '/app/login', { email, password: 'wrong' })
  /** As the timer of the server does each minute. */
  const tick = async (minutes = 1) => {
    for (let minute = 0; minute < minutes; minute++) {
      server.advance(MINUTE_MS)
      for (const job of repeated.get(MINUTE_MS) ?? []) job()
      await server.store.write(() => undefined)
    }
  }

  test('are counted, in one entry for each member', async () => {
    const { id, email } = await screens.newMember('member')
    for (const _ of [1, 2, 3]) assert.equal((await fail(email)).status, 401)
    assert.deepEqual(said(), [])
    await tick()
    assert.deepEqual(added(), [{ who: 'stranger', via: null, said: ['session.refused', id, { attempts: 3 }] }])
    await tick(5)
    assert.equal(added().length, 1)
    for (const entries of [2, 3, 3, 4]) {
      await fail(email) // after a while without attempts, the next ones are written soon again
      await tick()
      assert.equal(added().length, entries)
    }
  })

  test('that are paused count, too', async () => {
    const { email } = await screens.newMember('member')
    const statuses = []
    for (let attempt = 0; attempt < 7; attempt++) statuses.push((await fail(email)).status)
    assert.deepEqual(statuses.slice(-2), [429, 429])
    await tick()
    assert.deepEqual(
      said().map(([, , detail]) => detail),
      [{ attempts: 7 }],
    )
  })

  test('of names that nobody has are in one entry of the installation, without the names', async () => {
    for (const name of ['x', 'y', 'z']) await fail(`${name}@nowhere.example`)
    await tick()
    const [entry] = all('').slice(-1)
    assert.deepEqual([entry?.action, entry?.record_id, entry?.detail], ['session.refused', null, '{"attempts":3}'])
    assert.doesNotMatch(JSON.stringify(all('')), /nowhere/)
  })

  test('are written when the server stops', async () => {
    const another = await startScreens(server)
    const { id, email } = await screens.newMember('member')
    await another.send('POST', '/app/login', { email, password: 'wrong' })
    assert.deepEqual(said(), [])
    await another.stop()
    assert.deepEqual(said(), [['session.refused', id, { attempts: 1 }]])
  })

  test('cannot make the log grow by more than about one entry an hour, however long they go on', async () => {
    const { id, email } = await screens.newMember('member')
    const minutes = DAY_MS / MINUTE_MS / 4
    for (let minute = 0; minute < minutes; minute++) {
      await fail(email)
      await tick()
    }
    const found = said().filter(([, record]) => record === id)
    assert.ok(found.length <= 7 + minutes / (HOUR_MS / MINUTE_MS), `${found.length} entries`)
    const counted = found.reduce((sum, [, , { attempts }]) => sum + attempts, 0)
    assert.ok(counted > minutes - 60 && counted <= minutes, `${counted} attempts`)
  })
})
