import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { LINKS } from '../../../src/records/links.ts'
import { type Row, UNKNOWN } from '../../support/records.ts'
import { assertSound, type MergeFixture, mergeFixture, refusal, TIMES } from './merge-fixture.ts'

let fixture: MergeFixture
before(async () => {
  fixture = await mergeFixture()
})
afterEach(() => assertSound(fixture))
after(() => fixture.stop())

/** Events after `seq`, as `deal.updated primary_contact_id`. */
const eventsFrom = (seq: number): string[] =>
  fixture.events(seq).map(({ type, changed_fields }) => [type, ...changed_fields].join(' '))

describe('a merge of contacts', () => {
  test('keeps the id and the set fields of the one, fills its empty ones from the other, and removes the other', async () => {
    const { a, contact, company, merge, get, isGone, events, lastSeq, who } = fixture
    const [one, other] = [(await company()).id, (await company()).id]
    const kept = await contact({ first_name: 'Ana', last_name: ' ', job_title: 'Buyer', company_id: one, source: '' })
    const merged = await contact({
      first_name: 'Anna',
      last_name: 'Lind',
      job_title: 'Head',
      company_id: other,
      owner_id: a.owner,
      linkedin_url: 'https://linkedin.example/ana',
      website: 'https://ana.example',
      timezone: 'Europe/Berlin',
      language: 'de',
      source: 'fair',
    })
    const seq = lastSeq()
    const { id, ...made } = merge('contact', kept, merged)
    assert.deepEqual(made, {
      object: 'contact',
      kept_id: kept.id,
      merged_id: merged.id,
      member_id: who.member,
      merged_at: made.merged_at,
      undone_at: null,
    })
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual(now, {
      ...merged,
      id: kept.id,
      first_name: 'Ana',
      name: 'Ana Lind',
      job_title: 'Buyer',
      company_id: one,
      created_at: kept.created_at,
      updated_at: new Date(fixture.now()).toISOString(),
      version: 2,
    })
    assert.ok(await isGone(`/contacts/${merged.id}`))
    const filled = 'last_name name owner_id linkedin_url website timezone language source'
    assert.deepEqual(eventsFrom(seq), [`contact.updated ${filled}`, 'contact.deleted'])
    const [updated, deleted] = events(seq)
    assert.deepEqual([updated?.object, updated?.previous.last_name, updated?.actor], [now, ' ', who.member])
    assert.equal(JSON.stringify(updated?.object), JSON.stringify(now)) // in the order of the interface
    assert.deepEqual(deleted?.object, merged)
  })

  test('unites emails and phones, each once; the primary ones stay', async () => {
    const { contact, merge, get } = fixture
    const emails = [
      { email: 'ana@one.example', label: 'work', is_primary: false },
      { email: 'ana@two.example', label: 'home', is_primary: true },
    ]
    const phones = [{ number: '+49 30 1234', label: 'work', is_primary: true }]
    const kept = await contact({ emails, phones })
    const body = {
      emails: [{ email: 'Ana@Three.example' }, { email: 'ANA@one.example' }],
      phones: [{ number: '+49 (30) 12-34' }, { number: '555 1234', label: 'other' }],
    }
    const { body: merged } = await fixture.call('POST', '/contacts?allow_duplicate=true', body)
    merge('contact', kept, merged)
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual(now.emails, [...emails, { email: 'Ana@Three.example', label: 'work', is_primary: false }])
    assert.deepEqual(now.phones, [...phones, { number: '555 1234', label: 'other', is_primary: false }])
    assert.deepEqual((await get('/contacts?q=three')).data, [now])
    assert.deepEqual((await get('/contacts?email=ana@three.example')).data, [now])
  })

  test('takes over emails and phones with their primary ones where the kept one has none', async () => {
    const { contact, merge, get } = fixture
    const emails = [{ email: 'a@b.example' }, { email: 'c@d.example', is_primary: true }]
    const [kept, merged] = [await contact(), await contact({ emails })]
    merge('contact', kept, merged)
    assert.deepEqual((await get(`/contacts/${kept.id}`)).emails, merged.emails)
  })

  test('unites tags in their order, and the members of the address', async () => {
    const { contact, tag, merge, get } = fixture
    const [one, both, other] = [await tag(), await tag(), await tag()]
    const kept = await contact({ tag_ids: [both, one], address: { city: 'Berlin', country: 'DE', line2: ' ' } })
    const merged = await contact({
      tag_ids: [other, both],
      address: { city: 'Bonn', line1: 'Weg 1', line2: 'Hof', postal_code: '10115' },
    })
    merge('contact', kept, merged)
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual(now.tag_ids, [both, one, other])
    assert.deepEqual(now.address, {
      line1: 'Weg 1',
      line2: 'Hof',
      city: 'Berlin',
      region: null,
      postal_code: '10115',
      country: 'DE',
    })
    const bare = await contact()
    merge('contact', bare, kept)
    assert.deepEqual((await get(`/contacts/${bare.id}`)).address, now.address)
  })

  test('leaves nobody contacted who does not want it: the stricter wins, whatever is chosen', async () => {
    const { contact, merge, get, db } = fixture
    const unsubscribed = async (given: object, at: number | null) => {
      const made = await contact({ ...given })
      db.prepare('UPDATE contacts SET unsubscribed_at = ? WHERE id = ?').run(at, made.id)
      return made
    }
    const cases: [boolean, number | null, boolean, number | null, boolean, string | null][] = [
      [false, null, true, 2000, true, '1970-01-01T00:00:02.000Z'],
      [true, 1000, false, null, true, '1970-01-01T00:00:01.000Z'],
      [false, 3000, false, 2000, false, '1970-01-01T00:00:02.000Z'],
      [false, 1000, false, 2000, false, '1970-01-01T00:00:01.000Z'],
      [false, null, false, null, false, null],
    ]
    for (const [own, at, others, othersAt, expected, expectedAt] of cases) {
      const kept = await unsubscribed({ do_not_contact: own }, at)
      const merged = await unsubscribed({ do_not_contact: others }, othersAt)
      merge('contact', kept, merged)
      const now = await get(`/contacts/${kept.id}`)
      assert.deepEqual([now.do_not_contact, now.unsubscribed_at], [expected, expectedAt])
    }
  })

  test('keeps the external id of the one, and takes that of the other where it has none', async () => {
    const { contact, merge, get } = fixture
    const [first, second] = [await contact({ external_id: 'x1' }), await contact({ external_id: 'x2' })]
    const third = await contact()
    merge('contact', first, second)
    assert.equal((await get(`/contacts/${first.id}`)).external_id, 'x1')
    merge('contact', third, first)
    assert.equal((await get(`/contacts/${third.id}`)).external_id, 'x1')
    assert.equal((await contact({ external_id: 'x2' })).external_id, 'x2') // free again
  })

  test('keeps the values of custom fields, fills those that are empty, and moves unique and archived ones', async () => {
    const { contact, customField, merge, get, patch, call } = fixture
    await customField('contact', 'seats', { type: 'number' })
    await customField('contact', 'area')
    await customField('contact', 'tastes', {
      type: 'multi_select',
      options: ['a', 'b'].map((value) => ({ value, label: value })),
    })
    await customField('contact', 'badge', { is_unique: true })
    const old = await customField('contact', 'old')
    const oldToo = await customField('contact', 'old_badge', { is_unique: true })
    const kept = await contact({ custom_fields: { seats: 0, old: 'kept', area: 'North' } })
    const merged = await contact({
      custom_fields: { seats: 5, tastes: ['b', 'a'], badge: 'B1', old: 'merged', old_badge: 'B2' },
    })
    for (const id of [old, oldToo]) await patch(`/custom-fields/${id}`, { is_archived: true })
    merge('contact', kept, merged)
    const values = { area: 'North', badge: 'B1', seats: 0, tastes: ['b', 'a'] }
    assert.equal(JSON.stringify((await get(`/contacts/${kept.id}`)).custom_fields), JSON.stringify(values))
    assert.deepEqual(
      (await get('/contacts?custom_fields.badge=b1')).data.map(({ id }: Row) => id),
      [kept.id],
    )
    for (const id of [old, oldToo]) await patch(`/custom-fields/${id}`, { is_archived: false })
    assert.deepEqual((await get(`/contacts/${kept.id}`)).custom_fields, { ...values, old: 'kept', old_badge: 'B2' })
    const taken = await call('POST', '/contacts', { last_name: 'X', custom_fields: { old_badge: 'b2' } })
    assert.equal(taken.status, 422)
  })

  test('takes over what a body could not set any more, such as an owner who is deactivated', async () => {
    const { a, contact, merge, get, db } = fixture
    const [kept, merged] = [await contact(), await contact({ owner_id: a.owner })]
    db.prepare('UPDATE contacts SET owner_id = ? WHERE id = ?').run(a.deactivated, merged.id)
    merge('contact', kept, merged)
    assert.equal((await get(`/contacts/${kept.id}`)).owner_id, a.deactivated)
  })

  test('points all that referred to the other to the one, each with its own version and event', async () => {
    const { contact, make, hear, get, patch, merge, staticList, membersOf, lastSeq } = fixture
    const [kept, merged, third] = [(await contact()).id, (await contact()).id, (await contact()).id]
    const deal = await make('/deals', { title: 'Rollout', primary_contact_id: merged })
    const others = await make('/deals', { title: 'Another', primary_contact_id: third })
    const notes = [
      await make('/notes', { body: 'x', contact_ids: [third, merged] }),
      await make('/notes', { body: 'x', contact_ids: [merged, third, kept] }),
      await make('/notes', { body: 'x', contact_ids: [kept] }),
    ]
    const task = await make('/tasks', { title: 'x', status: 'done', contact_ids: [kept, merged] })
    const meet = (...ids: string[]) =>
      make('/meetings', { title: 'x', ...TIMES, participants: ids.map((contact_id) => ({ contact_id })) })
    const meetings = [await meet(third, merged), await meet(merged, third, kept), await meet(kept)]
    const said = [
      await hear({ contact_id: merged }),
      await hear({ contact_id: third }),
      await hear({ contact_id: merged }),
    ]
    await patch(`/conversations/${said[2].conversation_id}`, { contact_id: third })
    const [own, thirds, given] = await Promise.all(said.map((one) => get(`/conversations/${one.conversation_id}`)))
    const [inBoth, inOne] = [await staticList('contact', [kept, merged, third]), await staticList('contact', [merged])]
    const lists = [await get(`/lists/${inBoth}`), await get(`/lists/${inOne}`)]
    const seq = lastSeq()
    merge('contact', kept, merged)

    const at = new Date(fixture.now()).toISOString()
    const changed = (before: Row, fields: object) => ({
      ...before,
      ...fields,
      updated_at: at,
      version: before.version + 1,
    })
    assert.deepEqual(await get(`/deals/${deal.id}`), changed(deal, { primary_contact_id: kept }))
    assert.deepEqual(await get(`/deals/${others.id}`), others)
    assert.deepEqual(await get(`/notes/${notes[0].id}`), changed(notes[0], { contact_ids: [third, kept] }))
    assert.deepEqual(await get(`/notes/${notes[1].id}`), changed(notes[1], { contact_ids: [kept, third] }))
    assert.deepEqual(await get(`/notes/${notes[2].id}`), notes[2])
    assert.deepEqual(await get(`/tasks/${task.id}`), changed(task, { contact_ids: [kept] }))
    const [[other, gone], [first, second]] = meetings.map(({ participants }) => participants)
    for (const [index, participants] of [
      [0, [other, { ...gone, contact_id: kept }]],
      [1, [{ ...first, contact_id: kept }, second]],
    ] as const)
      assert.deepEqual(await get(`/meetings/${meetings[index].id}`), changed(meetings[index], { participants }))
    assert.deepEqual(await get(`/meetings/${meetings[2].id}`), meetings[2])
    assert.deepEqual(await get(`/conversations/${own.id}`), changed(own, { contact_id: kept }))
    for (const one of [thirds, given]) assert.deepEqual(await get(`/conversations/${one.id}`), one)
    for (const message of [said[0], said[2]])
      assert.deepEqual(
        await get(`/messages/${message.id}`),
        changed(message, { author: { ...message.author, id: kept } }),
      )
    assert.deepEqual(await get(`/messages/${said[1].id}`), said[1])
    assert.deepEqual([(await membersOf(inBoth)).sort(), await membersOf(inOne)], [[kept, third].sort(), [kept]])
    assert.deepEqual(await get(`/lists/${inBoth}`), changed(lists[0], { member_count: 2 }))
    assert.deepEqual(await get(`/lists/${inOne}`), changed(lists[1], { member_count: 1 }))
    assert.deepEqual(eventsFrom(seq), [
      'deal.updated primary_contact_id',
      'note.updated contact_ids',
      'note.updated contact_ids',
      'task.updated contact_ids',
      'meeting.updated participants',
      'meeting.updated participants',
      'conversation.updated contact_id', // messages keep who wrote them, as known then: that only the id differs is not told
      'list.updated member_count',
      'list.updated member_count',
      'contact.deleted',
    ])
    assert.equal((await get(`/contacts/${kept}`)).version, 1) // two that were alike but for their names
  })

  test('moves the contact of a closed deal as well, and its history stays', async () => {
    const { a, contact, make, get, merge, call, db } = fixture
    const [kept, merged] = [await contact(), await contact()]
    const deal = await make('/deals', { title: 'Rollout', primary_contact_id: merged.id })
    await call('POST', `/deals/${deal.id}/close`, { reason_id: a.reasons.won })
    const history = () => db.prepare('SELECT * FROM deal_stage_history WHERE deal_id = ?').all(deal.id)
    const before = history()
    assert.equal(before.length, 1)
    merge('contact', kept, merged)
    const now = await get(`/deals/${deal.id}`)
    assert.deepEqual([now.primary_contact_id, now.status], [kept.id, 'won'])
    assert.deepEqual(history(), before)
  })
})

