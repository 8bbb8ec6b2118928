import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startServer, type TestServer } from './support/server.ts'
import { setLevels } from './support/settings.ts'

// Two organisations in one data folder: what the one has is invisible and unusable for the other. That an id of the
// other is 404 in every path is in http/sweeps.test.ts.

type Ids = {
  company: string
  contact: string
  deal: string
  note: string
  task: string
  meeting: string
  conversation: string
  message: string
  list: string
  webhook: string
  sequence: string
  enrollment: string
  tag: string
  member: string
  stage: string
  reason: string
  pipeline: string
}

let server: TestServer
let ours: Ids
let theirs: Ids
before(async () => {
  server = await startServer()
  const make = async (org: TestServer['a']): Promise<Ids> => {
    const { token } = org
    const post = async (path: string, body: object) => (await server.call('POST', path, body, { token })).body.id
    const sequence = setLevels(server.store, org.org, {
      hours: [{ key: 'shared', name: 'Shared name', timezone: 'UTC', is_default: true, weekly: {} }],
      sla: [{ key: 'shared', name: 'Shared name', is_default: true, hours: 'shared', targets: {} }],
      sequences: [{ key: 'shared', name: 'Shared name', status: 'active', hours: 'shared', steps: [step] }],
    }).shared as string
    const tag = await post('/tags', { name: 'Shared name' })
    const company = await post('/companies', {
      name: 'Shared name',
      domains: ['shared.example'],
      external_id: 'one',
      tag_ids: [tag],
    })
    const contact = await post('/contacts', {
      last_name: 'Shared',
      emails: [{ email: 'shared@shared.example' }],
      external_id: 'one',
      company_id: company,
    })
    const deal = await post('/deals', {
      title: 'Shared name',
      company_id: company,
      primary_contact_id: contact,
      tag_ids: [tag],
    })
    const links = { contact_ids: [contact], company_ids: [company], deal_ids: [deal] }
    const note = await post('/notes', { body: 'Shared name', ...links })
    const task = await post('/tasks', { title: 'Shared name', ...links })
    const meeting = await post('/meetings', {
      title: 'Shared name',
      starts_at: '2026-12-01T09:00:00Z',
      ends_at: '2026-12-01T10:00:00Z',
      ical_uid: 'shared@shared.example',
      participants: [{ contact_id: contact }, { member_id: org.owner }, { email: 'someone@shared.example' }],
      company_id: company,
      deal_id: deal,
    })
    await post('/notes', { body: 'Shared name', meeting_id: meeting })
    const said = await server.call(
      'POST',
      '/messages',
      {
        from: { email: 'shared@shared.example' },
        channel: 'email',
        direction: 'inbound',
        subject: 'Shared name',
        body_text: 'Shared name',
        external_id: 'shared@shared.example',
        attachments: [{ name: 'shared', data: 'AAAA' }],
      },
      { token },
    )
    const conversation = said.body.conversation_id
    const patched = { company_id: company, deal_id: deal, tag_ids: [tag], owner_id: org.owner }
    await server.call('PATCH', `/conversations/${conversation}`, patched, { token })
    await post('/notes', { body: 'Shared name', conversation_id: conversation })
    await post('/tasks', { title: 'Shared name', conversation_id: conversation })
    const list = await post('/lists', { name: 'Shared name', object: 'contact', kind: 'static' })
    await server.call('POST', `/lists/${list}/members`, { add_ids: [contact] }, { token })
    const enrollment = await post('/enrollments', { sequence_id: sequence, contact_id: contact, deal_id: deal })
    const webhook = await post('/webhooks', { url: 'https://shared.example/', event_types: ['*'] })
    await server.call('POST', `/webhooks/${webhook}/test`, undefined, { token })
    return {
      tag,
      webhook,
      company,
      contact,
      deal,
      note,
      task,
      meeting,
      conversation,
      message: said.body.id,
      list,
      sequence,
      enrollment,
      member: org.owner,
      stage: org.stages.demo,
      reason: org.reasons.won,
      pipeline: org.pipelines.sales,
    }
  }
  ours = await make(server.a)
  theirs = await make(server.b) // the same names, domains, emails and external ids are no duplicates there
})
after(() => server.stop())

