import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, describe, type TestContext, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import type { Person } from '../support/app-data.ts'
import { noDovecot } from '../support/dovecot.ts'
import { noPostfix } from '../support/postfix.ts'
import type { Given, Row } from '../support/records.ts'
import { setLevels } from '../support/settings.ts'
import { becomes, until } from '../support/until.ts'
import { type Got, type MailServers, startMailServers, startTeam, type Team } from './real-team.ts'

// Eleven stories from start to end: people with mail programs on a Dovecot, a Postfix between them and the team, and members at their
// screens. Nothing of it is played by a double.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MIB = 1_048_576
/** As the screens hold a reply that can still be taken back. */
const UNDO = 10_000

const STORIES = 11
/** Each story has people of its own. */
const cast = (story: number) => ({
  team: `support${story}@acme.example`,
  eva: `eva${story}@customer.example`,
  bob: `bob${story}@customer.example`,
  /** Whose mails the server takes, and gives back. */
  moved: `moved${story}@customer.example`,
  /** Whose address the server for mail does not know. */
  gone: `gone${story}@customer.example`,
  shop: `parts${story}@supply.example`,
  mal: `mal${story}@spam.example`,
  list: `news${story}@lists.example`,
})
const everybody = Array.from({ length: STORIES }, (_, at) => cast(at + 1))

const policy = {
  ...{ key: 'usual', name: 'Usual', hours: null, pause_on: ['pending'] },
  match: null,
  targets: { normal: { first_response_s: 3600, next_response_s: 1800 } },
}

// Where tests decide whether a change comes in, a missing server is a mistake and no reason to skip.
const skip = process.env.CI ? false : noDovecot || noPostfix

