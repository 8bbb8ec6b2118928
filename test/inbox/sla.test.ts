import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { slaStore } from '../../src/inbox/sla/policies.ts'
import { insertConversation } from '../support/conversation.ts'
import { recordsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

const NONE = { first_response_s: null, next_response_s: null, resolution_s: null }
const NO_TARGETS = { low: NONE, normal: NONE, high: NONE, urgent: NONE }
const office = { key: 'office', name: 'Office', timezone: 'Europe/Berlin', is_default: true, weekly: {} }
const urgent = { field: 'priority', op: 'eq', value: 'urgent' }
const fast = {
  key: 'fast',
  name: 'Fast',
  match: urgent,
  hours: null,
  targets: { urgent: { resolution_s: 3600 } },
  pause_on: ['pending'],
}
const usual = {
  key: 'usual',
  name: 'Usual',
  is_default: true,
  hours: 'office',
  targets: { low: { first_response_s: 60 } },
}
const mail = {
  key: 'mail',
  name: 'Mail',
  match: { field: 'channel', op: 'eq', value: 'email' },
  hours: null,
  targets: {},
}

let server: TestServer
const { newId, getRecord } = recordsOf(() => server)
let ids: Record<string, string>
before(async () => {
  server = await startServer()
})
after(() => server.stop())
beforeEach(() => {
  server.store.db.prepare('DELETE FROM conversations').run()
  set([], server.b.org)
  ids = setLevels(server.store, server.a.org, { hours: [office], sla: [usual, fast, mail] })
})

const set = (sla: Parameters<typeof setLevels>[2]['sla'], org = server.a.org) =>
  setLevels(server.store, org, { sla: sla ?? [] })
const names = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name)

describe('the routes', () => {
  test('answer a policy with every target', async () => {
    const { body, headers } = await server.call('GET', `/sla/${ids.usual}`)
    assert.deepEqual(body, {
      id: ids.usual,
      name: 'Usual',
      is_default: true,
      is_active: true,
      position: 0,
      match: null,
      hours_id: ids.office,
      targets: { ...NO_TARGETS, low: { ...NONE, first_response_s: 60 } },
      pause_on: [],
      created_at: body.created_at,
      updated_at: body.updated_at,
      version: body.version,
    })
    assert.equal(headers.get('etag'), `"${body.version}"`)
    const { match, hours_id, pause_on, is_default } = await getRecord(`/sla/${ids.fast}`)
    assert.deepEqual([match, hours_id, pause_on, is_default], [urgent, null, ['pending'], false])
  })

  test('list them in the order of the settings, the active ones alone unless all are asked for', async () => {
    insertConversation(server.store, server.a.org, { sla_policy_id: ids.fast as string })
    set([mail, usual])
    const { data } = await getRecord('/sla')
    assert.deepEqual(names({ data }), ['Mail', 'Usual'])
    assert.deepEqual(names(await getRecord('/sla?include_inactive=true')), ['Mail', 'Usual', 'Fast'])
    assert.deepEqual((await getRecord(`/sla/${ids.fast}`)).is_active, false)
    assert.deepEqual(await getRecord(`/sla/${data[0].id}`), data[0])
    const first = await getRecord('/sla?limit=1')
    assert.deepEqual((await getRecord(`/sla?limit=1&cursor=${first.next_cursor}`)).data, [data[1]])
  })

  test('know nothing of the policies of another organisation', async () => {
    const foreign = set([{ ...fast, name: 'Theirs' }], server.b.org)
    assert.equal((await server.call('GET', `/sla/${foreign.fast}`)).status, 404)
    assert.deepEqual(names(await getRecord('/sla')), ['Usual', 'Fast', 'Mail'])
  })

  test('do not write', async () => {
    for (const [method, path] of [
      ['POST', '/sla'],
      ['PATCH', `/sla/${ids.fast}`],
      ['DELETE', `/sla/${ids.fast}`],
    ] as const) {
      const { status } = await server.call(method, path, method === 'DELETE' ? undefined : {})
      assert.equal(status, 405)
    }
  })
})

