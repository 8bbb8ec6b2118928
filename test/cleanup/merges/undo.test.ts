import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { type Row, UNKNOWN } from '../../support/records.ts'
import { assertSound, type MergeFixture, mergeFixture, refusal, TIMES } from './merge-fixture.ts'

let fixture: MergeFixture
before(async () => {
  fixture = await mergeFixture()
})
afterEach(() => assertSound(fixture))
after(() => fixture.stop())

const eventsFrom = (seq: number): string[] =>
  fixture.events(seq).map(({ type, changed_fields }) => [type, ...changed_fields].join(' '))

/** What was left behind, without the records that it is about. */
const left = (undone: { left: Row[] }): string[] =>
  undone.left.map(({ object, field, reason }) => `${object} ${field} ${reason}`)

/** One more member, who can be removed. */
function newMember(): string {
  const id = fixture.deps.clock.id()
  const values = `'${id}@x.example', role, status, timezone, created_at, updated_at, version`
  const sql = `INSERT INTO members SELECT org_id, ?, name, ${values} FROM members WHERE id = ?`
  fixture.db.prepare(sql).run(id, fixture.a.owner)
  return id
}

/** Two contacts with everything on them that there is. */
async function fullContacts() {
  const { a, contact, company, customField, make, hear, patch, staticList, tag } = fixture
  const suffix = Math.random().toString(36).slice(2)
  const [badge, old] = [`badge_${suffix}`, `old_${suffix}`]
  await customField('contact', badge, { is_unique: true })
  const oldId = await customField('contact', old, { is_unique: true })
  const [tags, employer] = [[await tag(), await tag(), await tag()], (await company()).id]
  const kept = await contact({
    first_name: 'Ana',
    last_name: null,
    emails: [{ email: `ana@${suffix}.example` }],
    tag_ids: [tags[0], tags[1]],
    address: { city: 'Berlin' },
    do_not_contact: false,
  })
  const merged = await contact({
    first_name: 'Anna',
    last_name: 'Lind',
    emails: [{ email: `anna@${suffix}.example` }],
    phones: [{ number: '+49 30 1234' }],
    job_title: 'Head',
    company_id: employer,
    owner_id: a.owner,
    tag_ids: [tags[2], tags[1]],
    address: { line1: 'Weg 1', country: 'DE' },
    do_not_contact: true,
    external_id: suffix,
    custom_fields: { [badge]: 'B1', [old]: 'O1' },
  })
  await patch(`/custom-fields/${oldId}`, { is_archived: true })
  const third = (await contact()).id
  const ids = { kept: kept.id, merged: merged.id, third }
  const deal = (await make('/deals', { title: 'x', primary_contact_id: ids.merged })).id
  await make('/notes', { body: 'x', contact_ids: [third, ids.merged] })
  await make('/notes', { body: 'x', contact_ids: [ids.merged, third, ids.kept] })
  await make('/tasks', { title: 'x', contact_ids: [ids.merged] })
  const both = [ids.merged, third, ids.kept].map((contact_id) => ({ contact_id }))
  await make('/meetings', { title: 'x', ...TIMES, participants: both.slice(0, 2) })
  await make('/meetings', { title: 'x', ...TIMES, participants: both })
  const { conversation_id } = await hear({ contact_id: ids.merged })
  await make('/messages', { conversation_id, direction: 'outbound', body_text: 'x' })
  const thirds = await hear({ contact_id: third })
  await hear({ conversation_id: thirds.conversation_id, from: { email: `anna@${suffix}.example` } })
  await hear({ conversation_id: thirds.conversation_id, from: { email: `ana@${suffix}.example` } })
  const lists = [await staticList('contact', [ids.kept, ids.merged]), await staticList('contact', [ids.merged])]
  return { ...ids, deal, lists, badge }
}

