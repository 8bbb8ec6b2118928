import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noticeQueue } from '../../src/personal/notices.ts'
import { type AppServer, type Person, startApp } from '../support/app-data.ts'
import { inboxOf } from '../support/inbox.ts'
import { errorsOf, type Row } from '../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

const reply = { title: 'Thanks', text: 'Thank you, {{contact.first_name}}.' }
const titles = async (person: Person): Promise<string[]> =>
  (await app.ok(person, 'GET', '/saved-replies')).data.map(({ title }: Row) => title).sort()
const save = (person: Person, given: Row = {}): Promise<Row> =>
  app.ok(person, 'POST', '/saved-replies', { ...reply, ...given })

test('a saved reply is its writer’s own until it is shared', async () => {
  const made = await save('member')
  assert.deepEqual([made.is_shared, made.owner_id, made.version], [false, app.ids.member, 1])
  assert.deepEqual(await titles('member'), ['Thanks'])
  for (const person of ['owner', 'other', 'viewer', 'stranger'] as const) {
    assert.deepEqual(await titles(person), [], person)
    assert.equal((await app.ask(person, 'GET', `/saved-replies/${made.id}`)).status, 404, person)
  }
  for (const [method, body] of [['PATCH', { title: 'X' }] as const, ['DELETE'] as const])
    for (const person of ['admin', 'other', 'stranger'] as const)
      assert.equal((await app.ask(person, method, `/saved-replies/${made.id}`, body)).status, 404, person)
  const shared = await app.ok('member', 'PATCH', `/saved-replies/${made.id}`, { is_shared: true })
  assert.deepEqual([shared.is_shared, shared.owner_id], [true, null])
  for (const person of ['owner', 'other', 'viewer'] as const) assert.deepEqual(await titles(person), ['Thanks'], person)
  assert.deepEqual(await titles('stranger'), [])
})

test('whoever writes replies changes what is shared, and a viewer nothing', async () => {
  const { id } = await save('member', { title: 'Ours', is_shared: true })
  const place = `/saved-replies/${id}`
  for (const [method, path, body] of [
    ['POST', '/saved-replies', reply],
    ['PATCH', place, { title: 'X' }],
    ['DELETE', place, undefined],
  ] as const)
    assert.equal((await app.ask('viewer', method, path, body)).status, 403, method)
  const changed = await app.ok('other', 'PATCH', place, { title: 'Ours too' })
  assert.deepEqual([changed.title, changed.owner_id, changed.version], ['Ours too', null, 2])
  const own = await app.ok('other', 'PATCH', place, { is_shared: false })
  assert.equal(own.owner_id, app.ids.other)
  assert.equal((await app.ask('member', 'GET', place)).status, 404)
  await app.ok('other', 'DELETE', place)
  assert.equal((await app.ask('other', 'GET', place)).status, 404)
})

test('a change of something else than was read is refused', async () => {
  const { id } = await save('other')
  await app.ok('other', 'PATCH', `/saved-replies/${id}`, { title: 'Newer' })
  for (const method of ['PATCH', 'DELETE'])
    assert.equal(
      (
        await app.ask('other', method, `/saved-replies/${id}`, method === 'PATCH' ? { title: 'X' } : undefined, {
          'if-match': '"1"',
        })
      ).status,
      412,
      method,
    )
})

test('its text has variables that there are, and is neither empty nor long', async () => {
  const refusals = async (given: Row) =>
    errorsOf((await app.ask('member', 'POST', '/saved-replies', { ...reply, ...given })).body)
  assert.deepEqual(await refusals({ text: 'Dear {{contact.nickname}}' }), ['/text unknown_variable'])
  assert.deepEqual(await refusals({ text: 'Leave: {{unsubscribe_url}}' }), ['/text unknown_variable'])
  assert.deepEqual(await refusals({ text: '{{#deal.title}}open' }), ['/text invalid_template'])
  assert.deepEqual(await refusals({ text: ' \n' }), ['/text empty'])
  assert.deepEqual(await refusals({ title: ' ' }), ['/title empty'])
  assert.deepEqual(await refusals({ text: 'x'.repeat(8193) }), ['/text too_long'])
})