const step = { type: 'task', delay_s: 0, task_title: 'x' }
const UNKNOWN = '01890000-0000-7000-8000-000000000000'
const meeting = { title: 'x', starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
const message = { direction: 'inbound', body_text: 'x' }
const equal = (field: string, value: string) => ({ field, op: 'eq', value })

test('a reference into the other organisation is answered like one to nothing, to the byte, and changes nothing', async () => {
  const cases: [string, string, (id: string) => object, keyof Ids][] = [
    ['POST', '/deals', (id) => ({ title: 'x', company_id: id }), 'company'],
    ['POST', '/deals', (id) => ({ title: 'x', primary_contact_id: id }), 'contact'],
    ['POST', '/deals', (id) => ({ title: 'x', owner_id: id }), 'member'],
    ['POST', '/deals', (id) => ({ title: 'x', tag_ids: [id] }), 'tag'],
    ['POST', '/deals', (id) => ({ title: 'x', pipeline_id: id }), 'pipeline'],
    ['PATCH', `/deals/${ours.deal}`, (id) => ({ stage: id }), 'stage'],
    ['PATCH', `/deals/${ours.deal}`, (id) => ({ company_id: id }), 'company'],
    ['POST', `/deals/${ours.deal}/close`, (id) => ({ reason_id: id }), 'reason'],
    ['POST', '/contacts', (id) => ({ last_name: 'x', company_id: id }), 'company'],
    ['PATCH', `/contacts/${ours.contact}`, (id) => ({ owner_id: id }), 'member'],
    ['PATCH', `/contacts/${ours.contact}`, (id) => ({ tag_ids: [id] }), 'tag'],
    ['POST', '/companies', (id) => ({ name: 'x', parent_company_id: id }), 'company'],
    ['PATCH', `/companies/${ours.company}`, (id) => ({ owner_id: id }), 'member'],
    ['PATCH', `/companies/${ours.company}`, (id) => ({ tag_ids: [id] }), 'tag'],
    ['POST', '/notes', (id) => ({ body: 'x', contact_ids: [ours.contact, id] }), 'contact'],
    ['POST', '/notes', (id) => ({ body: 'x', company_ids: [id] }), 'company'],
    ['PATCH', `/notes/${ours.note}`, (id) => ({ deal_ids: [ours.deal, id] }), 'deal'],
    ['POST', '/tasks', (id) => ({ title: 'x', contact_ids: [id] }), 'contact'],
    ['POST', '/tasks', (id) => ({ title: 'x', deal_ids: [id] }), 'deal'],
    ['PATCH', `/tasks/${ours.task}`, (id) => ({ company_ids: [id] }), 'company'],
    ['PATCH', `/tasks/${ours.task}`, (id) => ({ owner_id: id }), 'member'],
    ['POST', '/notes', (id) => ({ body: 'x', meeting_id: id }), 'meeting'],
    ['POST', '/meetings', (id) => ({ ...meeting, company_id: id }), 'company'],
    ['POST', '/meetings', (id) => ({ ...meeting, participants: [{ contact_id: id }] }), 'contact'],
    ['POST', '/meetings', (id) => ({ ...meeting, participants: [{ member_id: id }] }), 'member'],
    ['PATCH', `/meetings/${ours.meeting}`, (id) => ({ deal_id: id }), 'deal'],
    ['PATCH', `/meetings/${ours.meeting}`, (id) => ({ owner_id: id }), 'member'],
    ['PATCH', `/meetings/${ours.meeting}`, (id) => ({ participants: [{ contact_id: id }] }), 'contact'],
    ['POST', '/notes', (id) => ({ body: 'x', conversation_id: id }), 'conversation'],
    ['POST', '/tasks', (id) => ({ title: 'x', conversation_id: id }), 'conversation'],
    ['POST', '/messages', (id) => ({ ...message, conversation_id: id }), 'conversation'],
    ['POST', '/messages', (id) => ({ ...message, channel: 'chat', contact_id: id }), 'contact'],
    ['PATCH', `/conversations/${ours.conversation}`, (id) => ({ contact_id: id }), 'contact'],
    ['PATCH', `/conversations/${ours.conversation}`, (id) => ({ company_id: id }), 'company'],
    ['PATCH', `/conversations/${ours.conversation}`, (id) => ({ deal_id: id }), 'deal'],
    ['PATCH', `/conversations/${ours.conversation}`, (id) => ({ owner_id: id }), 'member'],
    ['PATCH', `/conversations/${ours.conversation}`, (id) => ({ tag_ids: [id] }), 'tag'],
    ['POST', '/lists', (id) => ({ name: 'x', object: 'deal', kind: 'static', owner_id: id }), 'member'],
    [
      'POST',
      '/lists',
      (id) => ({ name: 'x', object: 'contact', kind: 'smart', filter: equal('company_id', id) }),
      'company',
    ],
    ['PATCH', `/lists/${ours.list}`, (id) => ({ owner_id: id }), 'member'],
    ['POST', `/lists/${ours.list}/members`, (id) => ({ add_ids: [ours.contact, id] }), 'contact'],
    ['POST', `/lists/${ours.list}/members`, (id) => ({ remove_ids: [id] }), 'contact'],
    ['POST', '/enrollments', (id) => ({ sequence_id: id, contact_id: ours.contact }), 'sequence'],
    ['POST', '/enrollments', (id) => ({ ...enrolling, contact_id: id }), 'contact'],
    ['POST', '/enrollments', (id) => ({ ...enrolling, contact_ids: [ours.contact, id] }), 'contact'],
    ['POST', '/enrollments', (id) => ({ ...enrolling, list_id: id }), 'list'],
    ['POST', '/enrollments', (id) => ({ ...enrolling, contact_id: ours.contact, sender_id: id }), 'member'],
    ['POST', '/enrollments', (id) => ({ ...enrolling, contact_id: ours.contact, deal_id: id }), 'deal'],
  ]
  const headers = { 'x-request-id': 'same' }
  const enrolling = { sequence_id: ours.sequence }
  for (const [method, path, body, kind] of cases) {
    const seq = server.lastSeq()
    const foreign = await server.call(method, path, body(theirs[kind]), { headers })
    const unknown = await server.call(method, path, body(UNKNOWN), { headers })
    assert.equal(foreign.status, 422, `${method} ${path} ${kind}`)
    assert.equal(foreign.text, unknown.text)
    assert.equal(server.lastSeq(), seq)
  }
})

test('no list shows a record of the other, and none counts it', async () => {
  const settings = ['/stages', '/members', '/close-reasons', '/hours', '/sla', '/sequences']
  for (const path of [
    '/deals',
    '/contacts',
    '/companies',
    '/notes',
    '/tasks',
    '/meetings',
    '/conversations',
    `/conversations/${ours.conversation}/messages`,
    '/lists',
    '/tags',
    '/webhooks',
    '/enrollments',
    ...settings,
  ]) {
    const mine = await server.call('GET', `${path}?count=true`)
    const others = path.replace(ours.conversation, theirs.conversation)
    const other = await server.call('GET', `${others}?count=true`, undefined, { token: server.b.token })
    const ids = (list: { data: { id: string }[] }) => new Set(list.data.map(({ id }) => id))
    assert.ok(mine.body.data.length > 0 && mine.body.total === mine.body.data.length, path)
    assert.ok(ids(mine.body).isDisjointFrom(ids(other.body)), path)
  }
})

test('a filter by an id of the other finds nothing', async () => {
  for (const query of [
    `/deals?company_id=${theirs.company}`,
    `/deals?primary_contact_id=${theirs.contact}`,
    `/deals?tag_id=${theirs.tag}`,
    `/deals?stage=${theirs.stage}`,
    `/deals?owner_id[in]=${theirs.member},${theirs.member}`,
    `/contacts?company_id=${theirs.company}`,
    `/companies?tag_id=${theirs.tag}`,
    `/notes?contact_id=${theirs.contact}`,
    `/notes?author_id=${theirs.member}`,
    `/tasks?deal_id=${theirs.deal}`,
    `/tasks?company_id[in]=${theirs.company},${theirs.company}`,
    `/meetings?contact_id=${theirs.contact}`,
    `/meetings?member_id=${theirs.member}`,
    `/meetings?deal_id=${theirs.deal}`,
    `/notes?meeting_id=${theirs.meeting}`,
    `/notes?conversation_id=${theirs.conversation}`,
    `/tasks?conversation_id=${theirs.conversation}`,
    `/conversations?contact_id=${theirs.contact}`,
    `/conversations?company_id=${theirs.company}`,
    `/conversations?deal_id=${theirs.deal}`,
    `/conversations?owner_id=${theirs.member}`,
    `/conversations?tag_id=${theirs.tag}`,
    `/contacts?list_id=${theirs.list}`,
    `/lists?owner_id=${theirs.member}`,
    `/stages?pipeline_id=${theirs.pipeline}`,
    `/enrollments?sequence_id=${theirs.sequence}`,
    `/enrollments?contact_id=${theirs.contact}`,
    `/enrollments?sender_id=${theirs.member}`,
    `/enrollments?deal_id=${theirs.deal}`,
  ]) {
    assert.deepEqual((await server.call('GET', query)).body.data, [], query)
  }
})

test('a message of the other is no repeat, and who wrote it is nobody here', async () => {
  const given = { direction: 'inbound', channel: 'chat', body_text: 'x', from: { email: 'theirs@shared.example' } }
  const { token } = server.b
  const other = await server.call('POST', '/messages', { ...given, external_id: 'theirs' }, { token })
  const mine = await server.call('POST', '/messages', { ...given, external_id: 'theirs' })
  assert.deepEqual([other.status, mine.status], [201, 201])
  assert.notEqual(mine.body.author.id, other.body.author.id)
  assert.equal((await server.call('GET', `/contacts/${mine.body.author.id}`)).status, 200)
  for (const include of ['', '?include=attachments'])
    assert.equal((await server.call('GET', `/messages/${theirs.message}${include}`)).status, 404)
})

test('an Idempotency-Key of the other is free', async () => {
  const headers = { 'idempotency-key': 'both' }
  const mine = await server.call('POST', '/deals', { title: 'Mine' }, { headers })
  const other = await server.call('POST', '/deals', { title: 'Theirs' }, { headers, token: server.b.token })
  assert.deepEqual([mine.status, other.status], [201, 201])
  assert.equal(other.headers.get('idempotency-replayed'), null)
})

test('the events of each count by themselves, and the stream shows nobody the other ones', async () => {
  for (const org of [server.a, server.b]) {
    const all = server.events(0, org)
    assert.deepEqual(
      all.map(({ seq }) => seq),
      all.map((_, index) => index + 1),
    )
    const { body } = await server.call('GET', '/webhooks/events?limit=100', undefined, { token: org.token })
    assert.deepEqual(
      body.data.map(({ data }: { data: { object: { id: string } } }) => data.object.id),
      all.map(({ object_id }) => object_id),
    )
  }
})