describe('undoing a merge at once', () => {
  test('of contacts gives back every row of every table', async () => {
    const { merge, undo, dump, get, lastSeq, events, merges, who, now } = fixture
    const all = await fullContacts()
    const [before, merged] = [dump(), await get(`/contacts/${all.merged}`)]
    const done = merge('contact', all.kept, all.merged)
    assert.notDeepEqual(dump(), before)
    const seq = lastSeq()
    const undone = undo(done)
    assert.deepEqual(undone, { merge: { ...done, undone_at: new Date(now()).toISOString() }, left: [] })
    assert.deepEqual(merges.find(who, done.id), undone.merge)
    assert.deepEqual(dump(), before)

    const back = await get(`/contacts/${all.merged}`)
    assert.deepEqual(back, { ...merged, updated_at: new Date(now()).toISOString(), version: merged.version + 1 })
    const changed =
      'contact.updated last_name name emails phones job_title company_id owner_id tag_ids address do_not_contact external_id custom_fields'
    assert.deepEqual(eventsFrom(seq), [
      'contact.created',
      'deal.updated primary_contact_id',
      'note.updated contact_ids',
      'note.updated contact_ids',
      'task.updated contact_ids',
      'meeting.updated participants',
      'meeting.updated participants',
      'conversation.updated contact_id',
      'list.updated member_count',
      'list.updated member_count',
      changed,
    ])
    const [created] = events(seq)
    assert.equal(JSON.stringify(created?.object), JSON.stringify(back))
    assert.equal(created?.actor, who.member)
    assert.equal((await get(`/contacts/${all.kept}`)).version, 3)
    assert.equal((await get(`/lists/${all.lists[0]}`)).version, 4) // filled, and two changes
    const choices = ['emails', 'tag_ids', 'address', 'first_name', 'external_id', `custom_fields.${all.badge}`]
    assert.deepEqual(undo(merge('contact', all.kept, all.merged, choices)).left, [])
    assert.deepEqual(dump(), before)
  })

  test('of companies gives back every row of every table, however they stood to each other', async () => {
    const { company, contact, make, hear, customField, staticList, merge, undo, dump } = fixture
    await customField('company', 'vat', { is_unique: true })
    let at = 0
    const line = async (length: number): Promise<string[]> => {
      const ids: string[] = []
      for (let level = 0; level < length; level++) {
        const name = `line${++at}`
        const above = ids.at(-1) === undefined ? {} : { parent_company_id: ids.at(-1) }
        const given = { name, domains: [`${name}.example`], external_id: name, custom_fields: { vat: name }, ...above }
        const { id } = await company({ ...given, website: `https://www.${name}.example`, description: 'x' })
        ids.push(id)
        const person = await contact({ company_id: id })
        await make('/deals', { title: 'x', company_id: id, primary_contact_id: person.id })
        await make('/notes', { body: 'x', company_ids: ids })
        await make('/tasks', { title: 'x', company_ids: [...ids].reverse() })
        await make('/meetings', { title: 'x', ...TIMES, company_id: id })
        await hear({ contact_id: person.id })
      }
      await staticList('company', ids)
      return ids
    }
    for (const [kept, merged] of [
      [0, 1],
      [1, 0],
      [2, 1],
      [1, 2],
      [3, 0],
      [0, 3],
      [3, 1],
      [1, 3],
    ] as const) {
      const ids = await line(4)
      const before = dump()
      for (const choices of [[], ['parent_company_id'], ['name', 'domains', 'external_id', 'custom_fields.vat']]) {
        const done = merge('company', ids[kept], ids[merged], choices)
        assertSound(fixture)
        assert.deepEqual(undo(done).left, [])
        assert.deepEqual(dump(), before, `${kept} ${merged} ${choices}`)
      }
    }
  })

  test('of records without anything in common gives back those', async () => {
    const { contact, merge, undo, dump } = fixture
    const [kept, merged] = [
      await contact(),
      await contact({ emails: [{ email: 'only@one.example' }], last_name: null }),
    ]
    const before = dump()
    assert.deepEqual(undo(merge('contact', kept, merged)).left, [])
    assert.deepEqual(dump(), before)
  })
})

