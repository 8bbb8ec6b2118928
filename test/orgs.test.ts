import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operatorsOf } from '../src/http/query.ts'
import type { Filter } from '../src/store/list/conditions.ts'
import { UNKNOWN } from './support/records.ts'
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
  /** A static and a smart one for each list of records, by its path. */
  lists: Record<string, string[]>
  parent: string
  webhook: string
  sequence: string
  enrollment: string
  tag: string
  member: string
  stage: string
  /** Of the deal. */
  firstStage: string
  reason: string
  pipeline: string
}

const step = { type: 'task', delay_s: 0, task_title: 'x' }
const server: TestServer = await startServer()
let ours: Ids
let theirs: Ids
before(async () => {
  const make = async (org: TestServer['a']): Promise<Ids> => {
    const { token } = org
    const post = async (path: string, body: object) => (await server.call('POST', path, body, { token })).body.id
    const sequence = setLevels(server.store, org.org, {
      hours: [{ key: 'shared', name: 'Shared name', timezone: 'UTC', is_default: true, weekly: {} }],
      sla: [{ key: 'shared', name: 'Shared name', is_default: true, hours: 'shared', targets: {} }],
      sequences: [{ key: 'shared', name: 'Shared name', status: 'active', hours: 'shared', steps: [step] }],
    }).shared as string
    const tag = await post('/tags', { name: 'Shared name' })
    const [owner_id, custom_fields] = [org.owner, { guide: org.owner }]
    for (const object of ['contact', 'company', 'deal'])
      await post('/custom-fields', { object, key: 'guide', label: 'Guide', type: 'member' })
    const parent_company_id = await post('/companies', { name: 'Shared parent' })
    const company = await post('/companies', {
      name: 'Shared name',
      domains: ['shared.example'],
      external_id: 'one',
      tag_ids: [tag],
      ...{ parent_company_id, owner_id, custom_fields },
    })
    const contact = await post('/contacts', {
      last_name: 'Shared',
      emails: [{ email: 'shared@shared.example' }],
      external_id: 'one',
      company_id: company,
      tag_ids: [tag],
      ...{ owner_id, custom_fields },
    })
    const deal = await post('/deals', {
      title: 'Shared name',
      company_id: company,
      primary_contact_id: contact,
      tag_ids: [tag],
      ...{ owner_id, custom_fields },
    })
    const links = { contact_ids: [contact], company_ids: [company], deal_ids: [deal] }
    const note = await post('/notes', { body: 'Shared name', ...links })
    const task = await post('/tasks', { title: 'Shared name', owner_id, ...links })
    const meeting = await post('/meetings', {
      title: 'Shared name',
      starts_at: '2026-12-01T09:00:00Z',
      ends_at: '2026-12-01T10:00:00Z',
      ical_uid: 'shared@shared.example',
      participants: [{ contact_id: contact }, { member_id: org.owner }, { email: 'someone@shared.example' }],
      company_id: company,
      deal_id: deal,
      owner_id,
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
    // As the mail with an invitation does.
    server.store.db
      .prepare('UPDATE meetings SET conversation_id = ? WHERE org_id = ? AND id = ?')
      .run(conversation, org.org, meeting)
    const lists: Ids['lists'] = {}
    for (const [object, path, id] of [
      ['contact', '/contacts', contact],
      ['company', '/companies', company],
      ['deal', '/deals', deal],
    ] as const) {
      const plain = await post('/lists', { name: 'Shared name', object, kind: 'static', owner_id })
      await server.call('POST', `/lists/${plain}/members`, { add_ids: [id] }, { token })
      const filter = { field: 'created_at', op: 'not_null' } // what every record meets
      lists[path] = [plain, await post('/lists', { name: 'Shared rule', object, kind: 'smart', filter })]
    }
    const list = lists['/contacts']?.[0] as string
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
      lists,
      parent: parent_company_id,
      sequence,
      enrollment,
      member: org.owner,
      stage: org.stages.demo,
      firstStage: org.stages.qualified,
      reason: org.reasons.won,
      pipeline: org.pipelines.sales,
    }
  }
  ours = await make(server.a)
  theirs = await make(server.b) // the same names, domains, emails and external ids are no duplicates there
})
after(() => server.stop())

const meeting = { title: 'x', starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
const message = { direction: 'inbound', body_text: 'x' }
const equal = (field: string, value: string) => ({ field, op: 'eq', value })

test('a reference into the other organisation is answered like one to nothing, to the byte, and changes nothing', async () => {
  const cases: [string, string, (id: string) => object, Exclude<keyof Ids, 'lists'>][] = [
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

/** What the id filters of lists refer to; a new one has to be added here. */
const REFERENCES: Record<string, (ids: Ids, path: string) => string[]> = {
  author_id: ({ member }) => [member],
  company_id: ({ company }) => [company],
  contact_id: ({ contact }) => [contact],
  conversation_id: ({ conversation }) => [conversation],
  'custom_fields.guide': ({ member }) => [member],
  deal_id: ({ deal }) => [deal],
  list_id: ({ lists }, path) => lists[path] as string[],
  meeting_id: ({ meeting }) => [meeting],
  member_id: ({ member }) => [member],
  owner_id: ({ member }) => [member],
  parent_company_id: ({ parent }) => [parent],
  pipeline_id: ({ pipeline }) => [pipeline],
  primary_contact_id: ({ contact }) => [contact],
  sender_id: ({ member }) => [member],
  sequence_id: ({ sequence }) => [sequence],
  stage: ({ firstStage }) => [firstStage],
  tag_id: ({ tag }) => [tag],
}

describe('an id of the other in a filter is answered like one of nothing, to the byte', () => {
  for (const route of server.routes) {
    if (route.kind !== 'list') continue
    const custom: Record<string, Filter> = route.custom ? { 'custom_fields.guide': { type: 'id' } } : {}
    const filters = { ...route.filters, ...custom }
    for (const [name, filter] of Object.entries(filters)) {
      if (filter.type !== 'id') continue
      test(`GET ${route.path}?${name}`, async () => {
        const idsOf = REFERENCES[name]
        assert.ok(idsOf, `orgs.test.ts has to know what ${name} refers to`)
        const [foreign, own]: [string[], string[]] = [idsOf(theirs, route.path), idsOf(ours, route.path)]
        for (const operator of operatorsOf(filter)) {
          const ask = async (id: string): Promise<{ text: string; total: number }> => {
            const parameter = operator === 'eq' ? name : `${name}[${operator}]`
            const value = operator === 'in' ? `${id},${id}` : id
            const path = `${route.path.replace(':id', ours.list)}?count=true&limit=100&${parameter}=${value}`
            const { status, text, body } = await server.call('GET', path)
            assert.equal(status, 200, text)
            return { text, total: body.total }
          }
          const none = await ask(UNKNOWN)
          for (const id of foreign) assert.equal((await ask(id)).text, none.text, operator)
          for (const id of own) assert.notEqual((await ask(id)).total, none.total, operator)
        }
      })
    }
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
