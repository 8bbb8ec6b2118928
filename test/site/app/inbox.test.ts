import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { random } from '../../../src/demo/story/random.ts'
import { mailboxStore } from '../../../src/inbox/mailboxes/mailboxes.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { deskOf, person } from '../../support/desk.ts'
import { inboxOf } from '../../support/inbox.ts'
import { belongs } from '../../support/inbox-views.ts'
import { setMailboxes } from '../../support/mailbox.ts'
import { idsOf, type Row } from '../../support/records.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { setLevels } from '../../support/settings.ts'

// The list of the inbox and its counts.

const MINUTE = 60_000
const policy = {
  key: 'usual',
  name: 'Usual',
  hours: null,
  match: { field: 'priority', op: 'ne', value: 'low' },
  pause_on: ['pending'],
  targets: {
    normal: { first_response_s: 3600, next_response_s: 1800 },
    high: { first_response_s: 600 },
    urgent: { resolution_s: 60 },
  },
}

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  setLevels(app.store, app.a.org, { sla: [policy] })
})
after(() => app.stop())
beforeEach(async () => {
  await app.pass(0)
  for (const { id } of (await rows('owner', 'sort=due')).data) await inbox.patch(id, { status: 'closed' })
})

const rows = (person: Person, query: string): Promise<Row> => app.ok(person, 'GET', `/rows/conversations?${query}`)
const counts = (person: Person): Promise<Row> => app.ok(person, 'GET', '/inbox/counts')
const listed = async (person: Person, view: string): Promise<string[]> =>
  idsOf((await rows(person, `view=${view}&sort=due&limit=100`)).data)

test('who is due first stands first, then who waits without a target, then the newest messages, then the closed', async () => {
  const closed = await inbox.opened()
  await inbox.patch(closed.id, { status: 'closed' })
  const later = await inbox.opened()
  const sooner = await inbox.opened()
  await inbox.patch(sooner.id, { priority: 'high' })
  const free = await inbox.opened()
  await inbox.patch(free.id, { priority: 'low' })
  app.advance(MINUTE)
  const freeLater = await inbox.opened()
  await inbox.patch(freeLater.id, { priority: 'low' })
  const paused = await inbox.opened()
  await inbox.patch(paused.id, { status: 'pending' })
  app.advance(MINUTE)
  const [answered, answeredLater] = [await inbox.opened(), await inbox.opened()]
  await inbox.say('outbound', answered.id)
  app.advance(MINUTE)
  await inbox.say('outbound', answeredLater.id)
  const all = (await rows('viewer', 'sort=due&created_at[gte]=2000-01-01T00:00:00Z')).data as Row[]
  const mine = [sooner, later, free, freeLater, paused, answeredLater, answered, closed].map(({ id }) => id)
  assert.deepEqual(
    idsOf(all).filter((id: string) => mine.includes(id)),
    mine,
  )
  // A next response is due before a first one that has an hour.
  await inbox.say('inbound', answered.id)
  const open = await listed('viewer', 'open')
  assert.deepEqual(open.slice(0, 3), [sooner.id, answered.id, later.id])
})

test('a page goes on where the one before it ended, also in the middle', async () => {
  for (let number = 0; number < 7; number += 1) await inbox.opened()
  const all = await listed('viewer', 'open')
  const first = await rows('viewer', 'view=open&sort=due&limit=3')
  const second = await rows('viewer', `view=open&sort=due&limit=3&cursor=${first.next_cursor}`)
  assert.deepEqual([...idsOf(first.data), ...idsOf(second.data)], all.slice(0, 6))
  const skipped = await rows('viewer', 'view=open&sort=due&limit=2&skip=4&count=true')
  assert.deepEqual([idsOf(skipped.data), skipped.total], [all.slice(4, 6), 7])
})

test('a view of mine is that of whoever asks, and other organisations see nothing', async () => {
  const taken = await inbox.opened()
  await inbox.patch(taken.id, { owner_id: app.ids.member })
  assert.deepEqual(await listed('member', 'mine'), [taken.id])
  assert.deepEqual(await listed('other', 'mine'), [])
  assert.deepEqual(await listed('stranger', 'open'), [])
  assert.deepEqual((await counts('stranger')).open, 0)
  const { status, body } = await app.ask('viewer', 'GET', '/rows/conversations?view=nothing')
  assert.deepEqual([status, body.code], [400, 'invalid_query'])
})