describe('undoing is refused', () => {
  test('for a merge that is not there, and for one that was undone', async () => {
    const { contact, merge, undo, merges, who, b, lastSeq, db } = fixture
    const done = merge('contact', await contact(), await contact())
    assert.deepEqual(
      refusal(() => undo(UNKNOWN)),
      { status: 404, code: 'not_found', errors: undefined },
    )
    assert.equal(refusal(() => merges.undo({ org: b.org, member: null }, done.id)).status, 404)
    undo(done)
    const seq = lastSeq()
    assert.deepEqual(
      refusal(() => undo(done)),
      { status: 409, code: 'undone_already', errors: undefined },
    )
    assert.equal(lastSeq(), seq)
    assert.equal(db.prepare('SELECT undo FROM merges WHERE id = ?').pluck().get(done.id), '{}')
    assert.equal(merges.find(who, done.id).undone_at !== null, true)
  })

  test('while the record that stayed is part of a third one; backwards, everything comes back', async () => {
    const { contact, make, merge, undo, dump, lastSeq } = fixture
    const [first, second, third] = [
      await contact({ emails: [{ email: 'one@chain.example' }], job_title: 'One' }),
      await contact({ emails: [{ email: 'two@chain.example' }] }),
      await contact({ source: 'third' }),
    ]
    for (const { id } of [first, second, third]) {
      await make('/deals', { title: 'x', primary_contact_id: id })
      await make('/notes', { body: 'x', contact_ids: [id, third.id] })
      await make('/notes', { body: 'x', contact_ids: [id, first.id, second.id] })
    }
    const states = [dump()]
    const one = merge('contact', second, first)
    states.push(dump())
    const two = merge('contact', third, second)
    const seq = lastSeq()
    assert.deepEqual(
      refusal(() => undo(one)),
      { status: 409, code: 'merged_further', errors: undefined, merge_id: two.id },
    )
    assert.equal(lastSeq(), seq)
    assert.deepEqual(undo(two).left, [])
    assert.deepEqual(dump(), states[1])
    assert.deepEqual(undo(one).left, [])
    assert.deepEqual(dump(), states[0])
  })

  test('while another one that was merged into the same record since is not undone', async () => {
    const { contact, make, merge, undo, dump } = fixture
    const [kept, first, second] = [await contact(), await contact({ source: 'a' }), await contact({ source: 'b' })]
    await make('/notes', { body: 'x', contact_ids: [first.id, second.id] })
    const before = dump()
    const one = merge('contact', kept, first)
    const two = merge('contact', kept, second)
    assert.deepEqual(
      refusal(() => undo(one)),
      { status: 409, code: 'later_merge', errors: undefined, merge_id: two.id },
    )
    undo(two)
    undo(one)
    assert.deepEqual(dump(), before)
  })
})

