import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { mailKinds } from '../../src/mail/jobs.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { ENROLLMENT_STEP } from '../../src/sequences/enrollments/enrollment-writer.ts'
import { jobQueue } from '../../src/store/jobs/jobs.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { enroll, insertRow, makeSequence } from '../support/enrolled.ts'
import { inboxOf } from '../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startSmtp } from '../support/smtp.ts'
import { cli, cliJson } from './command-line.ts'

// `dealbox jobs ...` beside a server, whose scheduler runs when the test says so.

let server: TestServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  server = await startServer()
  server.advance(Date.now() - server.now() + 60_000) // commands know the real time only
  inbox = inboxOf(server)
})
after(() => server.stop())

const command = (...argv: string[]) => cli([...argv, '--data', server.dataDir])
const list = (...argv: string[]): Promise<Row[]> => cliJson('jobs', 'list', ...argv, '--data', server.dataDir)
const lastEntry = async (): Promise<unknown[]> => {
  const { action, record_id } = (await cliJson('audit', '--data', server.dataDir)).at(-1)
  return [action, record_id]
}
const change = (sql: string, ...values: unknown[]) => server.store.db.prepare(sql).run(...values)

async function refusal(verb: string, id: string): Promise<string> {
  const { code, err } = await cli(['jobs', verb, id, '--data', server.dataDir, '--json'])
  assert.equal(code, 1)
  return JSON.parse(err).code
}