describe('eleven stories between real servers for mail', { skip }, () => {
  const ends: (() => unknown)[] = []
  let servers: MailServers
  before(async () => {
    const people = everybody.flatMap(({ gone, ...others }) => Object.values(others))
    const bouncing = everybody.map(({ moved }) => moved)
    servers = await startMailServers({ after: (end) => void ends.push(end) }, people, bouncing)
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  async function begin(t: TestContext, story: number, settings: Given = {}) {
    const people = cast(story)
    const team = await startTeam(t, servers, people.team, settings)
    setLevels(team.store, team.a.org, { sla: [policy] })
    const { write, mailsOf } = servers
    const from = (email: string, name: string) => `${name} <${email}>`
    const by =
      (email: string, name: string) =>
      (mail: Given & { headers?: Record<string, string> } = {}) =>
        write({ from: from(email, name), to: people.team, ...mail })
    return {
      ...people,
      team,
      mailsOf,
      eva: { email: people.eva, writes: by(people.eva, 'Eva Ruiz'), has: () => mailsOf(people.eva) },
      bob: { email: people.bob, writes: by(people.bob, 'Bob Ruiz'), has: () => mailsOf(people.bob) },
      shop: { email: people.shop, writes: by(people.shop, 'Parts'), has: () => mailsOf(people.shop) },
      mal: { email: people.mal, writes: by(people.mal, 'Mal') },
    }
  }

  /** As the answer to a mail that somebody has. */
  const answering = ({ messageId, references = '', subject = '' }: Got): Given => ({
    ...{ inReplyTo: messageId, references: `${references} ${messageId}`.trim() },
    subject: `Re: ${subject.replace(/^Re: /, '')}`,
  })

  /** As the box under a conversation sends what a member has written. */
  const reply = (team: Team, person: Person, conversation_id: string, given: Given = {}): Promise<Row> =>
    team.ok(person, 'POST', '/messages', {
      ...{ conversation_id, direction: 'outbound', body_text: 'Here it is.', send_at: team.at(UNDO) },
      ...given,
    })

  const replyKey = (id: string): string => `reply:conversations:${id}`
  const statusOf = async (team: Team, { id }: Row): Promise<string> => (await team.message(id)).status
  const wait = async (team: Team, id: string) => {
    const { status, waiting_since } = await team.conversation(id)
    return [status, waiting_since]
  }

  test('a customer writes, two members open it, one answers and the other is stopped, and the SLA clock is right all the time', async (t) => {
    const { team, eva } = await begin(t, 1)
    const asked = await team.arrives(await eva.writes({ subject: 'Invoice 1042' }))
    const id = asked.conversation_id
    /** What the API and the page "why is it due then?" say, which has to be the same. */
    async function clock() {
      const { sla, waiting_since } = await team.conversation(id)
      const { pending } = await team.ok('viewer', 'GET', `/inbox/${id}/sla`)
      for (const { target, due_at, parts, earlier_s, target_s } of pending as Row[]) {
        assert.equal(due_at, sla[`${target}_due_at`])
        const counted = (parts as Row[]).reduce((sum, part) => sum + part.counted_s, earlier_s)
        if (due_at !== null) assert.equal(counted, target_s)
      }
      const targets = (pending as Row[]).map(({ target, due_at }) => [target, due_at])
      return { status: sla.status, waiting_since, targets, late: await team.isIn('late', id) }
    }
    const t0 = Date.parse(asked.sent_at)
    const from0 = (ms: number) => new Date(t0 + ms).toISOString()
    const firstIs = { waiting_since: from0(0), targets: [['first_response', from0(HOUR)]] }
    assert.equal(t0, team.now())
    assert.deepEqual(await clock(), { status: 'ok', ...firstIs, late: false })

    await team.later(50 * MINUTE)
    assert.deepEqual(await clock(), { status: 'at_risk', ...firstIs, late: false })
    for (const person of ['member', 'other'] as const)
      assert.equal((await team.api(person, 'GET', `/conversations/${id}/messages`)).data[0].id, asked.id)

    const seen = { last_seen_message_id: asked.id }
    const first = await reply(team, 'member', id, seen)
    const second = { conversation_id: id, direction: 'outbound', body_text: 'Mine.', send_at: team.at(UNDO), ...seen }
    const stopped = await team.ask('other', 'POST', '/messages', second)
    assert.deepEqual([stopped.status, stopped.body.code, stopped.body.message_id], [409, 'newer_message', first.id])
    // It is held, and no answer yet.
    assert.deepEqual(await clock(), { status: 'at_risk', ...firstIs, late: false })
    await team.later(UNDO)
    assert.equal(await statusOf(team, first), 'sent')
    assert.deepEqual(await clock(), { status: 'met', waiting_since: null, targets: [], late: false })
    assert.equal((await team.conversation(id)).first_response_at, from0(50 * MINUTE + UNDO))
    const [got, ...more] = await eva.has()
    assert.deepEqual([more, got?.text?.trim(), got?.inReplyTo], [[], 'Here it is.', asked.external_id])

    await team.api('member', 'PATCH', `/conversations/${id}`, { status: 'closed' })
    await team.later(DAY / 4)
    assert.equal(await team.isIn('closed', id), true)
    const more1 = await team.arrives(await eva.writes({ ...answering(got as Got), text: 'It is the wrong one.' }))
    assert.equal(more1.conversation_id, id)
    const t1 = team.now()
    const from1 = (ms: number) => new Date(t1 + ms).toISOString()
    assert.deepEqual(await wait(team, id), ['open', from1(0)])
    const nextIs = (due: string | null) => ({ waiting_since: from1(0), targets: [['next_response', due]] })
    assert.deepEqual(await clock(), { status: 'ok', ...nextIs(from1(30 * MINUTE)), late: false })

    // While it is pending, no time counts.
    await team.later(5 * MINUTE)
    await team.api('other', 'PATCH', `/conversations/${id}`, { status: 'pending' })
    await team.later(3 * HOUR)
    assert.deepEqual(await clock(), { status: 'ok', ...nextIs(null), late: false })
    await team.api('other', 'PATCH', `/conversations/${id}`, { status: 'open' })
    assert.deepEqual(await clock(), { status: 'ok', ...nextIs(from1(3 * HOUR + 30 * MINUTE)), late: false })
    const { pending } = await team.ok('viewer', 'GET', `/inbox/${id}/sla`)
    assert.deepEqual(pending[0].pauses, [
      { status: 'pending', from: from1(5 * MINUTE), to: from1(3 * HOUR + 5 * MINUTE) },
    ])
    await team.later(26 * MINUTE)
    assert.deepEqual(await clock(), { status: 'breached', ...nextIs(from1(3 * HOUR + 30 * MINUTE)), late: true })
    // Who has seen all of it is not stopped.
    const answer = await reply(team, 'other', id, { last_seen_message_id: more1.id })
    await team.later(UNDO)
    assert.equal(await statusOf(team, answer), 'sent')
    assert.deepEqual(await clock(), { status: 'breached', waiting_since: null, targets: [], late: false })
    assert.equal((await eva.has()).length, 2)
  })

  test('an out-of-office neither ends a wait nor opens what is closed, and Reply to all goes to the same people after it', async (t) => {
    const { team, eva, bob } = await begin(t, 2)
    const away = async (of: { from: string; name: string }, given: Given): Promise<Row> => {
      const headers = { 'Auto-Submitted': 'auto-replied' }
      const text = 'I am back on Monday.'
      const mail = { from: `${of.name} <${of.from}>`, to: team.address, text, headers, ...given }
      return team.arrives(await servers.write(mail, true))
    }
    const asked = await team.arrives(await eva.writes({ subject: 'Order', cc: bob.email }))
    const id = asked.conversation_id
    const everybody = { to: [eva.email], cc: [bob.email] }
    assert.deepEqual(await team.recipients(id), everybody)
    await team.later(MINUTE)
    const [copy] = await bob.has()
    const early = await away({ from: bob.email, name: 'Bob Ruiz' }, answering(copy as Got))
    assert.deepEqual([early.conversation_id, early.is_automatic], [id, true])
    assert.deepEqual(await wait(team, id), ['open', asked.sent_at])
    assert.deepEqual(await team.recipients(id), everybody)

    // It stops nobody who had read the question, and no reply that is held unless they answer.
    const held = { last_seen_message_id: asked.id, send_unless_reply: true, send_at: team.at(HOUR) }
    const sent = await reply(team, 'member', id, held)
    await team.later(MINUTE)
    await away({ from: bob.email, name: 'Bob Ruiz' }, answering(copy as Got))
    await team.later(HOUR)
    assert.equal(await statusOf(team, sent), 'sent')
    const [got] = await eva.has()
    assert.deepEqual([await wait(team, id), (await bob.has()).length], [['open', null], 2])
    await team.api('member', 'PATCH', `/conversations/${id}`, { status: 'closed' })

    await team.later(MINUTE)
    const late = await away({ from: eva.email, name: 'Eva Ruiz' }, answering(got as Got))
    assert.equal(late.conversation_id, id)
    assert.deepEqual(await wait(team, id), ['closed', null])
    assert.deepEqual(await team.recipients(id), everybody)
    await team.later(MINUTE)
    // No machine was answered by ours.
    assert.deepEqual([(await eva.has()).length, (await bob.has()).length], [1, 2])

    const back = await team.arrives(await eva.writes({ ...answering(got as Got), text: 'I am back.', cc: bob.email }))
    assert.deepEqual(await wait(team, id), ['open', back.sent_at])
    await reply(team, 'member', id)
    await team.later(UNDO)
    assert.deepEqual([(await eva.has()).length, (await bob.has()).length], [2, 4])
  })

  test('a mail of 30 MiB arrives, is read and forwarded, and the supplier has the same bytes', async (t) => {
    const { team, eva, shop } = await begin(t, 3)
    const content = randomBytes(30 * MIB)
    const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
    const html = '<p>Can you <b>make</b> this?</p>'
    const attachments = [{ filename: 'plan für Eva.bin', content }]
    const asked = await team.arrives(await eva.writes({ subject: 'A plan', html, attachments }))
    const { id, conversation_id, attachments: files } = asked
    assert.deepEqual(
      files.map(({ name, size_bytes }: Row) => [name, size_bytes]),
      [['plan für Eva.bin', 30 * MIB]],
    )
    assert.match((await team.ask('viewer', 'GET', `/mail-body?message=${id}`)).text, /<b>make<\/b>/)
    const read = await team.call('GET', `/messages/${id}/attachments/${files[0].id}`)
    assert.equal(digest(read.bytes), digest(content))

    await team.later(MINUTE)
    const key = `aside:conversations:${conversation_id}`
    const copied = await team.ok('member', 'POST', `/drafts/${key}/files/copy`, { message_id: id })
    const forward = await reply(team, 'member', conversation_id, {
      ...{ forwards_message_id: id, to: [{ email: shop.email }], body_text: 'What does this cost?' },
      draft_files: { key, ids: copied.data.map((file: Row) => file.id) },
    })
    assert.deepEqual((await team.ok('member', 'GET', `/drafts/${key}/files`)).data, [])
    await team.later(UNDO)
    assert.equal(await statusOf(team, forward), 'sent')
    const [got] = await shop.has()
    const [file] = got?.attachments ?? []
    assert.deepEqual([got?.subject, file?.filename], ['Fwd: A plan', 'plan für Eva.bin'])
    assert.equal(digest(new Uint8Array(file?.content as ArrayBuffer)), digest(content))
    assert.deepEqual(await wait(team, conversation_id), ['open', asked.sent_at])
    assert.deepEqual(await eva.has(), [])
  })

  test('what is taken back within ten seconds does not leave, is a draft with its files, and leaves once when it is sent again', async (t) => {
    const { team, eva } = await begin(t, 4)
    const asked = await team.arrives(await eva.writes())
    const id = asked.conversation_id
    const key = replyKey(id)
    const files = async (person: Person = 'member'): Promise<Row[]> =>
      (await team.ok(person, 'GET', `/drafts/${key}/files`)).data
    const form =
      '--XX\r\nContent-Disposition: form-data; name="file"; filename="list.txt"\r\n\r\n12 boxes\r\n--XX--\r\n'
    const type = { 'content-type': 'multipart/form-data; boundary=XX' }
    const draft = { text: 'See the list.', seen: asked.id }
    await team.ok('member', 'PUT', `/drafts/${key}`, { body: draft })
    assert.equal((await team.ask('member', 'POST', `/drafts/${key}/files`, form, type)).status, 200)
    const send = async (headers: Record<string, string> = {}) =>
      team.ask(
        'member',
        'POST',
        '/messages',
        {
          ...{ conversation_id: id, direction: 'outbound', body_text: draft.text, send_at: team.at(UNDO) },
          ...{ last_seen_message_id: asked.id, draft_files: { key, ids: (await files()).map((file) => file.id) } },
        },
        headers,
      )
    const first = (await send()).body
    await team.ok('member', 'DELETE', `/drafts/${key}`)
    assert.deepEqual(await files(), [])
    await team.later(UNDO - 1)
    const back = { key }
    assert.equal((await team.ask('other', 'POST', `/messages/${first.id}/take-back`, back)).status, 403)
    const taken = await team.ok('member', 'POST', `/messages/${first.id}/take-back`, back)
    assert.deepEqual([taken.body_text, taken.to[0].email], [draft.text, eva.email])
    await team.ok('member', 'PUT', `/drafts/${key}`, { body: { ...draft, text: taken.body_text } })
    await team.later(HOUR)
    assert.deepEqual(await eva.has(), [])
    assert.deepEqual(await wait(team, id), ['open', asked.sent_at])
    assert.deepEqual((await team.messagesOf(id)).length, 1)
    assert.deepEqual((await team.ok('member', 'GET', `/drafts/${key}`)).body, draft)
    assert.deepEqual(
      (await files()).map(({ name, size_bytes }) => [name, size_bytes]),
      [['list.txt', 8]],
    )

    // The answer to the first request is lost, and the page repeats it.
    const once = { 'idempotency-key': 'send-once' }
    const body = {
      ...{ conversation_id: id, direction: 'outbound', body_text: draft.text, send_at: team.at(UNDO) },
      draft_files: { key, ids: (await files()).map((file) => file.id) },
    }
    const [sent, again] = [
      await team.ask('member', 'POST', '/messages', body, once),
      await team.ask('member', 'POST', '/messages', body, once),
    ]
    assert.deepEqual([sent.status, again.status, again.body.id], [201, 201, sent.body.id])
    await team.later(UNDO)
    const late = await team.ask('member', 'POST', `/messages/${sent.body.id}/take-back`, back)
    assert.deepEqual([late.status, late.body.code], [409, 'not_held'])
    await team.later(DAY / 4)
    const got = await eva.has()
    assert.deepEqual(
      got.map(({ text, attachments }) => [
        text?.trim(),
        attachments.map((file) => String(Buffer.from(file.content as ArrayBuffer))),
      ]),
      [[draft.text, ['12 boxes']]],
    )
    assert.deepEqual(await wait(team, id), ['open', null])
  })

  test('a reply that leaves later unless they answer does not leave after their answer, and its writer is told', async (t) => {
    const { team, eva } = await begin(t, 5)
    const begun = async (subject: string): Promise<{ id: string; got: Got; held: Row }> => {
      const { conversation_id: id } = await team.arrives(await eva.writes({ subject }))
      await reply(team, 'member', id, { body_text: 'Did it work?' })
      await team.later(UNDO)
      const got = (await eva.has()).at(-1) as Got
      const given = { send_at: team.at(6 * HOUR), send_unless_reply: true, body_text: 'Does nothing come of it?' }
      return { id, got, held: await reply(team, 'member', id, given) }
    }
    const one = await begun('With an answer')
    const two = await begun('Without one')
    const before = (await eva.has()).length
    await team.later(HOUR)
    const answer = await team.arrives(await eva.writes({ ...answering(one.got), text: 'It did.' }))
    assert.equal(answer.conversation_id, one.id)
    assert.equal(await statusOf(team, one.held), 'queued')
    await team.later(5 * HOUR)
    const { status, error } = await team.message(one.held.id)
    assert.deepEqual([status, error], ['failed', 'It was not sent: they have written before its time came.'])
    assert.deepEqual(await team.bell('member'), [`failed ${one.id}`])
    assert.deepEqual(await wait(team, one.id), ['open', answer.sent_at])
    // The other one has left.
    assert.equal(await statusOf(team, two.held), 'sent')
    await team.later(HOUR)
    const late = (await eva.has()).slice(before)
    assert.deepEqual(
      late.map(({ subject, text }) => [subject, text?.trim()]),
      [['Re: Without one', 'Does nothing come of it?']],
    )
  })

  test('send and close closes when the server has the mail, and what is refused or bounces is open, waits, and is in the bell', async (t) => {
    const { team, eva, moved, gone } = await begin(t, 6)
    const owned = async (mail: Promise<string>): Promise<Row> => {
      const asked = await team.arrives(await mail)
      const given = { owner_id: team.ids.owner }
      await team.api('owner', 'PATCH', `/conversations/${asked.conversation_id}`, given)
      return asked
    }
    const answered = (id: string): Promise<Row> => reply(team, 'member', id, { closes_conversation: true })

    const asked = await owned(eva.writes({ subject: 'One' }))
    const sent = await answered(asked.conversation_id)
    assert.deepEqual(await wait(team, asked.conversation_id), ['open', asked.sent_at])
    await team.later(UNDO - 1)
    assert.deepEqual(await wait(team, asked.conversation_id), ['open', asked.sent_at])
    await team.later(1)
    assert.deepEqual([await statusOf(team, sent), (await eva.has()).length], ['sent', 1])
    assert.deepEqual(await wait(team, asked.conversation_id), ['closed', null])
    assert.deepEqual([await team.bell('member'), await team.bell('owner')], [[], []])

    const refused = await owned(servers.write({ from: `Gil Gone <${gone}>`, to: team.address, subject: 'Two' }))
    const second = await answered(refused.conversation_id)
    await team.later(UNDO)
    assert.match((await team.message(second.id)).error, /550 5\.1\.1 .*unknown/)
    assert.deepEqual(await wait(team, refused.conversation_id), ['open', refused.sent_at])
    const told = [`failed ${refused.conversation_id}`]
    assert.deepEqual([await team.bell('member'), await team.bell('owner')], [told, told])

    const lost = await owned(servers.write({ from: `Mia Moved <${moved}>`, to: team.address, subject: 'Three' }))
    const third = await answered(lost.conversation_id)
    await team.unheard(async () => {
      await team.later(UNDO)
      assert.equal(await statusOf(team, third), 'sent')
      assert.deepEqual(await wait(team, lost.conversation_id), ['closed', null])
    })
    await until(async () => (await statusOf(team, third)) === 'failed')
    assert.match((await team.message(third.id)).error, /^It bounced: .*unknown user/)
    assert.deepEqual(await wait(team, lost.conversation_id), ['open', lost.sent_at])
    const { pending } = await team.ok('viewer', 'GET', `/inbox/${lost.conversation_id}/sla`)
    assert.deepEqual(
      (pending as Row[]).map(({ target, started_at, target_s }) => [target, started_at, target_s]),
      [['first_response', lost.sent_at, 3600]],
    )
    for (const person of ['member', 'owner'] as const)
      assert.deepEqual(await team.bell(person), [`failed ${lost.conversation_id}`, ...told])
    assert.equal((await eva.has()).length, 1)
  })

  test('a supplier answers a forward: the customer waits on, and neither reads of the other', async (t) => {
    const { team, eva, shop, bob } = await begin(t, 7)
    const asked = await team.arrives(await eva.writes({ subject: 'A spare part', cc: bob.email }))
    const id = asked.conversation_id
    const clocks = async () => {
      const { status, waiting_since, first_response_at, sla } = await team.conversation(id)
      return { status, waiting_since, first_response_at, sla }
    }
    const before = await clocks()
    await team.later(MINUTE)
    const passedOn = { forwards_message_id: asked.id, to: [{ email: shop.email }], body_text: 'What does it cost?' }
    await reply(team, 'member', id, passedOn)
    await team.later(UNDO)
    assert.deepEqual(await clocks(), before)
    const [order] = await shop.has()
    assert.equal(order?.inReplyTo, undefined)
    assert.ok(!(order as Got).references?.includes(asked.external_id))
    await team.later(MINUTE)
    const price = await team.arrives(await shop.writes({ ...answering(order as Got), text: 'It costs 12 euros.' }))
    assert.equal(price.conversation_id, id)
    assert.deepEqual(await clocks(), before)
    assert.deepEqual(await team.recipients(id), { to: [eva.email], cc: [bob.email] })

    const asides = (await team.ok('member', 'GET', `/inbox/${id}/asides`)).data as Row[]
    assert.deepEqual(
      asides.map((each) => [each.id, each.to[0].email]),
      [[price.id, shop.email]],
    )
    await reply(team, 'member', id, { to: asides[0]?.to, in_reply_to: price.external_id, body_text: 'We take it.' })
    await team.later(UNDO)
    const [, taken, ...others] = await shop.has()
    assert.deepEqual([others, taken?.inReplyTo, taken?.to?.length, taken?.cc], [[], price.external_id, 1, undefined])
    assert.ok(!(taken as Got).raw.includes('customer.example'))
    assert.deepEqual([(await eva.has()).length, (await bob.has()).length], [0, 1]) // his copy of the question
    assert.deepEqual(await clocks(), before)

    await reply(team, 'other', id, { body_text: 'It costs 15 euros.' })
    await team.later(UNDO)
    const [answer, ...more] = await eva.has()
    assert.deepEqual([more, answer?.inReplyTo], [[], asked.external_id])
    assert.equal(answer?.references?.split(' ').at(-1), asked.external_id)
    const said = (answer?.raw ?? '').toLowerCase()
    for (const secret of ['supply.example', price.external_id, order?.messageId, taken?.messageId])
      assert.ok(!said.includes(String(secret).toLowerCase()), String(secret))
    assert.deepEqual([(await bob.has()).length, (await shop.has()).length], [2, 2])
    assert.equal((await clocks()).waiting_since, null)
  })

  test('an answer to the older of two merged mails comes into the newer, the merge is undone, and what is split off goes its own way', async (t) => {
    const { team, eva, bob } = await begin(t, 8)
    const older = await team.arrives(await eva.writes({ subject: 'Older', cc: bob.email }))
    await reply(team, 'member', older.conversation_id)
    await team.later(UNDO)
    const got = (await eva.has()).at(-1) as Got
    const newer = await team.arrives(await eva.writes({ subject: 'Newer' }))
    const [a, b] = [older.conversation_id, newer.conversation_id]
    assert.notEqual(a, b)
    await team.later(MINUTE)
    await team.ok('member', 'POST', `/conversations/${a}/merge`, { into_id: b })
    assert.deepEqual([(await team.messagesOf(a)).length, (await team.messagesOf(b)).length], [0, 3])
    const since = team.lastSeq()
    await team.api('member', 'PATCH', `/conversations/${b}`, { status: 'closed' })
    const thanks = await team.arrives(await eva.writes({ ...answering(got), text: 'Thank you.' }))
    assert.deepEqual([thanks.conversation_id, await wait(team, b)], [b, ['open', thanks.sent_at]])
    await team.later(MINUTE)
    const merge = team.events(0).findLast(({ seq, object_id }) => seq <= since && object_id === a)
    await team.ok('member', 'POST', '/undo', { seq: merge?.seq })
    const textsOf = async (id: string) => (await team.messagesOf(id)).map((each) => each.body_text.trim())
    assert.deepEqual(await textsOf(a), ['Where is it?', 'Here it is.'])
    assert.deepEqual(await textsOf(b), ['Where is it?', 'Thank you.'])
    const other = await team.arrives(await bob.writes({ ...answering(got), text: 'I ask, too.' }))
    assert.equal(other.conversation_id, a)

    await team.later(MINUTE)
    const { id: c } = await team.ok('member', 'POST', `/messages/${thanks.id}/split`)
    assert.ok(![a, b].includes(c))
    assert.deepEqual([await textsOf(b), await textsOf(c)], [['Where is it?'], ['Thank you.']])
    assert.deepEqual(await wait(team, c), ['open', thanks.sent_at])
    assert.equal((await wait(team, b))[1], null) // what it had was closed
    await reply(team, 'other', c, { body_text: 'You are welcome.' })
    await team.later(UNDO)
    const welcome = (await eva.has()).at(-1) as Got
    assert.deepEqual([welcome.text?.trim(), welcome.inReplyTo], ['You are welcome.', thanks.external_id])
    const last = await team.arrives(await eva.writes({ ...answering(welcome), text: 'Until soon.' }))
    assert.equal(last.conversation_id, c)
    // Their own mail, which they look at and answer once more.
    const toOwn = { inReplyTo: thanks.external_id, references: `${got.messageId} ${thanks.external_id}` }
    const own = await team.arrives(await eva.writes({ ...toOwn, subject: 'Re: Older', text: 'And one more.' }))
    assert.equal(own.conversation_id, c)
    assert.deepEqual(await wait(team, a), ['open', other.sent_at])
  })

  test('a rule answers a sender once a day, as a machine, never a list or a no-reply address, and they wait on', async (t) => {
    const { team, eva, bob, list } = await begin(t, 9)
    const answer =
      'Thank you{{#contact.first_name}}, {{contact.first_name}}{{/contact.first_name}}. We answer within a day.'
    applySettings(team.store, team.a.org, { rules: [{ key: 'welcome', name: 'Welcome', when: {}, do: { answer } }] })
    const asked = await team.arrives(await eva.writes({ text: 'Where is my first order?' }))
    const id = asked.conversation_id
    await team.work()
    const [got, ...more] = await eva.has()
    const header = (name: string): string | undefined => got?.headers.find(({ key }) => key === name)?.value
    assert.deepEqual([more, got?.text?.trim()], [[], 'Thank you, Eva. We answer within a day.'])
    assert.deepEqual([header('auto-submitted'), got?.inReplyTo], ['auto-replied', asked.external_id])
    const { status, waiting_since, first_response_at, sla } = await team.conversation(id)
    assert.deepEqual([status, waiting_since, first_response_at], ['open', asked.sent_at, null])
    assert.equal(Date.parse(sla.first_response_due_at) - Date.parse(asked.sent_at), HOUR)

    await team.later(HOUR / 2)
    await team.arrives(await eva.writes({ ...answering(got as Got), text: 'I mean the red one.' }))
    await team.arrives(await eva.writes({ subject: 'Another thing', text: 'What do you charge for the blue one?' }))
    const auto = { 'Auto-Submitted': 'auto-generated' }
    const machine = { from: `Bob <${bob.email}>`, to: team.address, text: 'Your ticket 7.', headers: auto }
    const others = [
      await servers.write(machine, true),
      await servers.write({ from: `no-reply-${list}`, to: team.address, text: 'Your parcel left.' }),
      await servers.write({
        ...{ from: `News <${list}>`, to: team.address, text: 'What is new in May.' },
        headers: { 'List-Id': '<news.lists.example>', 'List-Unsubscribe': `<mailto:${list}>` },
      }),
    ]
    for (const each of others) {
      const { conversation_id } = await team.arrives(each)
      assert.equal((await team.messagesOf(conversation_id)).length, 1)
    }
    await team.later(MINUTE)
    assert.deepEqual([(await eva.has()).length, await bob.has(), await servers.mailsOf(list)], [1, [], []])
    assert.equal((await team.conversation(id)).waiting_since, asked.sent_at)

    await team.pass(DAY)
    await team.arrives(await eva.writes({ subject: 'A day later', text: 'Is there a green one as well?' }))
    await team.work()
    assert.equal((await eva.has()).length, 2)
  })

  test('mails of a sender who is listed for spam are held without notice, and wait since they came when that is taken back', async (t) => {
    const { team, eva, mal } = await begin(t, 10)
    const first = await team.arrives(await mal.writes({ subject: 'Win' }))
    const id = first.conversation_id
    await team.api('owner', 'PATCH', `/conversations/${id}`, { owner_id: team.ids.other })
    await team.ok('other', 'POST', '/notifications/read', { all: true })
    await team.ok('member', 'POST', `/conversations/${id}/spam`, {})
    const counts = await team.ok('member', 'GET', '/inbox/counts')
    const bells = async () => Promise.all((['owner', 'member', 'other'] as const).map(team.bell))
    const [bellsBefore, since] = [await bells(), team.lastSeq()]
    await team.later(10 * MINUTE)
    const second = await team.arrives(await mal.writes({ subject: 'Win more' }))
    await team.later(10 * MINUTE)
    const same = await team.arrives(
      await mal.writes({ subject: 'Re: Win', inReplyTo: first.external_id, references: first.external_id }),
    )
    assert.deepEqual([same.conversation_id, second.conversation_id === id], [id, false])
    await team.later(5 * HOUR)
    for (const each of [first, second]) {
      assert.equal((await wait(team, each.conversation_id))[1], null)
      for (const view of ['open', 'waiting', 'nobody', 'late', 'at_risk', 'closed', 'snoozed'])
        assert.equal(await team.isIn(view, each.conversation_id), false, view)
      assert.equal(await team.isIn('spam', each.conversation_id), true)
    }
    const opened = team.events(since).map(({ type }) => type)
    assert.deepEqual(
      [...new Set(opened)].filter((type) => /reopened|sla|assigned/.test(type)),
      [],
    )
    assert.deepEqual(await bells(), bellsBefore)
    assert.deepEqual({ ...(await team.ok('member', 'GET', '/inbox/counts')), spam: 0 }, { ...counts, spam: 0 })
    const [listed] = (await team.ok('owner', 'GET', '/inbox/spam')).senders
    assert.deepEqual([listed.email, listed.listed_by, listed.held], [mal.email, team.ids.member, 2])
    // Who is not listed comes in as ever.
    const honest = await team.arrives(await eva.writes())
    assert.equal(await team.isIn('waiting', honest.conversation_id), true)

    await team.ok('owner', 'POST', '/inbox/spam/release', { email: mal.email })
    assert.deepEqual(await wait(team, id), ['open', first.sent_at])
    assert.deepEqual(await wait(team, second.conversation_id), ['open', second.sent_at])
    assert.equal((await team.conversation(id)).owner_id, team.ids.other)
    for (const each of [first, second]) assert.equal(await team.isIn('waiting', each.conversation_id), true)
    const after = await team.arrives(await mal.writes({ subject: 'Once more' }))
    await becomes(() => team.isIn('waiting', after.conversation_id), true)
  })

  test('the mail that closes asks how the answer was; programs that follow its links answer nothing, the customer does', async (t) => {
    const { team, eva } = await begin(t, 11)
    const { org } = showSettings(team.store, team.a.org)
    applySettings(team.store, team.a.org, {
      org: { ...org, public_base_url: team.screensUrl },
      satisfaction: { is_active: true },
    })
    const asked = await team.arrives(await eva.writes({ subject: 'Where is it?' }))
    const id = asked.conversation_id
    await team.later(MINUTE)
    await reply(team, 'member', id, { closes_conversation: true })
    await team.later(UNDO)
    const [got] = await eva.has()
    const links = [...new Set(got?.text?.match(/http:\S+\/rating\/\S+/g) ?? [])]
    assert.deepEqual(
      links.map((link) => link.split('/').at(-1)),
      ['good', 'not-good'],
    )
    const [good, bad] = links as [string, string]
    for (const link of links) assert.ok(got?.html?.includes(`href="${link}"`), link)
    const said = async () =>
      (await team.ok('viewer', 'GET', `/inbox/${id}/history`)).data
        .filter(({ field }: Row) => field === 'rating')
        .map(({ after, comment }: Row) => [after, comment])
    for (const link of [bad, good, bad, good]) {
      assert.equal((await fetch(link, { method: 'HEAD' })).status, 200)
      assert.match(await (await fetch(link)).text(), /<form method="post">/)
    }
    assert.deepEqual(await said(), [[null, null]])
    const before = await team.conversation(id)
    await fetch(good, { method: 'POST', body: new URLSearchParams({ comment: 'Quick!' }) })
    assert.deepEqual(await said(), [['good', 'Quick!']])
    const { status, waiting_since, unread_count, sla, last_message_at } = await team.conversation(id)
    assert.deepEqual(
      [status, waiting_since, unread_count, sla, last_message_at],
      [before.status, null, before.unread_count, before.sla, before.last_message_at],
    )
    assert.equal(status, 'closed')

    // What they write afterwards opens it, with our links in its quote, and the next mail that closes asks again.
    await team.later(MINUTE)
    const quote = (got?.text ?? '').replace(/^/gm, '> ')
    const back = await team.arrives(await eva.writes({ ...answering(got as Got), text: `It broke.\n\n${quote}` }))
    assert.deepEqual(await wait(team, id), ['open', back.sent_at])
    await team.later(MINUTE)
    await reply(team, 'member', id, { closes_conversation: true })
    await team.later(UNDO)
    const [, second] = await eva.has()
    const again = second?.text?.match(/http:\S+\/rating\/\S+not-good/)?.[0] as string
    assert.notEqual(again, bad)
    await fetch(again, { method: 'POST' })
    assert.deepEqual(await said(), [
      ['good', 'Quick!'],
      ['not_good', null],
    ])
    assert.equal((await team.conversation(id)).status, 'closed')
  })
})