describe('what was changed since a merge', () => {
  test('stays in the fields of the kept record, and is named', async () => {
    const { contact, customField, merge, undo, patch, get } = fixture
    for (const key of ['tier', 'level', 'gone']) await customField('contact', key)
    const kept = await contact({ external_id: 'changed' })
    const merged = await contact({
      first_name: 'Anna',
      job_title: 'Head',
      source: 'fair',
      address: { city: 'Bonn' },
      custom_fields: { tier: 'A', level: 'low', gone: 'x' },
    })
    const done = merge('contact', kept, merged)
    const given = { job_title: 'Boss', source: null, timezone: 'Europe/Rome', address: { region: 'NRW' } }
    await patch(`/contacts/${kept.id}`, { ...given, custom_fields: { level: 'high', gone: null } })
    assert.deepEqual(left(undo(done)), [
      'contact job_title changed',
      'contact address changed',
      'contact custom_fields.level changed',
    ])
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual([now.first_name, now.job_title, now.source, now.timezone], [null, 'Boss', null, 'Europe/Rome'])
    assert.deepEqual([now.name, now.address.city, now.custom_fields], [kept.name, 'Bonn', { level: 'high' }])
    assert.deepEqual((await get(`/contacts/${merged.id}`)).custom_fields, merged.custom_fields)
  })

  test('stays in sets, but the items that came with the merge go', async () => {
    const { contact, company, tag, merge, undo, patch, get } = fixture
    const [one, two, three] = [await tag(), await tag(), await tag()]
    const kept = await contact({ emails: [{ email: 'k@set.example' }], tag_ids: [one] })
    const merged = await contact({
      emails: [{ email: 'm@set.example' }],
      phones: [{ number: '12345' }],
      tag_ids: [two, one],
    })
    const done = merge('contact', kept, merged)
    await patch(`/contacts/${kept.id}`, {
      emails: [{ email: 'K@set.example' }, { email: 'M@set.example', is_primary: true }, { email: 'new@set.example' }],
      tag_ids: [three, two, one],
    })
    assert.deepEqual(left(undo(done)), [])
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual(now.emails, [
      { email: 'K@set.example', label: 'work', is_primary: true },
      { email: 'new@set.example', label: 'work', is_primary: false },
    ])
    assert.deepEqual([now.tag_ids, now.phones], [[three, one], []])
    assert.deepEqual((await get(`/contacts/${merged.id}`)).tag_ids, [two, one])

    const [firm, other] = [await company({ domains: ['a.set.example'] }), await company({ domains: ['b.set.example'] })]
    const both = merge('company', firm, other)
    await patch(`/companies/${firm.id}`, { domains: ['b.set.example', 'c.set.example'] })
    assert.deepEqual(left(undo(both)), [])
    assert.deepEqual((await get(`/companies/${firm.id}`)).domains, ['c.set.example'])
    assert.deepEqual((await get(`/companies/${other.id}`)).domains, ['b.set.example'])
  })

  test('stays with an amount and its currency together', async () => {
    const { company, merge, undo, patch, get } = fixture
    const [kept, merged] = [
      await company({ currency: 'EUR' }),
      await company({ annual_revenue: 1000, currency: 'USD' }),
    ]
    const done = merge('company', kept, merged)
    await patch(`/companies/${kept.id}`, { annual_revenue: 2000 })
    assert.deepEqual(left(undo(done)), ['company annual_revenue changed', 'company currency changed'])
    const { annual_revenue, currency } = await get(`/companies/${kept.id}`)
    assert.deepEqual([annual_revenue, currency], [2000, 'USD'])
  })

  test('never leaves a contact without a name, an email and a phone', async () => {
    const { contact, merge, undo, patch, get } = fixture
    const kept = await contact({ last_name: 'Ruiz' })
    const merged = await contact({ last_name: null, emails: [{ email: 'needed@x.example' }], job_title: 'Head' })
    const done = merge('contact', kept, merged)
    await patch(`/contacts/${kept.id}`, { last_name: null })
    const undone = undo(done)
    assert.deepEqual(left(undone), ['contact emails needed'])
    assert.equal(undone.left[0]?.id, kept.id)
    const now = await get(`/contacts/${kept.id}`)
    assert.deepEqual([now.name, now.job_title], ['needed@x.example', null])
    assert.equal((await get(`/contacts/${merged.id}`)).name, 'needed@x.example')
  })

  test('stays where a link was pointed elsewhere, and what was closed moves back closed', async () => {
    const { a, contact, make, merge, undo, patch, remove, call, get } = fixture
    const [kept, merged, third] = [(await contact()).id, (await contact()).id, (await contact()).id]
    const deal = async () => (await make('/deals', { title: 'x', primary_contact_id: merged })).id
    const note = async (contact_ids: string[]) => (await make('/notes', { body: 'x', contact_ids })).id
    const [elsewhere, cleared, closed] = [await deal(), await deal(), await deal()]
    const [without, removed] = [await note([merged, third]), await note([merged])]
    const [more, both] = [await note([merged, third]), await note([kept, merged])]
    const done = merge('contact', kept, merged)
    await patch(`/deals/${elsewhere}`, { primary_contact_id: third })
    await patch(`/deals/${cleared}`, { primary_contact_id: null })
    await call('POST', `/deals/${closed}/close`, { reason_id: a.reasons.lost })
    await patch(`/notes/${without}`, { contact_ids: [third] })
    await remove(`/notes/${removed}`)
    await patch(`/notes/${more}`, { contact_ids: [third, kept], body: 'y' })
    await patch(`/notes/${both}`, { contact_ids: [kept, third] })
    const undone = undo(done)
    const places = undone.left.map(({ object, id, field, reason }) => ({ object, id, field, reason }))
    const primary = { object: 'deal', field: 'primary_contact_id', reason: 'changed' }
    assert.deepEqual(places, [
      { ...primary, id: elsewhere },
      { ...primary, id: cleared },
      { object: 'note', id: without, field: 'contact_ids', reason: 'changed' },
      { object: 'note', id: removed, field: 'contact_ids', reason: 'deleted' },
    ])
    const contactOf = async (id: string) => (await get(`/deals/${id}`)).primary_contact_id
    assert.deepEqual(
      [await contactOf(elsewhere), await contactOf(cleared), await contactOf(closed)],
      [third, null, merged],
    )
    assert.equal((await get(`/deals/${closed}`)).status, 'lost')
    const idsOf = async (id: string) => (await get(`/notes/${id}`)).contact_ids
    assert.deepEqual(
      [await idsOf(without), await idsOf(more), await idsOf(both)],
      [[third], [third, merged], [kept, third, merged]],
    )
  })

  test('stays in meetings: who was taken out is not put in again, and who was put in stays', async () => {
    const { contact, make, merge, undo, patch, remove, get } = fixture
    const reached = (email: string) => contact({ emails: [{ email: `${email}@meet.example` }] })
    const [kept, merged, third] = [await reached('kept'), await reached('merged'), await reached('third')]
    const meeting = async (...people: Row[]): Promise<Row> =>
      make('/meetings', { title: 'x', ...TIMES, participants: people.map(({ id }) => ({ contact_id: id })) })
    const [without, removed] = [await meeting(merged, third), await meeting(merged)]
    const [more, keptFirst, mergedFirst] = [
      await meeting(merged),
      await meeting(kept, merged),
      await meeting(merged, kept),
    ]
    const again = await meeting(kept, merged)
    const done = merge('contact', kept, merged)
    const now = async ({ id }: Row): Promise<Row[]> => (await get(`/meetings/${id}`)).participants
    const change = async (meeting: Row, job: (participants: Row[]) => Row[]): Promise<void> =>
      void (await patch(`/meetings/${meeting.id}`, { participants: job(await now(meeting)) }))
    const own = { contact_id: third.id, response: 'accepted' }
    await change(without, ([_, other]) => [other])
    await remove(`/meetings/${removed.id}`)
    await change(more, (all) => [own, ...all])
    await change(keptFirst, (all) => [...all, own])
    await change(mergedFirst, (all) => [...all, own])
    await change(again, (all) => [...all, { email: 'new@meet.example' }])
    const places = undo(done).left.map(({ object, id, field, reason }) => [object, id, field, reason])
    assert.deepEqual(places, [
      ['meeting', without.id, 'participants', 'changed'],
      ['meeting', removed.id, 'participants', 'deleted'],
    ])
    const peopleIn = async (meeting: Row) => (await now(meeting)).map(({ contact_id, email }) => [contact_id, email])
    const [k, m, t] = [kept, merged, third].map(({ id, emails }) => [id, emails[0].email])
    assert.deepEqual(await peopleIn(without), [t])
    assert.deepEqual(await peopleIn(more), [t, m])
    assert.deepEqual(await peopleIn(keptFirst), [k, t, m])
    assert.deepEqual(await peopleIn(mergedFirst), [m, t, k])
    assert.deepEqual(await peopleIn(again), [k, [null, 'new@meet.example'], m])
    assertSound(fixture)
  })

  test('stays in conversations: one that was given to somebody else is not given back', async () => {
    const { contact, hear, merge, undo, patch, get } = fixture
    const [kept, merged, third] = [await contact(), await contact(), await contact()]
    const [stays, given] = [await hear({ contact_id: merged.id }), await hear({ contact_id: merged.id })]
    const done = merge('contact', kept, merged)
    await patch(`/conversations/${given.conversation_id}`, { contact_id: third.id, status: 'closed' })
    const later = await hear({ conversation_id: stays.conversation_id })
    assert.equal(later.author.id, kept.id)
    assert.deepEqual(
      undo(done).left.map(({ object, id, field, reason }) => [object, id, field, reason]),
      [['conversation', given.conversation_id, 'contact_id', 'changed']],
    )
    const contactOf = async ({ conversation_id }: Row) => (await get(`/conversations/${conversation_id}`)).contact_id
    assert.deepEqual([await contactOf(stays), await contactOf(given)], [merged.id, third.id])
    const authorOf = async ({ id }: Row) => (await get(`/messages/${id}`)).author.id
    assert.deepEqual(
      [await authorOf(stays), await authorOf(given), await authorOf(later)],
      [merged.id, merged.id, kept.id],
    )
    assertSound(fixture)
  })

  test('gives a meeting nobody twice: who has come with the email since is the one', async () => {
    const { contact, make, merge, undo, db, get } = fixture
    const kept = await contact({ emails: [{ email: 'kept@again.example' }] })
    const merged = await contact({ emails: [{ email: 'merged@again.example' }] })
    const people = [kept, merged].map(({ id }) => ({ contact_id: id }))
    const { id } = await make('/meetings', { title: 'x', ...TIMES, participants: people })
    const done = merge('contact', kept, merged)
    const participants = [...(await get(`/meetings/${id}`)).participants]
    // Known by the email alone, as after the deletion of a contact.
    const stranger = { ...participants[0], contact_id: null, email: 'Merged@again.example' }
    participants.push(stranger)
    db.prepare('UPDATE meetings SET participants = ? WHERE id = ?').run(JSON.stringify(participants), id)
    assert.deepEqual(undo(done).left, [])
    const both = [participants[0], { ...stranger, contact_id: merged.id }]
    assert.deepEqual((await get(`/meetings/${id}`)).participants, both)
  })

  test('stays where new links were made', async () => {
    const { contact, make, merge, undo, get } = fixture
    const [kept, merged] = [await contact(), await contact()]
    const done = merge('contact', kept, merged)
    const deal = await make('/deals', { title: 'x', primary_contact_id: kept.id })
    undo(done)
    assert.deepEqual(await get(`/deals/${deal.id}`), deal)
  })

  test('stays in static lists: who was taken out is not put in again', async () => {
    const { contact, staticList, membersOf, merge, undo, call, remove, get } = fixture
    const [kept, merged] = [(await contact()).id, (await contact()).id]
    const [out, gone, joined, both] = [
      await staticList('contact', [merged]),
      await staticList('contact', [merged]),
      await staticList('contact', [merged]),
      await staticList('contact', [merged, kept]),
    ]
    const done = merge('contact', kept, merged)
    await call('POST', `/lists/${out}/members`, { remove_ids: [kept] })
    await remove(`/lists/${gone}`)
    const undone = undo(done)
    assert.deepEqual(
      undone.left.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      [
        { object: 'list', id: out, field: 'members', reason: 'changed' },
        { object: 'list', id: gone, field: 'members', reason: 'deleted' },
      ],
    )
    assert.deepEqual([await membersOf(out), await membersOf(joined)], [[], [merged]])
    assert.deepEqual((await membersOf(both)).sort(), [kept, merged])
    assert.equal((await get(`/lists/${joined}`)).member_count, 1)
  })
})

