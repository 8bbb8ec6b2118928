import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { binStore } from '../../../src/cleanup/bin/bin.ts'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
import { type Given, type Row, UNKNOWN } from '../../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
  await app.newRecord('/custom-fields', { object: 'contact', key: 'old', label: 'Old', type: 'text' })
  await app.newRecord('/custom-fields', {
    object: 'contact',
    key: 'code',
    label: 'Code',
    type: 'text',
    is_unique: true,
  })
})
after(() => app.stop())

const remove = async (path: string) => assert.equal((await app.call('DELETE', path)).status, 204)
const newest = async (): Promise<Row> => (await app.ok('member', 'GET', '/bin?limit=1')).data[0]
const restore = async (): Promise<Row> => app.ok('member', 'POST', `/bin/${(await newest()).event_id}/restore`)
const without = ({ updated_at, version, ...rest }: Row): Row => rest

describe('a deleted record', () => {
  test('comes back with its id, its fields, its links, its lists and what referred to it', async () => {
    const tag = await app.newRecord('/tags', { name: 'Gold' })
    const company = await app.newCompany()
    const contact = await app.newContact({
      emails: [{ email: 'r@example.com' }],
      tag_ids: [tag.id],
      company_id: company.id,
      custom_fields: { old: 'archived', code: 'A1' },
    })
    const other = await app.newContact()
    const list = await app.newRecord('/lists', { name: 'L', object: 'contact', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: [contact.id] })
    const deal = await app.newDeal({ primary_contact_id: contact.id })
    const changed = await app.newDeal({ primary_contact_id: contact.id })
    const note = await app.newRecord('/notes', { body: 'N', contact_ids: [contact.id, other.id] })
    const task = await app.newRecord('/tasks', { title: 'T', contact_ids: [contact.id] })
    const at = new Date(app.now())
    const meeting = await app.newRecord('/meetings', {
      title: 'M',
      starts_at: at.toISOString(),
      ends_at: new Date(app.now() + 1000).toISOString(),
      participants: [{ contact_id: contact.id }],
    })
    const conversation = insertConversation(app.store, app.a.org, { contact_id: contact.id })
    const message = await app.newRecord('/messages', {
      direction: 'inbound',
      body_text: 'Hello',
      conversation_id: conversation,
    })
    const field = (await app.getRecord('/custom-fields')).data.find(({ key }: Row) => key === 'old')
    await app.patchRecord(`/custom-fields/${field.id}`, { is_archived: true })
    const stored = await app.getRecord(`/contacts/${contact.id}`)
    await remove(`/contacts/${contact.id}`)
    await app.patchRecord(`/deals/${changed.id}`, { primary_contact_id: other.id })
    const { event_id, record, deleted_by } = await newest()
    assert.deepEqual([record, deleted_by], [{ kind: 'contacts', id: contact.id, title: 'Ruiz' }, app.a.owner])

    const seq = app.lastSeq()
    const answer = await app.ok('other', 'POST', `/bin/${event_id}/restore`)
    assert.deepEqual(answer.record, { kind: 'contacts', id: contact.id, version: stored.version + 1 })
    assert.deepEqual(answer.left, [{ object: 'deal', id: changed.id, field: 'primary_contact_id', reason: 'changed' }])
    const back = await app.getRecord(`/contacts/${contact.id}`)
    assert.deepEqual(without(back), without(stored))
    const [created] = app.events(seq)
    assert.deepEqual([created?.type, created?.object, created?.actor], ['contact.created', back, app.ids.other])
    assert.deepEqual(answer.event, { id: answer.event.id, seq: seq + 1 })
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).primary_contact_id, contact.id)
    assert.deepEqual(
      (await app.getRecord(`/notes/${note.id}`)).contact_ids.toSorted(),
      [contact.id, other.id].toSorted(),
    )
    assert.deepEqual((await app.getRecord(`/tasks/${task.id}`)).contact_ids, [contact.id])
    assert.equal((await app.getRecord(`/meetings/${meeting.id}`)).participants[0].contact_id, contact.id)
    assert.equal((await app.getRecord(`/conversations/${conversation}`)).contact_id, contact.id)
    assert.equal((await app.getRecord(`/messages/${message.id}`)).author.id, contact.id)
    assert.deepEqual(await app.listIds(`/contacts?list_id=${list.id}`), [contact.id])
    assert.deepEqual(await app.listIds(`/contacts?tag_id=${tag.id}`), [contact.id])
    assert.deepEqual(
      await app.listIds('/contacts?q=ruiz&sort=created_at').then((ids) => ids.includes(contact.id)),
      true,
    )
    await app.patchRecord(`/custom-fields/${field.id}`, { is_archived: false })
    assert.equal((await app.getRecord(`/contacts/${contact.id}`)).custom_fields.old, 'archived')
    assert.deepEqual(app.store.db.pragma('foreign_key_check'), [])
    assert.equal((await app.ask('member', 'POST', `/bin/${event_id}/restore`)).body.code, 'not_in_bin')
  })

  test('comes back without what another record has now, or what is gone', async () => {
    const owner = await app.newCompany()
    const tag = await app.newRecord('/tags', { name: 'Short' })
    const contact = await app.newContact({
      external_id: 'X1',
      custom_fields: { code: 'B1' },
      company_id: owner.id,
      tag_ids: [tag.id],
    })
    const list = await app.newRecord('/lists', { name: 'L2', object: 'contact', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: [contact.id] })
    await remove(`/contacts/${contact.id}`)
    const { event_id } = await newest()
    const rival = await app.newContact({ external_id: 'X1', custom_fields: { code: 'B1' } })
    for (const path of [`/companies/${owner.id}`, `/tags/${tag.id}`, `/lists/${list.id}`]) await remove(path)
    const { left } = await app.ok('member', 'POST', `/bin/${event_id}/restore`)
    assert.deepEqual(left.map(({ field, reason, other }: Row) => [field, reason, other]).toSorted(), [
      ['company_id', 'deleted', undefined],
      ['custom_fields.code', 'taken', rival.id],
      ['external_id', 'taken', rival.id],
      ['members', 'deleted', undefined],
      ['tag_ids', 'deleted', undefined],
    ])
    const back = await app.getRecord(`/contacts/${contact.id}`)
    assert.deepEqual([back.company_id, back.external_id, back.custom_fields, back.tag_ids], [null, null, {}, []])
  })

  test('comes back as a deal without the external id that another deal has now', async () => {
    const deal = await app.newDeal({ external_id: 'D1', originally_created_at: '2019-04-01T08:30:00.000Z' })
    await app.ok('member', 'DELETE', `/deals/${deal.id}`)
    const { event_id } = await newest()
    const rival = await app.newDeal({ external_id: 'D1' })
    const { left } = await app.ok('member', 'POST', `/bin/${event_id}/restore`)
    assert.deepEqual(left, [{ object: 'deal', id: deal.id, field: 'external_id', reason: 'taken', other: rival.id }])
    const back = await app.getRecord(`/deals/${deal.id}`)
    assert.deepEqual([back.external_id, back.originally_created_at], [null, deal.originally_created_at])
  })

  test('may be a company, a note, a task or a meeting', async () => {
    const parent = await app.newCompany()
    const company = await app.newCompany({ domains: ['n.example'], parent_company_id: parent.id })
    const child = await app.newCompany({ name: 'Child', parent_company_id: company.id })
    const contact = await app.newContact({ company_id: company.id })
    const links: Given = { contact_ids: [contact.id], company_ids: [company.id] }
    const meeting = await app.newRecord('/meetings', {
      title: 'M',
      starts_at: '2026-11-20T09:00:00Z',
      ends_at: '2026-11-20T10:00:00Z',
      company_id: company.id,
    })
    const note = await app.newRecord('/notes', { body: 'N', ...links, meeting_id: meeting.id })
    const task = await app.newRecord('/tasks', { title: 'T', due_at: '2026-11-20T09:00:00Z', ...links })
    for (const path of [
      `/notes/${note.id}`,
      `/tasks/${task.id}`,
      `/meetings/${meeting.id}`,
      `/companies/${company.id}`,
    ]) {
      const stored = await app.getRecord(path)
      await remove(path)
      assert.equal((await app.call('GET', path)).status, 404)
      assert.deepEqual((await restore()).left, [], path)
      assert.deepEqual(without(await app.getRecord(path)), without(stored), path)
    }
    assert.equal((await app.getRecord(`/companies/${child.id}`)).parent_company_id, company.id)
    assert.equal((await app.getRecord(`/contacts/${contact.id}`)).company_id, company.id)
    assert.equal((await app.getRecord(`/meetings/${meeting.id}`)).company_id, company.id)
    assert.deepEqual((await app.getRecord(`/notes/${note.id}`)).company_ids, [company.id])
    assert.equal((await app.getRecord(`/notes/${note.id}`)).meeting_id, meeting.id)
  })

  test('may be a deal, which only the screens delete, with its stages', async () => {
    const contact = await app.newContact()
    const deal = await app.newDeal({ primary_contact_id: contact.id, amount: 5 })
    const task = await app.newRecord('/tasks', { title: 'T', deal_ids: [deal.id] })
    const note = await app.newRecord('/notes', { body: 'T', deal_ids: [deal.id] })
    await app.patchRecord(`/deals/${deal.id}`, { stage: app.a.stages.demo })
    const stages = () =>
      app.store.db.prepare('SELECT * FROM deal_stage_history WHERE deal_id = ? ORDER BY deal_version').all(deal.id)
    const [stored, moves] = [await app.getRecord(`/deals/${deal.id}`), stages()]
    assert.equal(moves.length, 1)
    assert.equal((await app.call('DELETE', `/deals/${deal.id}`)).status, 405)
    assert.equal((await app.ask('viewer', 'DELETE', `/deals/${deal.id}`)).status, 403)
    await app.ok('member', 'DELETE', `/deals/${deal.id}`)
    assert.deepEqual((await app.getRecord(`/tasks/${task.id}`)).deal_ids, [])
    assert.deepEqual((await app.getRecord(`/notes/${note.id}`)).deal_ids, [])
    assert.deepEqual((await restore()).left, [])
    assert.deepEqual(without(await app.getRecord(`/deals/${deal.id}`)), without(stored))
    assert.deepEqual(stages(), moves)
    assert.deepEqual((await app.getRecord(`/tasks/${task.id}`)).deal_ids, [deal.id])
    assert.deepEqual((await app.getRecord(`/notes/${note.id}`)).deal_ids, [deal.id])
  })
})

