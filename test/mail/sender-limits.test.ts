import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { enroll, makeSequence } from '../support/enrolled.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Script, startSmtp } from '../support/smtp.ts'
import { officeOf } from './office.ts'

// Refusals about us: the mailbox waits, and no mail fails. Refusals about one mail: no other one waits.

let server: TestServer
let desk: ReturnType<typeof officeOf>
before(async () => {
  server = await startServer()
  desk = officeOf(server)
})
after(() => server.stop())

const LIMIT = '550 5.4.5 Daily user sending limit exceeded'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const stand = () => {
  const { active, health, state } = mailboxStore(server.deps)
  const { org, mailbox } = active()[0] as { org: number; mailbox: Mailbox }
  return { ...health(org, mailbox).sending, ...state(org, mailbox.id) }
}

/** An office at a server that notes each recipient whom it was asked for, and answers by a script. */
async function start(t: TestContext, answers: Script) {
  server.advance(MINUTE)
  const tried: string[] = []
  let script = answers
  const smtp = await startSmtp(t, {
    rcpt: (address) => {
      tried.push(address)
      return script.rcpt?.(address)
    },
    data: (source) => script.data?.(source),
  })
  const at = desk.office(t, smtp.server.port)
  const write = async (email: string): Promise<Row> => desk.answer(await desk.asked(email))
  return { ...at, smtp, tried, write, answer: (next: Script) => void (script = next) }
}

const statusOf = async (message: Row): Promise<string> => (await desk.now(message)).status
const statuses = (all: Row[]): Promise<string[]> => Promise.all(all.map(statusOf))

