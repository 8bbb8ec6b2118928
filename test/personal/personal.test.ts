import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noticeQueue } from '../../src/personal/notices.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import { errorsOf, idsOf, UNKNOWN } from '../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

const noticesOf = async (job: () => Promise<unknown>) => {
  noticeQueue(app.deps).take()
  await job()
  return noticeQueue(app.deps)
    .take()
    .map(({ member, notice }) => [member, notice.kind])
}

describe('preferences', () => {
  test('have a signature, which is nobody else’s', async () => {
    const signature = 'Ana Berg\nAcme'
    assert.equal((await app.ok('member', 'GET', '/preferences')).signature, '')
    assert.equal((await app.ok('admin', 'PATCH', '/preferences', { signature })).signature, signature)
    assert.equal((await app.ok('member', 'GET', '/preferences')).signature, '')
    const { body } = await app.ask('admin', 'PATCH', '/preferences', { signature: 'x'.repeat(2049) })
    assert.deepEqual(errorsOf(body), ['/signature too_long'])
  })

  test('have defaults, and keep what was chosen', async () => {
    const { body, headers } = await app.ask('member', 'GET', '/preferences')
    const { language, theme, shortcuts, timezone, version } = body
    assert.deepEqual([language, theme, shortcuts, timezone, version], ['en', 'system', true, 'Europe/Berlin', 0])
    assert.equal(headers.get('etag'), '"0"')
    const changed = await app.ok('member', 'PATCH', '/preferences', { language: 'de', keys: { 'deals.won': 'w' } })
    assert.deepEqual([changed.language, changed.keys, changed.version], ['de', { 'deals.won': 'w' }, 1])
    assert.deepEqual(await app.ok('member', 'GET', '/preferences'), changed)
    assert.equal((await app.ok('other', 'GET', '/preferences')).language, 'en')
  })

  test('follow the member where nothing was chosen', async () => {
    app.store.db.prepare("UPDATE members SET timezone = 'Asia/Tokyo' WHERE id = ?").run(app.ids.member)
    assert.equal((await app.ok('member', 'GET', '/preferences')).timezone, 'Asia/Tokyo')
    await app.ok('member', 'PATCH', '/preferences', { timezone: 'UTC' })
    assert.equal((await app.ok('member', 'GET', '/preferences')).timezone, 'UTC')
  })

  test('are refused where they break a rule', async () => {
    const { status, body } = await app.ask('member', 'PATCH', '/preferences', {
      theme: 'pink',
      timezone: 'Mars',
      columns: { x: 'y'.repeat(40_000) },
      unknown: 1,
    })
    assert.deepEqual(
      [status, errorsOf(body).sort()],
      [422, ['/columns too_long', '/theme invalid_choice', '/timezone invalid_timezone', '/unknown unknown_field']],
    )
    for (const [given, error] of [
      [{ keys: Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`k${at}`, 'x'])) }, '/keys too_many'],
      [{ keys: { 'no key': 'x' } }, '/keys/no key invalid_key'],
      [{ columns: [] }, '/columns invalid_type'],
      [{ columns: null }, '/columns invalid_type'],
      [{ columns: 'wide' }, '/columns invalid_type'],
    ] as const)
      assert.deepEqual(errorsOf((await app.ask('member', 'PATCH', '/preferences', given)).body), [error])
    const stale = await app.ask('member', 'PATCH', '/preferences', { theme: 'dark' }, { 'if-match': '"1"' })
    assert.equal(stale.status, 412)
  })

  test('of one member have 64 KiB together, and the same again is no change', async () => {
    const large = { columns: { x: 'y'.repeat(32_000) }, screens: { x: 'y'.repeat(16_000) } }
    const kept = await app.ok('viewer', 'PATCH', '/preferences', large)
    const longest = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`${'k'.repeat(77)}${at + 100}`, 'x'.repeat(40)]),
    )
    const { status, body } = await app.ask('viewer', 'PATCH', '/preferences', { keys: longest })
    assert.deepEqual([status, errorsOf(body)], [422, [' too_long']])
    const again = await noticesOf(() => app.ok('viewer', 'PATCH', '/preferences', large))
    assert.deepEqual(again, [])
    assert.deepEqual(await app.ok('viewer', 'GET', '/preferences'), kept)
    await app.ok('viewer', 'PATCH', '/preferences', { columns: {}, screens: {} })
  })

  test('keep what was chosen before when something else is, and what was never chosen still follows the member', async () => {
    await app.ok('other', 'PATCH', '/preferences', { language: 'de' })
    await app.ok('other', 'PATCH', '/preferences', { theme: 'light' })
    const zone = app.store.db.prepare('UPDATE members SET timezone = ? WHERE id = ?')
    zone.run('Asia/Tokyo', app.ids.other)
    const { language, theme, timezone } = await app.ok('other', 'GET', '/preferences')
    assert.deepEqual([language, theme, timezone], ['de', 'light', 'Asia/Tokyo'])
    zone.run('Europe/Berlin', app.ids.other)
  })

  test('make no event, and tell the screens of their member only', async () => {
    const seq = app.lastSeq()
    const told = await noticesOf(() => app.ok('member', 'PATCH', '/preferences', { theme: 'dark' }))
    assert.deepEqual(told, [[app.ids.member, 'preferences']])
    assert.equal(app.lastSeq(), seq)
  })
})