describe('the policy for a conversation', () => {
  const policyFor = (given: Record<string, string | number | null> = {}, org = server.a.org) =>
    slaStore(server.deps).matching(org, insertConversation(server.store, org, given))
  const idFor = (given?: Record<string, string | number | null>) => policyFor(given)?.id

  test('is the first that matches, and the default one last, wherever it stands', () => {
    assert.equal(idFor({ priority: 'urgent' }), ids.fast)
    assert.equal(idFor({ priority: 'urgent', channel: 'chat' }), ids.fast)
    assert.equal(idFor({ channel: 'email' }), ids.mail)
    assert.equal(idFor({ channel: 'chat' }), ids.usual)
    set([mail, fast, usual])
    assert.equal(idFor({ priority: 'urgent' }), ids.mail)
  })

  test('says what is promised', () => {
    assert.deepEqual(policyFor({ priority: 'urgent' }), {
      id: ids.fast,
      hours_id: null,
      targets: { ...NO_TARGETS, urgent: { ...NONE, resolution_s: 3600 } },
      pause_on: ['pending'],
    })
    assert.equal(policyFor({ channel: 'sms' })?.hours_id, ids.office)
  })

  test('without a match is for all conversations that no earlier one is for', () => {
    const found = set([fast, { ...mail, match: null }, usual])
    assert.equal(idFor({ channel: 'chat' }), found.mail)
    assert.equal(idFor({ priority: 'urgent' }), found.fast)
  })

  test('is none where none matches', () => {
    set([fast, mail])
    assert.equal(policyFor({ channel: 'chat' }), undefined)
    set([])
    assert.equal(policyFor(), undefined)
  })

  test('is none that is not active any more', () => {
    insertConversation(server.store, server.a.org, { sla_policy_id: ids.fast as string })
    set([mail, usual])
    assert.equal(idFor({ priority: 'urgent', channel: 'chat' }), ids.usual)
  })

  test('is none of another organisation', () => {
    assert.equal(policyFor({ priority: 'urgent' }, server.b.org), undefined)
    const own = insertConversation(server.store, server.a.org, { priority: 'urgent' })
    set([fast], server.b.org)
    assert.equal(slaStore(server.deps).matching(server.b.org, own), undefined)
  })

  test('follows the row as it stands', () => {
    const { db } = server.store
    const id = insertConversation(server.store, server.a.org, { channel: 'chat' })
    const now = () => slaStore(server.deps).matching(server.a.org, id)?.id
    assert.equal(now(), ids.usual)
    db.prepare("UPDATE conversations SET priority = 'urgent' WHERE id = ?").run(id)
    assert.equal(now(), ids.fast)
  })

  test('is found by every field of the conversation and of its company', async () => {
    const { a, store } = server
    const bank = await newId('/companies', { name: 'Northwind', industry: 'Banking' })
    const contact = await newId('/contacts', { last_name: 'Ruiz' })
    const deal = await newId('/deals', { title: 'Rollout' })
    const tag = await newId('/tags', { name: 'VIP' })
    const cases: [object, Record<string, string | number | null>, Record<string, string | number | null>][] = [
      [{ field: 'subject', op: 'contains', value: 'ÉCOLE' }, { subject: 'Notre école' }, { subject: 'Nôtre' }],
      [{ field: 'subject', op: 'is_null' }, {}, { subject: 'Hello' }],
      [{ field: 'channel', op: 'in', value: ['chat', 'sms'] }, { channel: 'sms' }, { channel: 'phone' }],
      [{ field: 'status', op: 'ne', value: 'open' }, { status: 'pending' }, { status: 'open' }],
      [{ field: 'priority', op: 'eq', value: 'high' }, { priority: 'high' }, { priority: 'low' }],
      [{ field: 'owner_id', op: 'eq', value: a.owner }, { owner_id: a.owner }, {}],
      [{ field: 'contact_id', op: 'eq', value: contact }, { contact_id: contact }, {}],
      [{ field: 'company_id', op: 'not_null' }, { company_id: bank }, {}],
      [{ field: 'deal_id', op: 'in', value: [deal] }, { deal_id: deal }, {}],
      [{ field: 'company.industry', op: 'starts_with', value: 'bank' }, { company_id: bank }, {}],
      [{ not: { field: 'company.name', op: 'eq', value: 'northwind' } }, {}, { company_id: bank }],
      [
        {
          all: [
            urgent,
            {
              any: [
                { field: 'channel', op: 'eq', value: 'chat' },
                { field: 'deal_id', op: 'not_null' },
              ],
            },
          ],
        },
        { priority: 'urgent', deal_id: deal },
        { priority: 'urgent' },
      ],
    ]
    for (const [match, good, bad] of cases) {
      const found = set([{ ...mail, match }])
      assert.deepEqual([idFor(good), idFor(bad)], [found.mail, undefined], JSON.stringify(match))
    }

    const found = set([{ ...mail, match: { field: 'tag_ids', op: 'has_any', value: [tag] } }])
    const tagged = insertConversation(store, a.org)
    const { matching } = slaStore(server.deps)
    assert.equal(matching(a.org, tagged), undefined)
    store.db
      .prepare('INSERT INTO conversation_tags (org_id, tag_id, conversation_id) VALUES (?, ?, ?)')
      .run(a.org, tag, tagged)
    assert.equal(matching(a.org, tagged)?.id, found.mail)

    const { id: field } = (
      await server.call('POST', '/custom-fields', { object: 'company', key: 'tier', label: 'Tier', type: 'text' })
    ).body
    await server.call('PATCH', `/companies/${bank}`, { custom_fields: { tier: 'Gold' } })
    set([{ ...mail, match: { field: 'company.custom_fields.tier', op: 'eq', value: 'gold' } }])
    const ofBank = insertConversation(store, a.org, { company_id: bank })
    assert.deepEqual([matching(a.org, ofBank)?.id, matching(a.org, tagged)], [found.mail, undefined])
    await server.call('PATCH', `/custom-fields/${field}`, { is_archived: true })
    assert.equal(matching(a.org, ofBank), undefined)
  })
})