describe('choices', () => {
  test('take the value of the other, also where it is empty', async () => {
    const { contact, customField, merge, get } = fixture
    for (const key of ['tier', 'level']) await customField('contact', key)
    const kept = await contact({
      first_name: 'Ana',
      last_name: 'Lind',
      job_title: 'Buyer',
      source: 'fair',
      external_id: 'c1',
      custom_fields: { tier: 'A', level: 'low' },
    })
    const merged = await contact({
      first_name: 'Anna',
      last_name: 'Lindt',
      job_title: 'Head',
      external_id: 'c2',
      custom_fields: { tier: 'B', level: 'high' },
    })
    merge('contact', kept, merged, ['first_name', 'source', 'external_id', 'custom_fields.level'])
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual([now.name, now.job_title, now.source, now.external_id], ['Anna Lind', 'Buyer', null, 'c2'])
    assert.deepEqual(now.custom_fields, { level: 'high', tier: 'A' })
  })

  test('of the kept record leave what it has, also nothing; and of the other, also a custom field that it has not', async () => {
    const { contact, company, customField, merge, get } = fixture
    for (const key of ['colour', 'size']) await customField('contact', key)
    const firm = (await company()).id
    const kept = await contact({ first_name: 'Ana', last_name: null, custom_fields: { size: 'L' } })
    const merged = await contact({
      first_name: 'Anna',
      last_name: 'Lind',
      job_title: 'Head',
      company_id: firm,
      phones: [{ number: '030 1234' }],
      custom_fields: { colour: 'red' },
    })
    const own = ['last_name', 'company_id', 'custom_fields.colour', 'phones']
    merge('contact', kept, merged, ['custom_fields.size'], own)
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual([now.name, now.job_title, now.company_id, now.custom_fields], ['Ana', 'Head', null, {}])
    assert.equal(now.phones.length, 1, 'what belongs to both is of both')
  })

  test('of the kept company leave its currency with its revenue, and its place in the hierarchy', async () => {
    const { company, merge, get } = fixture
    const above = await company()
    const [kept, merged] = [
      await company({ currency: 'EUR' }),
      await company({ annual_revenue: 5, currency: 'USD', parent_company_id: above.id }),
    ]
    merge('company', kept, merged, [], ['annual_revenue', 'parent_company_id'])
    const now = await get(`/companies/${kept.id}`)
    assert.deepEqual([now.annual_revenue, now.currency, now.parent_company_id], [null, 'EUR', null])
  })

  test('put the items of the other first in sets, and its members in an address', async () => {
    const { contact, tag, merge, get } = fixture
    const [one, other] = [await tag(), await tag()]
    const kept = await contact({
      emails: [{ email: 'k@choice.example' }],
      tag_ids: [one],
      address: { city: 'Berlin', region: 'Berlin' },
    })
    const merged = await contact({
      emails: [{ email: 'm@choice.example' }],
      tag_ids: [other],
      address: { city: 'Bonn' },
    })
    merge('contact', kept, merged, ['emails', 'tag_ids', 'address'])
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual(now.emails, [
      { email: 'm@choice.example', label: 'work', is_primary: true },
      { email: 'k@choice.example', label: 'work', is_primary: false },
    ])
    assert.deepEqual(now.tag_ids, [other, one])
    assert.deepEqual([now.address.city, now.address.region], ['Bonn', 'Berlin'])
  })

  test('the name of a company may be one; its contacts are found by it then', async () => {
    const { company, contact, merge, get } = fixture
    const [kept, merged] = [await company({ name: 'Chosennot' }), await company({ name: 'Chosen' })]
    const people = [await contact({ company_id: kept.id }), await contact({ company_id: merged.id })]
    merge('company', kept, merged, ['name'])
    assert.equal((await get(`/companies/${kept.id}`)).name, 'Chosen')
    const found = (await get('/contacts?q=chosen')).data.map(({ id }: Row) => id)
    assert.deepEqual(found.sort(), people.map(({ id }) => id).sort())
    assert.deepEqual((await get('/contacts?q=chosennot')).data, [])
  })
})