describe('views', () => {
  const view = { object: 'deals', name: 'Closing this month', query: { sort: 'amount' } }

  test('are private until they are shared', async () => {
    const made = await app.ok('member', 'POST', '/views', { ...view, is_pinned: true })
    assert.deepEqual(
      [made.shape, made.is_shared, made.is_pinned, made.owner_id],
      ['table', false, true, app.ids.member],
    )
    assert.deepEqual(idsOf((await app.ok('member', 'GET', '/views?object=deals')).data), [made.id])
    for (const person of ['owner', 'other', 'viewer', 'stranger'] as const) {
      assert.deepEqual((await app.ok(person, 'GET', '/views')).data, [], person)
      for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const)
        assert.equal((await app.ask(person, method, `/views/${made.id}`, body)).status, 404, `${person} ${method}`)
    }
    await app.ok('member', 'PATCH', `/views/${made.id}`, { is_shared: true })
    const [seen] = (await app.ok('viewer', 'GET', '/views')).data
    assert.deepEqual([seen.id, seen.is_pinned], [made.id, false])
    assert.deepEqual((await app.ok('stranger', 'GET', '/views')).data, [])
  })

  test('that are shared are changed by their owner or an admin, and pinned by anyone', async () => {
    const made = await app.ok('member', 'POST', '/views', { ...view, is_shared: true })
    const place = `/views/${made.id}`
    for (const [method, body] of [['PATCH', { name: 'Ours' }], ['DELETE']] as const) {
      const { status, body: problem } = await app.ask('other', method, place, body)
      assert.deepEqual([status, problem.code, problem.owner_id], [403, 'not_yours', app.ids.member])
    }
    const pinned = await app.ok('other', 'PATCH', place, { is_pinned: true })
    assert.deepEqual([pinned.is_pinned, pinned.version], [true, 1])
    assert.deepEqual((await app.ok('other', 'GET', '/preferences')).pinned_views, [made.id])
    assert.equal((await app.ok('admin', 'PATCH', place, { name: 'Ours' })).name, 'Ours')
    const told = await noticesOf(() => app.ok('admin', 'DELETE', place))
    assert.deepEqual(told, [[null, 'view']])
    assert.equal((await app.ask('member', 'GET', place)).status, 404)
  })

  test('are pinned for one member, in the order of pinning, until they are unpinned or deleted', async () => {
    const pinned = async () => (await app.ok('admin', 'GET', '/preferences')).pinned_views
    const told = await noticesOf(() => app.ok('admin', 'POST', '/views', { ...view, name: 'Told' }))
    assert.deepEqual(told, [[app.ids.admin, 'view']])
    const [one, two] = [
      await app.ok('admin', 'POST', '/views', { ...view, is_pinned: true, is_shared: true }),
      await app.ok('admin', 'POST', '/views', { object: 'tasks', name: 'Bare', is_pinned: true }),
    ]
    assert.deepEqual([two.is_pinned, two.query, two.position], [true, {}, 0])
    assert.deepEqual(await pinned(), [one.id, two.id])
    const seenBy = async (person: 'admin' | 'owner') => (await app.ok(person, 'GET', `/views/${one.id}`)).is_pinned
    assert.deepEqual([await seenBy('admin'), await seenBy('owner')], [true, false])
    await app.ok('admin', 'PATCH', `/views/${one.id}`, { is_pinned: true })
    assert.deepEqual(await pinned(), [one.id, two.id])
    const off = await app.ok('admin', 'PATCH', `/views/${one.id}`, { is_pinned: false })
    assert.deepEqual([off.is_pinned, await pinned()], [false, [two.id]])
    await app.ok('admin', 'PATCH', `/views/${one.id}`, { is_pinned: true })
    assert.deepEqual(await pinned(), [two.id, one.id])
    await app.ok('admin', 'DELETE', `/views/${two.id}`)
    assert.deepEqual(await pinned(), [one.id])
  })

  test('have a version, which a change raises and an equal one does not', async () => {
    const made = await app.ok('other', 'POST', '/views', { ...view, is_pinned: true })
    app.advance(1000)
    const changed = await app.ok('other', 'PATCH', `/views/${made.id}`, { name: 'Other', shape: 'board' })
    assert.deepEqual([changed.version, changed.is_pinned, changed.shape], [2, true, 'board'])
    assert.ok(changed.updated_at > made.updated_at)
    assert.deepEqual(await app.ok('other', 'GET', `/views/${made.id}`), changed)
    assert.deepEqual(await app.ok('other', 'PATCH', `/views/${made.id}`, { name: 'Other' }), changed)
    const stale = await app.ask('other', 'PATCH', `/views/${made.id}`, { name: 'X' }, { 'if-match': '"1"' })
    assert.equal(stale.status, 412)
  })

  test('that are shared are seen by nobody of another organisation', async () => {
    const { id } = await app.ok('member', 'POST', '/views', { ...view, is_shared: true })
    assert.equal((await app.ok('viewer', 'GET', `/views/${id}`)).id, id)
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const)
      assert.equal((await app.ask('stranger', method, `/views/${id}`, body)).status, 404, method)
  })

  test('that differ by member are never answered from a copy', async () => {
    const { id } = await app.ok('member', 'POST', '/views', { ...view, is_shared: true })
    const { headers } = await app.ask('member', 'GET', `/views/${id}`)
    const ask = () =>
      app.ask('member', 'GET', `/views/${id}`, undefined, { 'if-none-match': headers.get('etag') ?? '' })
    await app.ok('member', 'PATCH', `/views/${id}`, { is_pinned: true })
    const { status, body } = await ask()
    assert.deepEqual([status, body.is_pinned], [200, true])
  })

  test('of a viewer stay private', async () => {
    const { status, body } = await app.ask('viewer', 'POST', '/views', { ...view, is_shared: true })
    assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
    const made = await app.ok('viewer', 'POST', '/views', view)
    assert.equal((await app.ask('viewer', 'PATCH', `/views/${made.id}`, { is_shared: true })).status, 403)
    const told = await noticesOf(() => app.ok('viewer', 'PATCH', `/views/${made.id}`, { name: 'Own' }))
    assert.deepEqual(told, [[app.ids.viewer, 'view']])
  })

  test('are at most 200 of one member, with a bounded query', async () => {
    const { db, clock } = app.store
    const insert = db.prepare(
      `INSERT INTO views (org_id, id, object, name, shape, is_shared, owner_id, query, position, created_at, updated_at, version)
       VALUES (?, ?, 'deals', 'V', 'table', 0, ?, '{}', 0, 0, 0, 1)`,
    )
    for (let at = 0; at < 200; at++) insert.run(app.a.org, clock.id(), app.ids.admin)
    assert.deepEqual(errorsOf((await app.ask('admin', 'POST', '/views', view)).body), [' too_many'])
    const large = await app.ask('other', 'POST', '/views', { ...view, query: { q: 'x'.repeat(17_000) } })
    assert.deepEqual(errorsOf(large.body), ['/query too_long'])
  })
})