test("what one has begun to write is in the view of one's own drafts, whatever became of the conversation", async () => {
  const [reply, note, closed] = [await inbox.opened(), await inbox.opened(), await inbox.opened()]
  const begin = (key: string, person: Person = 'member') =>
    app.ok(person, 'PUT', `/drafts/${key}`, { body: { text: 'Hello' } })
  assert.deepEqual([await listed('member', 'drafts'), (await counts('member')).drafts], [[], 0])
  await begin(`reply:conversations:${reply.id}`)
  await begin(`inbox-note:conversations:${reply.id}`)
  await begin(`inbox-note:conversations:${note.id}`)
  await begin(`reply:conversations:${closed.id}`)
  await begin(`note:contacts:${note.contact_id}`)
  await begin(`reply:conversations:${note.id}`, 'other')
  await inbox.patch(closed.id, { status: 'closed' })
  const mine = [reply.id, note.id, closed.id].sort()
  assert.deepEqual((await listed('member', 'drafts')).sort(), mine)
  assert.deepEqual([(await counts('member')).drafts, (await counts('other')).drafts], [3, 1])
  await app.ask('member', 'DELETE', `/drafts/reply:conversations:${closed.id}`, undefined, { 'If-Match': '*' })
  assert.deepEqual((await counts('member')).drafts, 2)
})

test('a snooze hides a conversation from the lists of work, and not from what is at risk or late', async () => {
  const { id } = await inbox.opened()
  await inbox.patch(id, { status: 'snoozed', snoozed_until: inbox.inMs(24 * 60 * MINUTE) })
  const views = async () => {
    const found = await Promise.all(
      ['open', 'waiting', 'snoozed', 'at_risk', 'late'].map((view) => listed('owner', view)),
    )
    return found.map((ids) => ids.length)
  }
  assert.deepEqual(await views(), [0, 0, 1, 0, 0])
  app.advance(50 * MINUTE)
  await app.pass(0)
  // What is due is recorded with the next change, or by a job.
  await inbox.patch(id, { tag_ids: [await app.newId('/tags', { name: 'Due' })] })
  assert.deepEqual(await views(), [0, 0, 1, 1, 0])
  app.advance(11 * MINUTE)
  await app.pass(0)
  assert.deepEqual(await views(), [0, 0, 1, 1, 1])
})

test('the history of a conversation names who has assigned, closed and opened it, oldest first', async () => {
  const { id } = await inbox.opened()
  const history = async (person: Person = 'viewer') => (await app.ask(person, 'GET', `/inbox/${id}/history`)).body
  const act = (person: Person, patch: Row) => app.people[person].call('PATCH', `/api/v1/conversations/${id}`, patch)
  await act('member', { owner_id: app.ids.other, priority: 'high' })
  await act('other', { tag_ids: [] })
  await inbox.say('note', id)
  const until = inbox.inMs(60 * MINUTE)
  await act('other', { status: 'snoozed', snoozed_until: until })
  await act('member', { status: 'closed' })
  await inbox.say('inbound', id)
  const { data } = await history()
  assert.deepEqual(
    data.map(({ actor_id, field, before, after, until }: Row) => [actor_id, field, before, after, until]),
    [
      [app.ids.member, 'owner_id', null, app.ids.other, null],
      [app.ids.member, 'priority', 'normal', 'high', null],
      [app.ids.other, 'status', 'open', 'snoozed', until],
      [app.ids.member, 'status', 'snoozed', 'closed', null],
      [app.ids.owner, 'status', 'closed', 'open', null],
    ],
  )
  assert.equal((await history('stranger')).status, 404)
})