describe('a merge of companies', () => {
  test('unites their fields, and points contacts, deals, branches, notes, tasks, meetings, conversations and lists to the one', async () => {
    const { company, contact, make, hear, get, merge, isGone, staticList, membersOf, lastSeq } = fixture
    const kept = await company({ domains: ['k.example'], employee_count: 0, description: '' })
    const merged = await company({
      name: 'Quux',
      domains: ['m.example', 'n.example'],
      website: 'https://m.example',
      phone: '030 999 111',
      industry: 'Logistics',
      employee_count: 7,
      annual_revenue: 1000.5,
      currency: 'USD',
      description: 'Big',
      external_id: 'm',
    })
    const person = await contact({ company_id: merged.id })
    const deal = await make('/deals', { title: 'x', company_id: merged.id })
    const branch = await company({ parent_company_id: merged.id })
    const note = await make('/notes', { body: 'x', company_ids: [merged.id, kept.id] })
    const task = await make('/tasks', { title: 'x', company_ids: [merged.id] })
    const meeting = await make('/meetings', { title: 'x', ...TIMES, company_id: merged.id })
    const { conversation_id } = await hear({ contact_id: person.id })
    const list = await staticList('company', [merged.id])
    const seq = lastSeq()
    merge('company', kept, merged)
    assert.deepEqual(await get(`/companies/${kept.id}`), {
      ...merged,
      ...kept,
      domains: ['k.example', 'm.example', 'n.example'],
      website: 'https://m.example',
      phone: '030 999 111',
      industry: 'Logistics',
      annual_revenue: 1000.5,
      currency: 'USD',
      description: 'Big',
      external_id: 'm',
      updated_at: new Date(fixture.now()).toISOString(),
      version: 2,
    })
    assert.ok(await isGone(`/companies/${merged.id}`))
    assert.equal((await get(`/contacts/${person.id}`)).company_id, kept.id)
    assert.equal((await get(`/deals/${deal.id}`)).company_id, kept.id)
    assert.equal((await get(`/companies/${branch.id}`)).parent_company_id, kept.id)
    assert.deepEqual((await get(`/notes/${note.id}`)).company_ids, [kept.id])
    assert.deepEqual((await get(`/tasks/${task.id}`)).company_ids, [kept.id])
    assert.equal((await get(`/meetings/${meeting.id}`)).company_id, kept.id)
    assert.equal((await get(`/conversations/${conversation_id}`)).company_id, kept.id)
    assert.deepEqual(await membersOf(list), [kept.id])
    assert.deepEqual((await get('/contacts?q=quux')).data, []) // found by the name of the company that they are of
    assert.deepEqual(
      (await get('/companies?domain=n.example')).data.map(({ id }: Row) => id),
      [kept.id],
    )
    assert.deepEqual(eventsFrom(seq), [
      'company.updated domains website phone industry annual_revenue currency description external_id',
      'company.updated parent_company_id',
      'contact.updated company_id',
      'deal.updated company_id',
      'note.updated company_ids',
      'task.updated company_ids',
      'meeting.updated company_id',
      'conversation.updated company_id',
      'list.updated member_count',
      'company.deleted',
    ])
  })

  test('an amount comes with its currency', async () => {
    const { company, merge, get } = fixture
    const cases: [object, object, string[], (number | string | null)[]][] = [
      [{ currency: 'EUR' }, { annual_revenue: 5, currency: 'USD' }, [], [5, 'USD']],
      [{ currency: 'EUR' }, { annual_revenue: 5 }, [], [5, null]],
      [{ annual_revenue: 0 }, { annual_revenue: 5, currency: 'USD' }, [], [0, null]],
      [{}, { currency: 'USD' }, [], [null, 'USD']],
      [{ currency: 'EUR' }, { currency: 'USD' }, [], [null, 'EUR']],
      [{ annual_revenue: 3, currency: 'EUR' }, { annual_revenue: 5, currency: 'USD' }, ['annual_revenue'], [5, 'USD']],
      [{ annual_revenue: 3, currency: 'EUR' }, { annual_revenue: 5, currency: 'USD' }, ['currency'], [3, 'USD']],
    ]
    for (const [own, others, choices, expected] of cases) {
      const [kept, merged] = [await company({ ...own }), await company({ ...others })]
      merge('company', kept, merged, choices)
      const { annual_revenue, currency } = await get(`/companies/${kept.id}`)
      assert.deepEqual([annual_revenue, currency], expected)
    }
  })

  describe('never leaves a circle', () => {
    /** Creates companies below each other, the first one on top. */
    const line = async (length: number): Promise<string[]> => {
      const ids: string[] = []
      for (let level = 0; level < length; level++) {
        const above = ids.at(-1) === undefined ? {} : { parent_company_id: ids.at(-1) }
        ids.push((await fixture.company(above)).id)
      }
      return ids
    }
    const parentOf = async (id: string | undefined) => (await fixture.get(`/companies/${id}`)).parent_company_id

    test('when one is merged into the one below: that takes its place', async () => {
      const [top, merged = '', kept = '', below] = await line(4)
      fixture.merge('company', kept, merged)
      assert.deepEqual([await parentOf(kept), await parentOf(below)], [top, kept])
    })

    test('when one is merged into the one above', async () => {
      const [top, kept = '', merged = '', below] = await line(4)
      fixture.merge('company', kept, merged)
      assert.deepEqual([await parentOf(kept), await parentOf(below)], [top, kept])
    })

    test('when one at the top is merged into the one below', async () => {
      const [merged = '', kept = ''] = await line(2)
      fixture.merge('company', kept, merged)
      assert.equal(await parentOf(kept), null)
    })

    test('when one is merged into one further below: what was between them stands below it', async () => {
      const [top, merged = '', between, kept = '', below] = await line(5)
      fixture.merge('company', kept, merged)
      assert.deepEqual([await parentOf(kept), await parentOf(between), await parentOf(below)], [top, kept, kept])
    })

    test('when one at the top takes over one further below', async () => {
      const [kept = '', between, merged = '', below] = await line(4)
      fixture.merge('company', kept, merged)
      assert.deepEqual([await parentOf(kept), await parentOf(between), await parentOf(below)], [null, kept, kept])
    })

    test('when the parent is chosen that stands below', async () => {
      const [top, kept = '', between, merged = ''] = await line(4)
      fixture.merge('company', kept, merged, ['parent_company_id'])
      assert.deepEqual([await parentOf(kept), await parentOf(between)], [top, kept])
    })

    test('and fills the parent where there is none, or keeps its own', async () => {
      const [top = '', merged = ''] = await line(2)
      const [other = '', kept = ''] = await line(2)
      const lone = (await fixture.company()).id
      fixture.merge('company', kept, merged)
      assert.equal(await parentOf(kept), other)
      fixture.merge('company', lone, kept)
      assert.equal(await parentOf(lone), other)
      assert.equal(await parentOf(top), null)
    })
  })
})