describe('what the merged record cannot have any more', () => {
  test('an email that another contact has by now is shared, which is named', async () => {
    const { contact, merge, undo, patch, get } = fixture
    const [kept, merged] = [await contact(), await contact({ emails: [{ email: 'given@away.example' }] })]
    const done = merge('contact', kept, merged)
    await patch(`/contacts/${kept.id}`, { emails: [] })
    const third = await contact({ emails: [{ email: 'Given@away.example' }] })
    assert.deepEqual(undo(done).left, [
      { object: 'contact', id: merged.id, field: 'emails', reason: 'shared', other: third.id },
    ])
    assert.deepEqual((await get(`/contacts/${merged.id}`)).emails, merged.emails)
    // The kept one has shared its own all along.
    const body = { emails: [{ email: 'given@away.example' }] }
    const sharer = (await fixture.call('POST', '/contacts?allow_duplicate=true', body)).body
    assert.deepEqual(undo(merge('contact', sharer, await contact({ emails: [{ email: 'x@away.example' }] }))).left, [])
    await fixture.remove(`/contacts/${sharer.id}`)
    const sharers = (await get('/contacts?email=given@away.example')).data.map(({ id }: Row) => id)
    assert.deepEqual(sharers.sort(), [merged.id, third.id])
  })

  test('what no two records may have stays with the one that has it by now', async () => {
    const { contact, company, customField, merge, undo, patch, get } = fixture
    for (const object of ['contact', 'company']) await customField(object, 'uid', { is_unique: true })
    const values = { external_id: 'taken', custom_fields: { uid: 'U1' } }
    const cleared = { external_id: null, custom_fields: { uid: null } }
    const [kept, merged] = [await contact(), await contact(values)]
    const done = merge('contact', kept, merged)
    await patch(`/contacts/${kept.id}`, cleared)
    const third = await contact({ ...values, custom_fields: { uid: 'u1' } })
    const about = { object: 'contact', id: merged.id, reason: 'taken', other: third.id }
    assert.deepEqual(undo(done).left, [
      { ...about, field: 'external_id' },
      { ...about, field: 'custom_fields.uid' },
    ])
    const now = await get(`/contacts/${merged.id}`)
    assert.deepEqual([now.external_id, now.custom_fields], [null, {}])

    const [firm, other] = [
      await company(),
      await company({ domains: ['x.taken.example', 'y.taken.example'], ...values }),
    ]
    const second = merge('company', firm, other)
    await patch(`/companies/${firm.id}`, { domains: ['x.taken.example'], ...cleared })
    const owner = await company({ domains: ['y.taken.example'], ...values })
    const taken = undo(second).left.filter(({ reason }) => reason === 'taken')
    const where = { object: 'company', id: other.id, reason: 'taken', other: owner.id }
    assert.deepEqual(
      taken,
      ['domains', 'external_id', 'custom_fields.uid'].map((field) => ({ ...where, field })),
    )
    assert.deepEqual((await get(`/companies/${other.id}`)).domains, ['x.taken.example'])
    assert.deepEqual((await get(`/companies/${firm.id}`)).domains, [])
  })

  test('what the kept record has got since by hand stays with that', async () => {
    const { company, customField, merge, undo, patch, get } = fixture
    const field = await customField('company', 'hand')
    const kept = await company({ external_id: 'own', custom_fields: { hand: 'x' } })
    const merged = await company({ domains: ['hand.example'], external_id: 'other', custom_fields: { hand: 'X' } })
    const done = merge('company', kept, merged)
    await patch(`/companies/${kept.id}`, { external_id: 'other' })
    await patch(`/custom-fields/${field}`, { is_unique: true })
    const about = { object: 'company', id: merged.id, reason: 'taken', other: kept.id }
    assert.deepEqual(undo(done).left, [
      { ...about, field: 'external_id' },
      { ...about, field: 'custom_fields.hand' },
    ])
    assert.equal((await get(`/companies/${kept.id}`)).external_id, 'other')
    assert.deepEqual((await get(`/companies/${merged.id}`)).domains, ['hand.example'])
  })

  test('what the kept record had before and another one has by now is lost for it', async () => {
    const { contact, customField, merge, undo, get } = fixture
    await customField('contact', 'slot', { is_unique: true })
    const kept = await contact({ external_id: 'mine', custom_fields: { slot: 'S1' } })
    const merged = await contact({ external_id: 'yours', custom_fields: { slot: 'S2' } })
    const done = merge('contact', kept, merged, ['external_id', 'custom_fields.slot'])
    const third = await contact({ external_id: 'mine', custom_fields: { slot: 's1' } })
    const about = { object: 'contact', id: kept.id, reason: 'taken', other: third.id }
    assert.deepEqual(undo(done).left, [
      { ...about, field: 'external_id' },
      { ...about, field: 'custom_fields.slot' },
    ])
    const [one, other] = [await get(`/contacts/${kept.id}`), await get(`/contacts/${merged.id}`)]
    assert.deepEqual([one.external_id, one.custom_fields], [null, {}])
    assert.deepEqual([other.external_id, other.custom_fields], ['yours', { slot: 'S2' }])
  })

  test('references to what is gone are empty; a company that was merged is the one that it became', async () => {
    const { contact, company, tag, merge, undo, remove, get, db, a } = fixture
    const [gone, became, firm] = [await company(), await company(), await company()]
    const tags = [await tag(), await tag()]
    const member = newMember()
    const [kept, other] = [await contact({ company_id: firm.id, owner_id: a.owner }), await contact()]
    const merged = await contact({ company_id: gone.id, owner_id: member, tag_ids: tags })
    const moved = await contact({ company_id: became.id })
    const one = merge('contact', kept, merged)
    const two = merge('contact', other, moved)
    undo(merge('company', firm, gone))
    const further = await company()
    merge('company', firm, became)
    merge('company', further, firm)
    await remove(`/companies/${gone.id}`)
    await remove(`/tags/${tags[0]}`)
    db.prepare('DELETE FROM members WHERE id = ?').run(member)
    const about = { object: 'contact', id: merged.id, reason: 'deleted' }
    assert.deepEqual(undo(one).left, [
      { ...about, field: 'company_id' },
      { ...about, field: 'owner_id' },
      { ...about, field: 'tag_ids' },
    ])
    const now = await get(`/contacts/${merged.id}`)
    assert.deepEqual([now.company_id, now.owner_id, now.tag_ids], [null, null, [tags[1]]])
    assert.deepEqual(left(undo(two)), [])
    assert.equal((await get(`/contacts/${moved.id}`)).company_id, further.id)
    assert.equal((await get(`/contacts/${other.id}`)).company_id, null)
  })

  test('values follow their custom fields: archived, active again, deleted, without their option', async () => {
    const { contact, customField, merge, undo, patch, remove, get } = fixture
    const options = (...values: string[]) => values.map((value) => ({ value, label: value }))
    const [hidden, shown] = [await customField('contact', 'hidden'), await customField('contact', 'shown')]
    const [lost, choice] = [
      await customField('contact', 'lost'),
      await customField('contact', 'choice', { type: 'select', options: options('a', 'b') }),
    ]
    await customField('contact', 'who', { type: 'member' })
    const [member, another] = [newMember(), newMember()]
    const kept = await contact({
      custom_fields: { hidden: 'k', shown: 'k', lost: 'k', choice: 'b', who: another },
    })
    const merged = await contact({ custom_fields: { hidden: 'm', shown: 'm', lost: 'm', choice: 'a', who: member } })
    await patch(`/custom-fields/${shown}`, { is_archived: true })
    const done = merge('contact', kept, merged, ['custom_fields.hidden'])
    await patch(`/custom-fields/${shown}`, { is_archived: false })
    await patch(`/custom-fields/${hidden}`, { is_archived: true })
    await patch(`/contacts/${kept.id}`, { custom_fields: { lost: null } })
    await remove(`/custom-fields/${lost}`)
    await patch(`/custom-fields/${choice}`, { options: options('b') })
    fixture.db.prepare('DELETE FROM members WHERE id IN (?, ?)').run(member, another)
    assert.deepEqual(left(undo(done)), [
      'contact custom_fields.choice invalid',
      'contact custom_fields.lost deleted',
      'contact custom_fields.who deleted',
    ])
    const valuesOf = async ({ id }: Row) => (await get(`/contacts/${id}`)).custom_fields
    assert.deepEqual(
      [await valuesOf(kept), await valuesOf(merged)],
      [{ choice: 'b', shown: 'k', who: another }, { shown: 'm' }], // what it has, it keeps
    )
    await patch(`/custom-fields/${hidden}`, { is_archived: false })
    assert.deepEqual([(await valuesOf(kept)).hidden, (await valuesOf(merged)).hidden], ['k', 'm'])
  })
})