describe('a limit of the sender', () => {
  test('pauses the mailbox, longer each time, until something is accepted; nothing fails', async (t) => {
    const { tick, later, tried, write, answer, outcomes, warnings } = await start(t, { data: () => LIMIT })
    const all = [await write('ana@one.example'), await write('ben@two.example'), await write('cy@three.example')]
    await tick()
    assert.deepEqual(await statuses(all), ['queued', 'queued', 'queued'])
    const { error } = await desk.now(all[0] as Row)
    assert.match(error, /Daily user sending limit exceeded\. The server refuses this mailbox at the moment, whatever/)
    assert.equal(stand().status, 'failing')
    assert.deepEqual([warnings.length, warnings[0]?.mailbox], [1, 'support'])
    assert.match(stand().text, /^paused until 20.* \(1 in a row\): .*Daily user sending limit exceeded/)
    for (const minutes of [1, 2, 4, 8, 16, 32, 64, 128, 240, 240]) {
      const before = tried.length
      await later(minutes * MINUTE - 5000)
      assert.equal(tried.length, before, `${minutes} minutes have not passed`)
      await later(6000)
      assert.ok(tried.length > before && tried.length <= before + 2, `after ${minutes} minutes it is tried again`)
    }
    assert.deepEqual(await statuses(all), ['queued', 'queued', 'queued'])
    assert.deepEqual(new Set(outcomes), new Set(['limited']))
    answer({})
    await later(4 * HOUR)
    await tick()
    assert.deepEqual(await statuses(all), ['sent', 'sent', 'sent'])
    assert.deepEqual([stand().status, stand().send_pauses, stand().send_paused_until], ['ok', 0, null])
  })

  test('ends no enrollment', async (t) => {
    const { tick, later, write, answer } = await start(t, { data: () => LIMIT })
    const message = await write('seq@one.example')
    const { contact_id } = await desk.inbox.conversation(message.conversation_id)
    const id = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id })
    const { db } = server.store
    db.prepare('UPDATE message_headers SET enrollment_id = ? WHERE message_id = ?').run(id, message.id)
    const status = () => db.prepare('SELECT status FROM enrollments WHERE id = ?').pluck().get(id)
    await tick()
    for (let hours = 0; hours < 48; hours++) await later(HOUR)
    assert.deepEqual([await statusOf(message), status()], ['queued', 'active'])
    answer({})
    await later(4 * HOUR)
    assert.deepEqual([await statusOf(message), status()], ['sent', 'active'])
  })

  test('lets what somebody writes meanwhile be tried once, a few times: a wrong address shows at once', async (t) => {
    const { tick, tried, write, answer } = await start(t, { data: () => LIMIT })
    const first = await write('first@one.example')
    await tick()
    answer({ rcpt: () => '550 5.1.1 No such user' })
    const wrong = await write('wrong@one.example')
    await tick()
    assert.deepEqual([await statusOf(first), await statusOf(wrong)], ['queued', 'failed'])
    answer({ data: () => LIMIT })
    const before = tried.length
    const until = stand().send_paused_until
    for (let n = 0; n < 15; n++) {
      await write(`fresh${n}@one.example`)
      await tick()
    }
    assert.equal(tried.length - before, 9, 'ten in a pause')
    assert.deepEqual([stand().send_paused_until, stand().send_pauses], [until, 1], 'which makes it no longer')
  })

  test('is over when one of these is accepted, and all others follow at once', async (t) => {
    const { tick, write, answer } = await start(t, { data: () => LIMIT })
    const waiting = [await write('w1@one.example'), await write('w2@one.example'), await write('w3@one.example')]
    await tick()
    answer({})
    const fresh = await write('now@one.example')
    await tick()
    await tick()
    assert.deepEqual(await statuses([fresh, ...waiting]), ['sent', 'sent', 'sent', 'sent'])
  })

  test('is no longer waited for once the settings of the mailbox changed', async (t) => {
    const { tick, write, answer, tried, apply } = await start(t, { data: () => LIMIT })
    const message = await write('set@one.example')
    await tick()
    answer({})
    await tick()
    assert.equal(tried.length, 1)
    const { db } = server.store
    db.prepare("UPDATE mailboxes SET name = 'Other'").run()
    apply()
    await tick()
    assert.equal(await statusOf(message), 'sent')
  })

  test('is tried again with other mails than those that began the pause', async (t) => {
    const { tick, later, write, answer } = await start(t, { data: () => LIMIT })
    const bad = [await write('bad1@one.example'), await write('bad2@one.example')]
    const good = await write('good@one.example')
    await tick()
    answer({ rcpt: (address) => (address.startsWith('bad') ? LIMIT : undefined) })
    await later(2 * MINUTE)
    await later(3 * MINUTE)
    assert.deepEqual(await statuses([...bad, good]), ['queued', 'queued', 'sent'])
  })

  test('does not hold the others for ever where only one mail is refused with its words', async (t) => {
    const isBad = (address: string) => (address.startsWith('bad') ? LIMIT : undefined)
    const { tick, later, write } = await start(t, { rcpt: isBad })
    const bad = await write('bad@one.example')
    await tick()
    const good: Row[] = []
    for (let n = 0; n < 6; n++) {
      good.push(await write(`good${n}@one.example`))
      await tick()
      await later(5 * MINUTE)
    }
    assert.deepEqual(new Set(await statuses(good)), new Set(['sent']))
    assert.equal(stand().send_pauses, 0, 'it has retries of its own now')
    for (let n = 0; n < 20; n++) await later(HOUR)
    assert.equal(await statusOf(bad), 'failed')
  })
})

describe('a refusal that does not say whose it is', () => {
  const UNCLEAR = '554 5.7.0 Not now, id 4711'

  test('is about us once a second recipient is refused alike', async (t) => {
    let ids = 0
    const { tick, later, write, answer } = await start(t, { data: () => `554 5.7.0 Not now, id a${ids++}` })
    const first = await write('u1@one.example')
    await tick()
    assert.equal(await statusOf(first), 'queued')
    assert.equal(stand().send_pauses, 0)
    const second = await write('u2@two.example')
    await tick()
    assert.deepEqual([await statusOf(second), stand().send_pauses, stand().status], ['queued', 1, 'failing'])
    answer({})
    await later(11 * MINUTE)
    await tick()
    assert.deepEqual(await statuses([first, second]), ['sent', 'sent'])
  })

  test('is about the mail if others are accepted, or if it is the only one', async (t) => {
    const { tick, later, write } = await start(t, { rcpt: (one) => (one.startsWith('odd') ? UNCLEAR : undefined) })
    const odd = await write('odd@one.example')
    await tick()
    const good = await write('even@two.example')
    await tick()
    assert.deepEqual(await statuses([odd, good]), ['queued', 'sent'])
    const other = await write('odd2@three.example')
    await tick()
    assert.equal(stand().send_pauses, 0, 'something was accepted between them')
    await later(11 * MINUTE)
    assert.deepEqual(await statuses([odd, other]), ['failed', 'queued'])
    assert.match((await desk.now(odd)).error, /5\.7\.0 Not now/)
    await later(59 * MINUTE)
    assert.equal(await statusOf(other), 'queued', 'a limit of an hour may not be over')
    await later(MINUTE)
    assert.equal(await statusOf(other), 'failed')
  })

  test('is about the mail after three times where there is no other one, also in words of a limit', async (t) => {
    const { tick, later, write, tried } = await start(t, { data: () => '550 5.7.1 Message count limit exceeded' })
    const only = await write('only@one.example')
    await tick()
    await later(11 * MINUTE)
    assert.equal(await statusOf(only), 'queued')
    await later(HOUR)
    assert.deepEqual([await statusOf(only), stand().send_pauses, tried.length], ['failed', 0, 3])
    assert.equal(stand().status, 'ok')
  })
})