describe('a merge is refused', () => {
  test('for a record that is not there or of another organisation, with the same answer, and for one and the same', async () => {
    const { b, contact, company, call, merge, lastSeq, dump } = fixture
    const { id } = await contact()
    const foreign = (await call('POST', '/contacts', { last_name: 'X' }, { token: b.token })).body.id
    const [seq, before] = [lastSeq(), dump()]
    const gone = { status: 404, code: 'not_found', errors: undefined }
    for (const other of [foreign, UNKNOWN, (await company()).id]) {
      assert.deepEqual(
        refusal(() => merge('contact', id, other)),
        gone,
      )
      assert.deepEqual(
        refusal(() => merge('contact', other, id)),
        gone,
      )
    }
    assert.deepEqual(
      refusal(() => merge('contact', id, id)),
      {
        status: 422,
        code: 'invalid_fields',
        errors: ['/merged_id same_record'],
      },
    )
    assert.deepEqual(
      refusal(() => merge('contact', UNKNOWN, UNKNOWN)),
      gone,
    )
    assert.equal(lastSeq(), seq + 1)
    assert.deepEqual(dump().contacts, before.contacts)
  })

  test('for choices that are none', async () => {
    const { contact, company, customField, merge, lastSeq } = fixture
    await customField('contact', 'mine')
    const [kept, merged] = [await contact({ custom_fields: { mine: 'x' } }), await contact()]
    const seq = lastSeq()
    const bad = [
      'id',
      'created_at',
      'updated_at',
      'version',
      'name',
      'do_not_contact',
      'unsubscribed_at',
      'custom_fields',
      'x',
      'constructor',
      'custom_fields.nobodys',
    ]
    assert.deepEqual(
      refusal(() => merge('contact', kept, merged, ['job_title', ...bad])),
      {
        status: 422,
        code: 'invalid_fields',
        errors: bad.map((_, index) => `/choices/${index + 1} unknown_choice`),
      },
    )
    assert.equal(lastSeq(), seq)
    assert.deepEqual(
      refusal(() => merge('contact', kept, merged, ['job_title'], ['source', 'id', 'job_title'])).errors,
      ['/kept_choices/1 unknown_choice', '/kept_choices/2 contradiction'],
    )
    const companies = [await company(), await company()]
    assert.deepEqual(refusal(() => merge('company', companies[0], companies[1], ['emails'])).errors, [
      '/choices/0 unknown_choice',
    ])
  })

  test('for more items than a record may have, and for too much in custom fields', async () => {
    const { contact, customField, merge, lastSeq } = fixture
    const emails = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ email: `e${from + index}@many.example` }))
    const kept = await contact({ emails: emails(0, 600) })
    const [many, few] = [await contact({ emails: emails(600, 401) }), await contact({ emails: emails(2000, 400) })]
    const seq = lastSeq()
    assert.deepEqual(refusal(() => merge('contact', kept, many)).errors, ['/emails too_many'])
    assert.equal(lastSeq(), seq)
    merge('contact', kept, few)
    for (let at = 0; at < 5; at++) await customField('contact', `long${at}`)
    const long = 'x'.repeat(60_000)
    const one = await contact({ custom_fields: { long0: long, long1: long, long2: long } })
    const other = await contact({ custom_fields: { long3: long, long4: long } })
    assert.deepEqual(refusal(() => merge('contact', one, other)).errors, ['/custom_fields too_long'])
  })
})