/** A mail server, and a mailbox that sends through it. */
async function office(t: TestContext) {
  const smtp = await startSmtp(t)
  const { imap, ...sending } = SUPPORT
  setMailboxes(server, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
  const post = outboundMail({ deps: server.deps, write: server.store.write })
  let scheduler: ReturnType<typeof schedulerHarness> | undefined
  t.after(async () => {
    await scheduler?.stop()
    post.close()
    change('DELETE FROM jobs')
  })
  /** Runs what is due, as a server does all the time. */
  const tick = (): Promise<void> => {
    server.advance(1000)
    scheduler ??= schedulerHarness(server, { kinds: mailKinds(post) })
    return scheduler.tick()
  }
  return { smtp, tick }
}

async function queued(): Promise<Row> {
  const seq = server.lastSeq()
  const question = {
    direction: 'inbound',
    channel: 'email',
    from: { email: `eva${seq}@firm.example` },
    body_text: 'Where?',
  }
  const { conversation_id } = await inbox.make('/messages', question)
  return inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here.' })
}

const now = ({ id }: Row): Promise<Row> => inbox.get(`/messages/${id}`)

describe('the job of a mail', () => {
  test('that waits is listed; once dropped, its message has failed and the contact waits again', async (t) => {
    await office(t)
    const message = await queued()
    const [job, ...more] = await list()
    assert.equal(more.length, 0)
    assert.deepEqual(
      [job?.kind, job?.key, job?.state, job?.org_id, job?.org_name, job?.tries],
      ['message.send', message.id, 'waiting', server.a.id, 'Acme', 0],
    )
    assert.deepEqual(await list('--given-up'), [])
    assert.equal((await inbox.conversation(message.conversation_id)).waiting_since, null)
    const { code, out, err } = await command('jobs', 'drop', job?.id)
    assert.deepEqual(await lastEntry(), ['job.dropped', job?.id])
    assert.equal(err, '')
    assert.deepEqual([code, out], [0, `Dropped message.send ${job?.id}.\n`])
    const { status, error } = await now(message)
    assert.deepEqual([status, error], ['failed', 'It was dropped with "dealbox jobs drop", and was not sent.'])
    assert.notEqual((await inbox.conversation(message.conversation_id)).waiting_since, null)
    assert.deepEqual(await list(), [])
  })

  test('that was given up is tried again from the start, and its message sent once', async (t) => {
    const { smtp, tick } = await office(t)
    smtp.answer({ data: () => '451 4.3.0 Later' })
    const message = await queued()
    change('UPDATE jobs SET tries = 21, leased_until = ?', server.now() - 1) // its server ended in the last attempt
    change('UPDATE message_headers SET attempted_at = 1, unconfirmed_tries = 2 WHERE message_id = ?', message.id)
    await tick()
    assert.equal((await now(message)).status, 'failed')
    const [job] = await list('--given-up')
    assert.deepEqual([job?.state, job?.tries], ['given up', 21])
    assert.match(job?.last_error, /not completed within its lease/)
    assert.notEqual(job?.failed_at, null)
    const shown = await command('jobs', 'list', '--given-up')
    assert.match(shown.out, new RegExp(`^ID .*\\n${job?.id}  Acme {10}message.send  given up  21 .*lease`))
    smtp.answer({})
    const { code, out } = await command('jobs', 'retry', String(job?.id).toUpperCase())
    assert.deepEqual(await lastEntry(), ['job.retried', job?.id])
    assert.equal(code, 0)
    assert.match(out, /^A running server runs message\.send \S{36} now; without one, the next to start does\.\n$/)
    const again = await now(message)
    assert.deepEqual([again.status, again.error], ['queued', null])
    assert.equal(
      (await inbox.conversation(message.conversation_id)).waiting_since,
      null,
      'it counts as an answer again',
    )
    const [waiting] = await list()
    assert.deepEqual(
      [waiting?.state, waiting?.tries, waiting?.last_error, waiting?.failed_at],
      ['waiting', 0, null, null],
    )
    await tick()
    const sent = await now(message)
    assert.deepEqual([sent.status, smtp.mails.length, await list()], ['sent', 1, []])
    assert.match(sent.error, /may have arrived twice/) // an attempt before ended without an answer
  })

  test('that was given up and is dropped leaves its message failed, as it was', async (t) => {
    const { tick } = await office(t)
    const message = await queued()
    change('UPDATE jobs SET tries = 21, leased_until = ?', server.now() - 1)
    await tick()
    const before = await now(message)
    const [job] = await list('--given-up')
    assert.equal((await command('jobs', 'drop', job?.id)).code, 0)
    assert.deepEqual([await now(message), before.status, await list()], [before, 'failed', []])
  })

  test('whose message was sent meanwhile is not tried again', async (t) => {
    await office(t)
    const message = await queued()
    change("UPDATE messages SET status = 'sent' WHERE id = ?", message.id)
    const [job] = await list()
    assert.equal(await refusal('retry', job?.id), 'job_ended')
  })

  test('that waits for its next attempt has it at once', async (t) => {
    const { tick, smtp } = await office(t)
    const message = await queued()
    change('UPDATE jobs SET due_at = ?, tries = 9', server.now() + 3_600_000)
    await tick()
    assert.equal(smtp.mails.length, 0)
    const [job] = await list()
    assert.equal((await command('jobs', 'retry', job?.id)).code, 0)
    await tick()
    assert.equal((await now(message)).status, 'sent')
  })

  test('that is running is left alone', async (t) => {
    await office(t)
    const message = await queued()
    change('UPDATE jobs SET leased_until = ?', server.now() + 60_000)
    const [job] = await list()
    assert.equal(job?.state, 'running')
    for (const verb of ['retry', 'drop']) assert.equal(await refusal(verb, job?.id), 'job_running')
    assert.deepEqual([(await now(message)).status, (await list()).length], ['queued', 1])
  })
})

describe('the job of the next step of an enrollment', () => {
  async function enrolled(): Promise<{ id: string; job: string }> {
    const contact = await inbox.make('/contacts', { last_name: 'Lee' })
    const id = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id: contact.id })
    const dueAt = server.now() + 60_000
    jobQueue(server.store).put(server.a.org, { kind: ENROLLMENT_STEP, key: id, payload: {}, dueAt })
    const job = (await list()).find(({ key }) => key === id)
    return { id, job: job?.id }
  }

  test('stops the enrollment when it is dropped', async () => {
    const { id, job } = await enrolled()
    assert.equal((await command('jobs', 'drop', job)).code, 0)
    const { status, stop_reason } = await inbox.get(`/enrollments/${id}`)
    assert.deepEqual([status, stop_reason, await list()], ['stopped', 'manual', []])
  })

  test('is not tried again once the enrollment has ended, and can be dropped', async () => {
    const { id, job } = await enrolled()
    change(
      "UPDATE enrollments SET status = 'failed', stop_reason = 'error', due_at = NULL, finished_at = 1 WHERE id = ?",
      id,
    )
    change("UPDATE jobs SET failed_at = 1, last_error = 'x' WHERE id = ?", job)
    assert.equal(await refusal('retry', job), 'job_ended')
    assert.equal((await command('jobs', 'drop', job)).code, 0)
    const { status, stop_reason } = await inbox.get(`/enrollments/${id}`)
    assert.deepEqual([status, stop_reason, await list()], ['failed', 'error', []])
  })
})