test('a member has 200 of them, and so has everyone together', async () => {
  const insert = app.store.db.prepare(
    "INSERT INTO saved_replies (org_id, id, title, text, owner_id, created_at, updated_at, version) VALUES (?, ?, 'T', 'T', ?, 0, 0, 1)",
  )
  const ids: string[] = []
  for (const owner of [app.ids.admin, null])
    for (let count = 0; count < 200; count++) {
      const id = app.store.clock.id()
      ids.push(id)
      insert.run(app.a.org, id, owner)
    }
  for (const is_shared of [false, true]) {
    const { body } = await app.ask('admin', 'POST', '/saved-replies', { ...reply, is_shared })
    assert.deepEqual(errorsOf(body), [' too_many'])
  }
  const { body } = await app.ask('admin', 'PATCH', `/saved-replies/${ids[0]}`, { is_shared: true })
  assert.deepEqual(errorsOf(body), [' too_many'])
  await app.ok('other', 'POST', '/saved-replies', reply)
  const remove = app.store.db.prepare('DELETE FROM saved_replies WHERE org_id = ? AND id = ?')
  for (const id of ids) remove.run(app.a.org, id)
})

test('other screens hear of a change: of a shared one everybody’s, of an own one the member’s', async () => {
  const heard = async (job: () => Promise<unknown>) => {
    noticeQueue(app.deps).take()
    await job()
    const told = noticeQueue(app.deps).take()
    return told.filter(({ notice }) => notice.kind === 'saved_reply').map(({ org, member }) => [org, member])
  }
  const [mine, all] = [
    [app.a.org, app.ids.member],
    [app.a.org, null],
  ]
  let place = ''
  const own = await heard(async () => {
    place = `/saved-replies/${(await save('member')).id}`
  })
  assert.deepEqual(own, [mine])
  const change = (given: Row) => heard(() => app.ok('member', 'PATCH', place, given))
  assert.deepEqual(await change({ title: 'Other' }), [mine])
  assert.deepEqual(await change({ title: 'Other' }), [])
  assert.deepEqual(await change({ is_shared: true }), [all])
  assert.deepEqual(await change({ is_shared: false }), [all])
  assert.deepEqual(await heard(() => app.ok('member', 'DELETE', place)), [mine])
})

test('a conversation fills them in; what has neither value nor fallback stays to be seen', async () => {
  const inbox = inboxOf(app)
  const text = [
    'Dear {{#contact.first_name}}{{contact.first_name}}{{/contact.first_name}}{{^contact.first_name}}customer{{/contact.first_name}},',
    'about {{ deal.title }} of {{company.name}}: {{sender.name}}, {{{org.name}}}',
  ].join('\n')
  const { id } = await save('member', { title: 'Filled', text })
  const company = await inbox.make('/companies', { name: 'Berg & Co' })
  const known = await inbox.make('/contacts', {
    ...{ first_name: 'Ada', last_name: 'Berg', company_id: company.id },
    emails: [{ email: 'ada@berg.example' }],
  })
  const filled = async (conversation: string, person: Person = 'member') => {
    const { data } = await app.ok(person, 'GET', `/inbox/${conversation}/saved-replies`)
    return data.find((each: Row) => each.id === id)?.filled
  }
  const { name } = app.store.db.prepare('SELECT name FROM members WHERE id = ?').get(app.ids.member) as Row
  const org = app.store.db.prepare('SELECT name FROM orgs WHERE id = ?').pluck().get(app.a.org)
  const ofAda = await inbox.openedWith(known.id)
  assert.equal(await filled(ofAda.id), `Dear Ada,\nabout {{deal.title}} of Berg & Co: ${name}, ${org}`)
  const ofNobody = await inbox.opened()
  assert.match(await filled(ofNobody.id), /^Dear customer,\nabout {{deal.title}} of {{company.name}}: /)
  assert.equal(await filled(ofAda.id, 'other'), undefined)
  assert.equal((await app.ask('viewer', 'GET', `/inbox/${ofAda.id}/saved-replies`)).status, 403)
  assert.equal((await app.ask('stranger', 'GET', `/inbox/${ofAda.id}/saved-replies`)).status, 404)
})