test('a policy is found by its id, also one that is not active any more', () => {
  const { policyById } = slaStore(server.deps)
  insertConversation(server.store, server.a.org, { sla_policy_id: ids.fast as string })
  set([usual])
  assert.equal(policyById(server.a.org, ids.fast as string)?.pause_on[0], 'pending')
  assert.equal(policyById(server.b.org, ids.fast as string), undefined)
  assert.equal(policyById(server.a.org, ids.mail as string), undefined)
})

describe('a deleted tag', () => {
  const recounts = () => server.store.db.prepare("SELECT org_id FROM jobs WHERE kind = 'sla.recount'").pluck().all()
  const forgetRecounts = () => void server.store.db.prepare("DELETE FROM jobs WHERE kind = 'sla.recount'").run()
  const removed = async (tag: string) => {
    forgetRecounts()
    assert.equal((await server.call('DELETE', `/tags/${tag}`)).status, 204)
    return recounts()
  }

  test('that a conversation has counts the SLA targets of the organisation anew', async () => {
    set([usual])
    const tag = await newId('/tags', { name: 'On a conversation' })
    const id = insertConversation(server.store, server.a.org)
    server.store.db
      .prepare('INSERT INTO conversation_tags (org_id, tag_id, conversation_id) VALUES (?, ?, ?)')
      .run(server.a.org, tag, id)
    assert.deepEqual(await removed(tag), [server.a.org])
  })

  test('does so where an active policy looks at companies, which may have had it', async () => {
    const match = { field: 'company.tag_ids', op: 'has_any', value: [await newId('/tags', { name: 'Elsewhere' })] }
    set([{ ...usual, is_default: false, match }])
    assert.deepEqual(await removed(await newId('/tags', { name: 'Of companies' })), [server.a.org])
    set([usual])
  })

  test('does nothing where neither is so', async () => {
    set([usual])
    assert.deepEqual(await removed(await newId('/tags', { name: 'Unused' })), [])
  })
})