test('a reply to everybody goes to whom the API would send it, without an address of ours', async () => {
  const desk = deskOf(app)
  const mail = await desk.arrive({
    from: person('Eva'),
    to: [person('Ben'), { email: 'support@acme.example', name: null }],
    cc: [person('Ida')],
  })
  const asked = (id: string, who: Person = 'viewer') => app.ask(who, 'GET', `/inbox/${id}/recipients`)
  const { from, to, cc, reason } = (await asked(mail.conversation_id)).body
  const emails = (all: Row[]) => all.map(({ email }) => email)
  assert.deepEqual(
    [from.email, emails(to), emails(cc), reason],
    ['support@acme.example', ['eva@firm.example'], ['ben@firm.example', 'ida@firm.example'], null],
  )
  const reply = await desk.reply(mail.conversation_id)
  assert.deepEqual([emails(reply.to), emails(reply.cc)], [emails(to), emails(cc)])
  assert.equal((await asked(mail.conversation_id, 'stranger')).status, 404)
  setMailboxes(app, [])
  assert.equal((await asked(mail.conversation_id)).body.reason, 'no_mailbox')
})

test('after any acts of three members, rows, counts and records agree in each view', async () => {
  const people = ['owner', 'member', 'other'] as const
  const made: string[] = []
  const { int } = random(seedOf(40))
  for (let act = 0; act < examples(600); act += 1) {
    const kind = int(9)
    const id = made[int(made.length)]
    if (id === undefined || (kind === 0 && made.length < 40)) made.push((await inbox.opened()).id)
    else if (kind === 1) await inbox.say('inbound', id)
    else if (kind === 2) await inbox.say('outbound', id)
    else if (kind === 3) await inbox.patch(id, { status: 'snoozed', snoozed_until: inbox.inMs(20 * MINUTE) })
    else if (kind === 4) await inbox.patch(id, { status: (['open', 'pending', 'closed'] as const)[act % 3] })
    else if (kind === 5)
      await inbox.patch(id, { owner_id: [null, ...people.map((person) => app.ids[person])][act % 4] as string | null })
    else if (kind === 6) await inbox.patch(id, { priority: ['low', 'normal', 'high', 'urgent'][act % 4] })
    else if (kind === 7) await inbox.say('note', id)
    else app.advance(7 * MINUTE)
    if (act % 10 > 0) continue
    await app.pass(0)
    const person = people[act % 3] as Person
    const { mailboxes: _, ...found } = await counts(person)
    const records = await Promise.all(made.map((one) => inbox.conversation(one)))
    for (const view of Object.keys(found)) {
      const expected = records.filter((record) => belongs(view, record, app.ids[person], app.now()))
      const shown = (await listed(person, view)).filter((one) => made.includes(one))
      assert.deepEqual(shown.toSorted(), idsOf(expected).toSorted(), `${view} after ${act} acts`)
      assert.equal(found[view], (await rows(person, `view=${view}&count=true`)).total, view)
    }
  }
})

test('a mailbox that does not work says which way, since when, and what waits', async (t) => {
  const { support } = setMailboxes(app)
  t.after(() => setMailboxes(app, []))
  const { saveState, state } = mailboxStore(app.deps)
  const asked = async (person: Person = 'viewer') => (await app.ok(person, 'GET', '/inbox/mailboxes')).data
  const { org } = app.a
  const now = app.now()
  saveState(org, support?.id as string, { checked_at: now, sent_at: now })
  assert.deepEqual(await asked(), [
    {
      ...{ id: support?.id, key: 'support', name: 'Acme Support', address: 'support@acme.example', is_default: true },
      ...{ aliases: [], member_id: null, trouble: null },
    },
  ])
  assert.deepEqual(await asked('stranger'), [])
  saveState(org, support?.id as string, { failing_since: now - 60_000, last_error: 'no such host', last_error_at: now })
  const since = new Date(now - 60_000).toISOString()
  const { waiting, ...failing } = (await asked())[0].trouble
  assert.deepEqual(failing, { receiving: true, sending: false, since, error: 'no such host' })
  saveState(org, support?.id as string, { failing_since: null, send_error: '421 busy', send_error_at: now })
  await inbox.make('/messages', {
    ...{ direction: 'outbound', channel: 'email', subject: 'Offer', body_text: 'Hello' },
    contact_id: (await app.newContact({ emails: [{ email: 'dora@firm.example' }] })).id,
  })
  const { trouble } = (await asked())[0]
  assert.deepEqual(trouble, {
    ...{ receiving: false, sending: true, since: new Date(now).toISOString(), error: '421 busy', waiting: waiting + 1 },
  })
  assert.equal(state(org, support?.id as string).send_error, '421 busy')
})