test('every reference to a record with links is known, or goes with it', () => {
  const { db } = fixture
  const moved = Object.values(LINKS).flatMap((links) => links.map(({ table, column }) => `${table}.${column}`))
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  const references = tables.flatMap((table) =>
    (db.pragma(`foreign_key_list(${table})`) as Row[])
      .filter((each) => ['contacts', 'companies', 'deals', 'meetings'].includes(each.table) && each.from !== 'org_id')
      .filter(({ on_delete }) => on_delete !== 'CASCADE')
      .map(({ from }) => `${table}.${from}`),
  )
  references.push('messages.author_id') // a contact or a member
  assert.deepEqual(references.sort(), moved.sort())
})

test('merges are found one by one and listed, the latest first', async () => {
  const { contact, company, merge, merges, who, b } = fixture
  const [kept, one, two] = [await contact(), await contact(), await contact()]
  const first = merge('contact', kept, one)
  const second = merge('contact', kept, two)
  const third = merge('company', await company(), await company())
  assert.deepEqual(merges.find(who, first.id), first)
  assert.deepEqual(merges.list(who, { limit: 3 }), [third, second, first])
  assert.deepEqual(merges.list(who, { of: ['contact', kept.id] }), [second, first])
  assert.deepEqual(merges.list(who, { of: ['company', kept.id] }), [])
  assert.deepEqual(merges.list(who, { limit: 1, below: second.id }), [first])
  assert.deepEqual(merges.list(who, { of: ['contact', kept.id], below: second.id }), [first])
  assert.deepEqual(merges.list({ org: b.org, member: null }), [])
  assert.equal(refusal(() => merges.find({ org: b.org, member: null }, first.id)).status, 404)
  assert.equal(refusal(() => merges.find(who, UNKNOWN)).status, 404)
})