describe('a refusal of one recipient', () => {
  test('in words about an account fails at once, and pauses nothing', async (t) => {
    const { tick, write } = await start(t, {
      rcpt: (address) =>
        address.startsWith('off') ? `550 5.1.1 User ${address} is disabled` : '550 This account is suspended',
    })
    const all = [await write('off@one.example'), await write('other@two.example')]
    await tick()
    assert.deepEqual(await statuses(all), ['failed', 'failed'])
    assert.deepEqual([stand().send_pauses, stand().status], [0, 'ok'])
  })

  const BAD = (address: string) =>
    address.startsWith('bad') ? `450 4.1.2 <${address}>: Recipient address rejected: Domain not found` : undefined

  test('delays no other mail: with eight of them, the good one goes out in the same moment', async (t) => {
    const { tick, tried, write, later } = await start(t, { rcpt: BAD })
    const bad: Row[] = []
    for (let n = 0; n < 8; n++) bad.push(await write(`bad${n}@typo.example`))
    const good = await write('good@one.example')
    await tick()
    assert.equal(await statusOf(good), 'sent')
    assert.equal(tried.length, 9, 'each was tried once')
    for (let round = 0; round < 5; round++) {
      await later(2 ** round * 1000)
      const next = await write(`good${round}@one.example`)
      const count: number = tried.length
      await tick()
      assert.deepEqual([await statusOf(next), (await desk.now(next)).error], ['sent', null])
      assert.ok(tried.length - count <= 9, 'before it each other one was tried at most once')
    }
    assert.deepEqual(new Set(await statuses(bad)), new Set(['queued']))
    assert.equal(stand().status, 'ok', 'a wrong address is no fault of the mailbox')
    for (const [n, each] of bad.entries()) assert.match((await desk.now(each)).error, new RegExp(`bad${n}@typo`))
    for (let hours = 0; hours < 20; hours++) await later(HOUR)
    assert.deepEqual(new Set(await statuses(bad)), new Set(['failed']))
  })

  test('also with 421, and behind the mail', async (t) => {
    const { tick, write } = await start(t, {
      rcpt: (address) => (address.startsWith('bad') ? `421 4.4.2 <${address}>: no answer` : undefined),
      data: (source) => (source.includes('busy') ? '450 4.2.0 Mailbox busy' : undefined),
    })
    for (const name of ['bad1', 'bad2', 'bad3', 'busy1', 'busy2']) await write(`${name}@one.example`)
    const good = await write('good@one.example')
    await tick()
    assert.equal(await statusOf(good), 'sent')
  })

  test('shows in no error of others, also where the server fails with the address of one', async (t) => {
    const failing = (source: Buffer) =>
      `451 4.3.0 ${/^To: .*<(\S+)>/m.exec(source.toString())?.[1]}: queue file write error`
    const { tick, write } = await start(t, { data: failing })
    const all = []
    for (let n = 0; n < 5; n++) all.push(await write(`person${n}@one.example`))
    await tick()
    for (const [n, message] of all.entries()) {
      const { error } = await desk.now(message)
      assert.match(error, /queue file write error/)
      for (const other of all.keys()) if (other !== n) assert.ok(!error.includes(`person${other}@`), error)
    }
    assert.ok(!stand().text.includes('person'), stand().text)
    assert.equal(stand().status, 'failing')
  })
})