describe('when the kept record was deleted since', () => {
  test('the merged one comes back alone, and what the deletion has cleared stays so', async () => {
    const { merge, undo, remove, get, isGone } = fixture
    const all = await fullContacts()
    const before = await get(`/contacts/${all.merged}`)
    const done = merge('contact', all.kept, all.merged)
    await remove(`/contacts/${all.kept}`)
    assert.deepEqual(left(undo(done)).sort(), [
      'conversation contact_id changed',
      'deal primary_contact_id changed',
      'list members changed',
      'list members changed',
      'meeting participants changed',
      'meeting participants changed',
      'message author_id changed',
      'message author_id changed',
      'note contact_ids changed',
      'note contact_ids changed',
      'task contact_ids changed',
    ])
    const now = await get(`/contacts/${all.merged}`)
    assert.deepEqual(now, { ...before, version: before.version + 1, updated_at: now.updated_at })
    assert.equal((await get(`/deals/${all.deal}`)).primary_contact_id, null)
    assert.ok(await isGone(`/contacts/${all.kept}`))
  })

  test('after it had been part of a third one for a while, the merged one comes back alone as well', async () => {
    const { contact, merge, undo, remove, get } = fixture
    const [first, second, third] = [await contact(), await contact(), await contact()]
    const one = merge('contact', second, first)
    undo(merge('contact', third, second))
    await remove(`/contacts/${second.id}`)
    undo(one)
    assert.equal((await get(`/contacts/${first.id}`)).name, first.name)
  })

  test('after it had become part of a third one, each comes back in its turn', async () => {
    const { contact, merge, undo, remove, get } = fixture
    const [first, second, third] = [await contact({ source: 'a' }), await contact(), await contact()]
    const one = merge('contact', second, first)
    const two = merge('contact', third, second)
    await remove(`/contacts/${third.id}`)
    assert.equal(refusal(() => undo(one)).merge_id, two.id)
    undo(two)
    undo(one)
    assert.deepEqual(
      [(await get(`/contacts/${first.id}`)).source, (await get(`/contacts/${second.id}`)).source],
      ['a', null],
    )
  })
})