test('a deal whose stage is gone stays in the bin, and says why', async () => {
  const deal = await app.newDeal()
  await app.ok('member', 'DELETE', `/deals/${deal.id}`)
  const { event_id } = await newest()
  const change = (stage: string) =>
    app.store.db
      .prepare("UPDATE bin SET record = json_set(record, '$.stage', ?) WHERE record_id = ?")
      .run(stage, deal.id)
  change(UNKNOWN)
  const { status, body } = await app.ask('member', 'POST', `/bin/${event_id}/restore`)
  assert.deepEqual([status, body.code, body.field], [409, 'reference_gone', 'stage'])
  change(deal.stage)
  assert.equal((await restore()).record.id, deal.id)
})

describe('the bin', () => {
  test('is read in pages, by members of the organisation', async () => {
    for (let at = 0; at < 5; at++) await remove(`/contacts/${(await app.newContact()).id}`)
    const all: string[] = []
    let cursor = ''
    do {
      const page = await app.ok('member', 'GET', `/bin?limit=2${cursor}`)
      assert.ok(page.data.length === 2 || (page.data.length === 1 && page.next_cursor === null))
      all.push(...page.data.map(({ event_id }: Row) => event_id))
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
    } while (cursor)
    assert.ok(all.length >= 5)
    assert.deepEqual(all, all.toSorted().toReversed())
    const whole = await app.ok('member', 'GET', '/bin?limit=100')
    assert.deepEqual([whole.data.map(({ event_id }: Row) => event_id), whole.next_cursor], [all, null])
    assert.equal((await app.ok('member', 'GET', `/bin?limit=${all.length}`)).next_cursor, null)
    const tags = await app.newContact()
    await remove(`/contacts/${tags.id}`)
    assert.equal((await app.ok('member', 'GET', '/bin')).data.length, all.length + 1)
    assert.deepEqual((await app.ok('stranger', 'GET', '/bin')).data, [])
    assert.equal((await app.ask('viewer', 'GET', '/bin')).status, 403)
    const { event_id } = await newest()
    assert.equal((await app.ask('viewer', 'POST', `/bin/${event_id}/restore`)).status, 403)
    assert.equal((await app.ask('stranger', 'POST', `/bin/${event_id}/restore`)).body.code, 'not_in_bin')
    assert.equal((await app.ask('member', 'POST', `/bin/${UNKNOWN}/restore`)).status, 409)
  })

  test('has no record that a merge removed, nor what a job deleted', async () => {
    const before = (await newest()).event_id
    const [one, other, third] = [await app.newContact(), await app.newContact(), await app.newContact()]
    const system = { org: app.a.org, member: null }
    app.store.transaction(() => {
      mergeStore(app.deps).merge({ org: app.a.org, member: app.a.owner }, 'contact', one.id, other.id)
    })
    const routes = app.routes.find(({ path, method }) => path === '/contacts/:id' && method === 'delete') as Row
    app.store.transaction(() => void routes.run({ who: system, record: third, flags: {}, body: {} }))
    assert.equal((await newest()).event_id, before)
  })

  test('is filtered by kind, and searched by the words of titles, emails and domains', async () => {
    const names = async (query: string): Promise<string[]> =>
      (await app.ok('member', 'GET', `/bin?limit=100&${query}`)).data.map(({ record }: Row) => record.title)
    const [zoe, firm] = [
      await app.newContact({ first_name: 'Zoë', last_name: 'Quist', emails: [{ email: 'z.quist@harbour.example' }] }),
      await app.newCompany({ name: 'Quist & Søn', domains: ['quist.example'] }),
    ]
    const note = await app.newRecord('/notes', { body: 'Ask Quist', contact_ids: [zoe.id] })
    for (const path of [`/notes/${note.id}`, `/contacts/${zoe.id}`, `/companies/${firm.id}`]) await remove(path)
    assert.deepEqual(await names('q=quist'), ['Quist & Søn', 'Zoë Quist', 'Ask Quist'])
    assert.deepEqual(await names('q=zoe%20qui'), ['Zoë Quist'])
    assert.deepEqual(await names('q=harbour.ex'), ['Zoë Quist'])
    assert.deepEqual(await names('q=son'), ['Quist & Søn'])
    assert.deepEqual(await names('q=quist&kind=notes'), ['Ask Quist'])
    assert.equal((await names('kind=companies'))[0], 'Quist & Søn')
    assert.deepEqual(await names('q=nobody'), [])
    assert.equal((await app.ask('member', 'GET', '/bin?kind=tags')).status, 400)
    assert.equal((await app.ask('member', 'GET', `/bin?q=${'x'.repeat(256)}`)).status, 400)
    const first = await app.ok('member', 'GET', '/bin?q=quist&limit=2')
    const rest = await app.ok('member', 'GET', `/bin?q=quist&limit=2&cursor=${first.next_cursor}`)
    assert.deepEqual(
      [...first.data, ...rest.data].map(({ record }: Row) => record.title),
      ['Quist & Søn', 'Zoë Quist', 'Ask Quist'],
    )
    assert.equal(rest.next_cursor, null)
  })

  test('searches many records a part at a time', async () => {
    const wanted = await app.newContact({ last_name: 'Needlework' })
    await remove(`/contacts/${wanted.id}`)
    const [{ event_id }] = (await app.ok('member', 'GET', '/bin?q=needlework')).data
    const row = app.store.db.prepare('SELECT * FROM bin WHERE event_id = ?').get(event_id) as Row
    const columns = Object.keys(row)
    const insert = app.store.db.prepare(`INSERT INTO bin (${columns}) VALUES (${columns.map((name) => `@${name}`)})`)
    app.store.transaction(() => {
      for (let n = 0; n < 2000; n++) {
        const id = app.deps.clock.id()
        insert.run({ ...row, event_id: id, record_id: id, title: 'Hay', record: '{}', kept: '{"links":[]}' })
      }
    })
    const first = await app.ok('member', 'GET', '/bin?q=needlework')
    assert.deepEqual(first.data, [])
    const second = await app.ok('member', 'GET', `/bin?q=needlework&cursor=${first.next_cursor}`)
    assert.deepEqual([second.data[0].record.id, second.next_cursor], [wanted.id, null])
    app.store.db.prepare("DELETE FROM bin WHERE title = 'Hay'").run()
  })

  test('says beforehand what a restore brings, what it leaves, and what refuses it', async () => {
    const company = await app.newCompany({ domains: ['told.example'] })
    const contact = await app.newContact({
      external_id: 'T1',
      company_id: company.id,
      emails: [{ email: 'told@example.com' }],
    })
    const list = await app.newRecord('/lists', { name: 'T', object: 'contact', kind: 'static' })
    await app.call('POST', `/lists/${list.id}/members`, { add_ids: [contact.id] })
    const [deal, taken] = [
      await app.newDeal({ primary_contact_id: contact.id }),
      await app.newDeal({ primary_contact_id: contact.id }),
    ]
    const notes = []
    for (const body of ['a', 'b', 'c']) notes.push(await app.newRecord('/notes', { body, contact_ids: [contact.id] }))
    await app.newRecord('/tasks', { title: 'T', contact_ids: [contact.id] })
    await remove(`/contacts/${contact.id}`)
    assert.deepEqual((await newest()).brings, { deals: 2, notes: 3, tasks: 1, lists: 1 })
    const rival = await app.newContact({ external_id: 'T1', emails: [{ email: 'told@example.com' }] })
    await app.patchRecord(`/deals/${taken.id}`, { primary_contact_id: rival.id })
    for (const path of [`/lists/${list.id}`, `/notes/${notes[0]?.id}`, `/companies/${company.id}`]) await remove(path)
    const seq = app.lastSeq()
    const { brings, left, refusal, event_id } = (await app.ok('member', 'GET', '/bin?kind=contacts&limit=1')).data[0]
    assert.deepEqual([brings, refusal], [{ deals: 1, notes: 2, tasks: 1 }, null])
    assert.deepEqual(left.map(({ field, reason, other }: Row) => [field, reason, other]).toSorted(), [
      ['company_id', 'deleted', undefined],
      ['emails', 'shared', rival.id],
      ['external_id', 'taken', rival.id],
      ['members', 'deleted', undefined],
    ])
    assert.equal(app.lastSeq(), seq)
    const restored = await app.ok('member', 'POST', `/bin/${event_id}/restore`)
    assert.deepEqual(restored.brought, brings)
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).primary_contact_id, contact.id)

    const stuck = await app.newDeal()
    await app.ok('member', 'DELETE', `/deals/${stuck.id}`)
    app.store.db
      .prepare("UPDATE bin SET record = json_set(record, '$.stage', ?) WHERE record_id = ?")
      .run(UNKNOWN, stuck.id)
    const shown = await newest()
    assert.deepEqual([shown.refusal.code, shown.refusal.field, shown.brings], ['reference_gone', 'stage', {}])
  })

  test('gives records back for 30 days, and not a day longer', async () => {
    const [contact, other] = [await app.newContact(), await app.newContact()]
    for (const { id } of [contact, other]) await remove(`/contacts/${id}`)
    const page = await app.ok('member', 'GET', '/bin?limit=2')
    const [second, first] = page.data
    assert.equal(Date.parse(first.kept_until) - Date.parse(first.deleted_at), 30 * DAY_MS)
    await app.pass(29 * DAY_MS)
    assert.equal((await newest()).event_id, second.event_id)
    await app.ok('member', 'POST', `/bin/${first.event_id}/restore`)
    await app.pass(2 * DAY_MS)
    assert.deepEqual((await app.ok('member', 'GET', '/bin')).data, [])
    assert.deepEqual((await app.ok('member', 'GET', '/bin?q=ruiz')).data, [])
    const { status, body } = await app.ask('member', 'POST', `/bin/${second.event_id}/restore`)
    assert.deepEqual([status, body.code], [409, 'not_in_bin'])
    assert.equal((await app.ok('viewer', 'GET', `/whereabouts?contact_id=${other.id}`)).deleted, null)
  })

  test('forgets a record after 30 days', async () => {
    const contact = await app.newContact()
    await remove(`/contacts/${contact.id}`)
    const count = () => app.store.db.prepare('SELECT count(*) FROM bin').pluck().get()
    app.store.db.prepare('DELETE FROM bin WHERE at < ?').run(app.now() - DAY_MS)
    const now = count()
    app.advance(30 * DAY_MS)
    app.store.transaction(() => void binStore(app.deps).purgeOld())
    assert.equal(count(), now)
    app.advance(1)
    app.store.transaction(() => void binStore(app.deps).purgeOld())
    assert.equal(count(), 0)
  })
})
