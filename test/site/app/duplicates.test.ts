import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errorsOf, recordsOf, UNKNOWN } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Duplicates and merges for the screens. test/cleanup/merges has the rules of both.

let server: TestServer
let screens: Screens
let member: SignedIn
const { newContact, newCompany, newDeal, getRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  member = await screens.signedIn('member')
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const typesAfter = (seq: number): string[] => server.events(seq).map(({ type }) => type)

test('pairs of duplicates are listed page by page', async () => {
  const one = await newCompany({ name: 'Tarn' })
  const other = await newCompany({ name: 'TARN' })
  await newCompany({ name: 'Fell' })
  const first = await member.call('GET', '/app/duplicates?object=company&limit=1')
  const pair = { older_id: one.id, newer_id: other.id, reasons: ['name'] }
  assert.deepEqual([first.status, first.body.data, first.body.looked], [200, [pair], 2])
  const rest = await member.call('GET', `/app/duplicates?object=company&limit=1&cursor=${first.body.next_cursor}`)
  assert.deepEqual(rest.body, { data: [], looked: 1, next_cursor: null })
  const wrong = await member.call('GET', `/app/duplicates?object=contact&cursor=${first.body.next_cursor}`)
  assert.deepEqual([wrong.status, wrong.body.code], [400, 'invalid_cursor'])
  assert.equal((await member.call('GET', '/app/duplicates')).status, 400)
  assert.equal((await member.call('GET', '/app/duplicates?object=deal')).status, 400)
})

test('a merge is shown before, done, and undone', async () => {
  const kept = await newContact({ last_name: 'Ruiz', job_title: 'Buyer', emails: [{ email: 'ruiz@x.example' }] })
  const merged = await newContact({
    last_name: 'Ruiz',
    job_title: 'Head of purchasing',
    phones: [{ number: '030 1234' }],
  })
  const deal = await newDeal({ primary_contact_id: merged.id })
  const path = `/app/merges/preview?object=contact&kept_id=${kept.id}&merged_id=${merged.id}`
  const seq = server.lastSeq()
  const shown = (await member.call('GET', `${path}&choices=job_title`)).body
  assert.deepEqual([shown.job_title, shown.emails.length, shown.phones.length], ['Head of purchasing', 1, 1])
  assert.equal((await member.call('GET', path)).body.job_title, 'Buyer')
  assert.equal(server.lastSeq(), seq)

  const body = { object: 'contact', kept_id: kept.id, merged_id: merged.id, choices: ['job_title'] }
  const done = await member.call('POST', '/app/merges', body)
  assert.equal(done.status, 201)
  assert.deepEqual(
    [done.body.kept_id, done.body.merged_id, done.body.member_id, done.body.undone_at],
    [kept.id, merged.id, member.id, null],
  )
  const now = await getRecord(`/contacts/${kept.id}`)
  assert.deepEqual({ ...shown, updated_at: now.updated_at, version: now.version }, now)
  assert.equal((await getRecord(`/deals/${deal.id}`)).primary_contact_id, kept.id)
  assert.deepEqual(typesAfter(seq), ['contact.updated', 'deal.updated', 'contact.deleted'])

  const before = server.lastSeq()
  const undone = await member.call('POST', `/app/merges/${done.body.id}/undo`)
  assert.deepEqual([undone.status, undone.body.left, undone.body.merge.undone_at !== null], [200, [], true])
  assert.equal((await getRecord(`/deals/${deal.id}`)).primary_contact_id, merged.id)
  assert.deepEqual(typesAfter(before), ['contact.created', 'deal.updated', 'contact.updated'])
  const again = await member.call('POST', `/app/merges/${done.body.id}/undo`)
  assert.deepEqual([again.status, again.body.code], [409, 'undone_already'])
})

test('what is chosen of the kept record stays, also where it has nothing', async () => {
  const kept = await newContact({ last_name: 'Ruiz' })
  const merged = await newContact({ last_name: 'Ruiz', job_title: 'Head', source: 'fair' })
  const ids = { object: 'contact', kept_id: kept.id, merged_id: merged.id }
  const query = new URLSearchParams({ ...ids, kept_choices: 'job_title' })
  const shown = (await member.call('GET', `/app/merges/preview?${query}`)).body
  assert.deepEqual([shown.job_title, shown.source], [null, 'fair'])
  const bad = await member.call('POST', '/app/merges', { ...ids, choices: ['source'], kept_choices: ['source'] })
  assert.deepEqual([bad.status, errorsOf(bad.body)], [422, ['/kept_choices/0 contradiction']])
  assert.equal((await member.call('POST', '/app/merges', { ...ids, kept_choices: ['job_title'] })).status, 201)
  const now = await getRecord(`/contacts/${kept.id}`)
  assert.deepEqual([now.job_title, now.source], [null, 'fair'])
})

test('what cannot be merged is refused, and nothing is written', async () => {
  const one = await newContact()
  const seq = server.lastSeq()
  const merge = (given: object) => member.call('POST', '/app/merges', { object: 'contact', kept_id: one.id, ...given })
  const same = await merge({ merged_id: one.id })
  assert.deepEqual([same.status, errorsOf(same.body)], [422, ['/merged_id same_record']])
  assert.equal((await merge({ merged_id: UNKNOWN })).status, 404)
  assert.deepEqual(errorsOf((await merge({})).body), ['/merged_id required'])
  assert.equal((await member.call('POST', `/app/merges/${UNKNOWN}/undo`)).status, 404)
  for (const ids of ['', `kept_id=${one.id}`, `kept_id=${one.id}&merged_id=${UNKNOWN}`])
    assert.equal((await member.call('GET', `/app/merges/preview?object=contact&${ids}`)).status, 404)
  const stranger = await screens.signedIn('owner', server.b)
  const foreign = await stranger.call('POST', '/app/merges', { object: 'contact', kept_id: one.id, merged_id: one.id })
  assert.equal(foreign.status, 404)
  assert.equal(server.lastSeq(), seq)
})

test('viewers do not merge', async () => {
  const viewer = await screens.signedIn('viewer')
  const ids = { object: 'contact', kept_id: UNKNOWN, merged_id: UNKNOWN }
  for (const [method, path, body] of [
    ['GET', '/app/duplicates?object=contact', undefined],
    ['POST', '/app/merges', ids],
    ['POST', `/app/merges/${UNKNOWN}/undo`, undefined],
  ] as const) {
    const { status, body: problem } = await viewer.call(method, path, body)
    assert.deepEqual([status, problem.code], [403, 'insufficient_role'], path)
  }
})