describe('companies that come apart', () => {
  test('never stand in a circle: what would make one stays as it is', async () => {
    const { company, merge, undo, patch, get } = fixture
    const parentOf = async ({ id }: Row) => (await get(`/companies/${id}`)).parent_company_id
    const below = (id?: string) => company(id ? { parent_company_id: id } : {})
    // A branch of the merged one above its parent.
    const top = await below()
    const merged = await below(top.id)
    const branch = await below(merged.id)
    const kept = await below()
    const done = merge('company', kept, merged)
    await patch(`/companies/${kept.id}`, { parent_company_id: null })
    await patch(`/companies/${top.id}`, { parent_company_id: branch.id })
    assert.deepEqual(left(undo(done)), ['company parent_company_id cycle'])
    assert.deepEqual(
      [await parentOf(merged), await parentOf(branch), await parentOf(top)],
      [top.id, kept.id, branch.id],
    )
    // The old parent of the kept one below it.
    const old = await below()
    const [first, second] = [await below(old.id), await below(top.id)]
    const chosen = merge('company', first, second, ['parent_company_id'])
    assert.equal(await parentOf(first), top.id)
    await patch(`/companies/${old.id}`, { parent_company_id: first.id })
    const undone = undo(chosen)
    assert.deepEqual(undone.left, [{ object: 'company', id: first.id, field: 'parent_company_id', reason: 'cycle' }])
    assert.equal(await parentOf(first), top.id)
    // The old parent of the kept one gone.
    const gone = await below()
    const [third, fourth] = [await below(gone.id), await below(top.id)]
    const another = merge('company', third, fourth, ['parent_company_id'])
    await fixture.remove(`/companies/${gone.id}`)
    assert.deepEqual(left(undo(another)), ['company parent_company_id deleted'])
    assert.equal(await parentOf(third), null)
  })
})