describe('any other job', () => {
  const put = async (kind: string, key: string): Promise<string> => {
    jobQueue(server.store).put(server.a.org, { kind, key, payload: {}, dueAt: server.now() + 60_000 })
    return (await list()).find((job) => job.key === key)?.id
  }

  test('is dropped only once it was given up: nothing else would do its work', async () => {
    const id = await put('conversation.wake', 'x')
    assert.equal(await refusal('drop', id), 'job_waiting')
    change('UPDATE jobs SET failed_at = 1, tries = 20 WHERE id = ?', id)
    assert.equal((await command('jobs', 'retry', id)).code, 0)
    const [job] = await list()
    assert.deepEqual([job?.state, job?.tries], ['waiting', 0])
    assert.ok(Date.parse(job?.due_at) <= server.now() + 1000)
    change('UPDATE jobs SET failed_at = 1 WHERE id = ?', id)
    assert.equal((await command('jobs', 'drop', id)).code, 0)
    assert.deepEqual(await list(), [])
  })

  test('of a change of many records ends that change', async () => {
    const { a, store } = server
    const [bulk, undo] = [store.clock.id(), store.clock.id()]
    const row = {
      org_id: a.org,
      member_id: a.owner,
      object: 'deals',
      change: '{}',
      total: 9,
      done: 3,
      failed: 0,
      created_at: 0,
    }
    insertRow(store, 'bulk_changes', { ...row, id: bulk })
    insertRow(store, 'bulk_changes', { ...row, id: undo, finished_at: 1, undo_started_at: 2 })
    const jobs = [await put('bulk change', bulk), await put('bulk undo', undo)]
    change('UPDATE jobs SET failed_at = 1')
    for (const id of jobs) assert.equal((await command('jobs', 'drop', id)).code, 0)
    const rows = store.db.prepare(
      'SELECT done, finished_at > 1 AS is_new, undone_at > 0 AS is_undone FROM bulk_changes WHERE org_id = ? ORDER BY id',
    )
    assert.deepEqual(rows.all(a.org), [
      { done: 3, is_new: 1, is_undone: null },
      { done: 3, is_new: 0, is_undone: 1 },
    ])
  })

  test('of a hand-over ends it, and who was away is not any more', async () => {
    const { a, store } = server
    const counts = { total: 9, done: 3, failed: 0, created_at: 0 }
    const row = { org_id: a.org, member_id: a.owner, object: 'members', from_id: a.owner, change: '{}', ...counts }
    const [given, undone, lent] = [store.clock.id(), store.clock.id(), store.clock.id()]
    insertRow(store, 'bulk_changes', { ...row, id: given })
    insertRow(store, 'bulk_changes', { ...row, id: undone, finished_at: 1, undo_started_at: 2 })
    insertRow(store, 'bulk_changes', { ...row, id: lent, finished_at: 1, returns_on: '2027-01-01' })
    const jobs = [await put('hand over', given), await put('hand over undo', undone), await put('hand back', lent)]
    change('UPDATE jobs SET failed_at = 1')
    for (const id of jobs) assert.equal((await command('jobs', 'drop', id)).code, 0)
    const rows = store.db
      .prepare(
        "SELECT finished_at > 0, undo_started_at > 0, undone_at > 0 FROM bulk_changes WHERE org_id = ? AND object = 'members' ORDER BY id",
      )
      .raw()
    assert.deepEqual(rows.all(a.org), [
      [1, null, null],
      [1, 1, 1],
      [1, 1, 1],
    ])
  })

  test('that is not there is named', async () => {
    const unknown = server.store.clock.id()
    for (const id of [unknown, 'x']) assert.equal(await refusal('drop', id), 'no_such_job')
    const { err } = await command('jobs', 'retry', 'x')
    assert.equal(err, 'There is no job x. "dealbox jobs list" shows all jobs.\n')
  })
})

test('what was done with a job is in the audit log', async () => {
  jobQueue(server.store).put(server.a.org, { kind: 'sla.recount', key: 'org', payload: {}, dueAt: server.now() })
  const [job] = await list()
  for (const verb of ['retry', 'drop']) {
    change('UPDATE jobs SET failed_at = 1')
    assert.equal((await command('jobs', verb, job?.id)).code, 0)
  }
  const entries: Row[] = await cliJson('audit', '--data', server.dataDir)
  const ofJob = entries.filter(({ record_id }) => record_id === job?.id)
  assert.deepEqual(ofJob.map(({ action, record_id, detail, org }) => [action, record_id, detail, org]).sort(), [
    ['job.dropped', job?.id, { kind: 'sla.recount' }, server.a.id],
    ['job.retried', job?.id, { kind: 'sla.recount' }, server.a.id],
  ])
})

test('jobs of each organisation are listed with its name, or those of one', async () => {
  const { a, b, store } = server
  for (const { org } of [a, b])
    jobQueue(store).put(org, { kind: 'sla.recount', key: 'org', payload: {}, dueAt: server.now() })
  assert.deepEqual(
    (await list()).map(({ org_name, org_id }) => [org_name, org_id]),
    [
      ['Acme', a.id],
      ['Birch', b.id],
    ],
  )
  assert.deepEqual(
    (await list('--org', b.id)).map(({ org_name }) => org_name),
    ['Birch'],
  )
  change('DELETE FROM jobs')
  assert.equal((await command('jobs', 'list')).out, 'There are no jobs.\n')
  assert.equal((await command('jobs', 'list', '--given-up')).out, 'No job was given up.\n')
})