describe('drafts', () => {
  const key = `note:deals:${UNKNOWN}`

  test('are kept, read and forgotten by their member only', async () => {
    assert.equal((await app.ok('viewer', 'GET', `/drafts/${key}`)).body, null)
    const told = await noticesOf(() => app.ok('viewer', 'PUT', `/drafts/${key}`, { body: { text: 'Hello' } }))
    assert.deepEqual(told, [[app.ids.viewer, 'draft']])
    const draft = await app.ok('viewer', 'GET', `/drafts/${key}`)
    assert.deepEqual([draft.key, draft.body], [key, { text: 'Hello' }])
    assert.equal((await app.ok('owner', 'GET', `/drafts/${key}`)).body, null)
    assert.equal((await app.ask('owner', 'DELETE', `/drafts/${key}`)).status, 204)
    await app.ok('viewer', 'PUT', `/drafts/${key}`, { body: { text: 'Hello again' } })
    assert.equal((await app.ok('viewer', 'GET', `/drafts/${key}`)).body.text, 'Hello again')
    const forgotten = await noticesOf(() => app.ok('viewer', 'DELETE', `/drafts/${key}`))
    assert.deepEqual(forgotten, [[app.ids.viewer, 'draft']])
    assert.deepEqual(await noticesOf(() => app.ok('viewer', 'DELETE', `/drafts/${key}`)), [])
    assert.equal((await app.ok('viewer', 'GET', `/drafts/${key}`)).body, null)
  })

  test('of one member stand beside each other', async () => {
    for (const name of ['one', 'two']) await app.ok('viewer', 'PUT', `/drafts/${name}`, { body: { name } })
    await app.ok('viewer', 'DELETE', '/drafts/one')
    assert.deepEqual((await app.ok('viewer', 'GET', '/drafts/two')).body, { name: 'two' })
    assert.equal((await app.ok('viewer', 'GET', '/drafts/one')).body, null)
    assert.equal((await app.ask('viewer', 'GET', '/drafts/no%20key')).status, 404)
  })

  test('are bounded in size and number', async () => {
    const large = await app.ask('member', 'PUT', '/drafts/large', { body: { text: 'x'.repeat(65_536) } })
    assert.deepEqual([large.status, errorsOf(large.body)], [422, ['/body too_long']])
    for (let at = 0; at < 200; at++) await app.ok('member', 'PUT', `/drafts/n${at}`, { body: {} })
    const more = await app.ask('member', 'PUT', '/drafts/more', { body: {} })
    assert.deepEqual([more.status, errorsOf(more.body)], [422, [' too_many']])
    await app.ok('member', 'PUT', '/drafts/n7', { body: { text: 'still' } })
    assert.equal((await app.ask('member', 'PUT', `/drafts/${'k'.repeat(201)}`, { body: {} })).status, 404)
  })
})

test('notices that nobody takes are at most a thousand, the newest', () => {
  const { put, take } = noticeQueue(app.deps)
  take()
  for (let at = 0; at < 1003; at++) put(1, null, { kind: 'view', at })
  const kept = take()
  assert.deepEqual([kept.length, kept[0]?.notice.at, kept.at(-1)?.notice.at], [1000, 3, 1002])
  assert.deepEqual(take(), [])
})
