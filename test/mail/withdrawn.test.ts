import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { mailKinds } from '../../src/mail/jobs.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { stopRules } from '../../src/sequences/enrollments/stop-rules.ts'
import { DAY, mail, mailbox, startTimelines } from '../sequences/enrollment-replay.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { startSmtp } from '../support/smtp.ts'

type Timelines = Awaited<ReturnType<typeof startTimelines>>
type Enrolled = { id: string; contact_id: string; conversation_id: string; status: string }

/** What is sent of the first mail of a sequence, which waits for its server, and what becomes of it, after all that. */
async function leaves(
  t: TestContext,
  happens: (timelines: Timelines, enrolled: Enrolled) => unknown,
  steps = [mail(0, 'Hello'), mail(DAY)],
  greeted: (timelines: Timelines, enrolled: Enrolled) => unknown = () => undefined,
) {
  let greet: () => unknown = () => undefined
  const smtp = await startSmtp(t, {
    more: { onConnect: (_session, done) => void Promise.resolve(greet()).then(() => done()) },
  })
  const timelines = await startTimelines('Europe/Berlin')
  const { deps, store } = timelines
  timelines.apply({ steps, mailboxes: [mailbox({ smtp: { host: '127.0.0.1', port: smtp.server.port, tls: 'none' } })] })
  const { close, ...post } = outboundMail({ deps, write: store.write })
  const contact_id = await timelines.newContact()
  const [sequence] = (await timelines.call('GET', '/sequences')).body.data
  const id = await timelines.made('/enrollments', { sequence_id: sequence.id, contact_id })
  await timelines.goTo(timelines.now(), false)
  const enrolled = (await timelines.call('GET', `/enrollments/${id}`)).body
  await happens(timelines, enrolled)
  greet = () => greeted(timelines, enrolled)
  const seq = timelines.lastSeq()
  const scheduler = schedulerHarness(timelines, { kinds: mailKinds(post) })
  t.after(async () => {
    await scheduler.stop()
    close()
    await timelines.stop()
  })
  await scheduler.tick()
  const { status, error } = store.db.prepare('SELECT status, error FROM messages WHERE enrollment_id = ?').get(id) as {
    status: string
    error: string | null
  }
  const told = timelines.events(seq).map(({ type }) => type)
  const { body } = await timelines.call('GET', `/enrollments/${id}`)
  return { mails: smtp.mails.length, status, error, told, enrollment: body.status }
}

const patched = async ({ call }: Timelines, path: string, given: object): Promise<void> => {
  assert.equal((await call('PATCH', path, given)).status, 200)
}
const ENDED = 'It was not sent. The enrollment has ended.'
const withdrawn = (error: string, enrollment: string) => ({
  ...{ mails: 0, status: 'failed', error, told: ['message.failed'], enrollment },
})

test('a mail of a sequence that has waited is sent while its enrollment goes on, stands still or is completed', async (t) => {
  const sent = { mails: 1, status: 'sent', error: null, told: ['message.sent'] }
  assert.deepEqual(await leaves(t, () => {}), { ...sent, enrollment: 'active' })
  const pause = (timelines: Timelines, { id }: Enrolled) =>
    patched(timelines, `/enrollments/${id}`, { status: 'paused' })
  assert.deepEqual(await leaves(t, pause), { ...sent, enrollment: 'paused' })
  assert.deepEqual(await leaves(t, () => {}, [mail(0, 'Hello')]), { ...sent, enrollment: 'completed' })
})

test('it is not sent once its enrollment was stopped', async (t) => {
  const stop = (timelines: Timelines, { id }: Enrolled) =>
    patched(timelines, `/enrollments/${id}`, { status: 'stopped' })
  assert.deepEqual(await leaves(t, stop), withdrawn(ENDED, 'stopped'))
})

test('nor after an answer, also where it was the last one', async (t) => {
  const answer = (timelines: Timelines, { contact_id }: Enrolled) =>
    timelines.made('/messages', { contact_id, channel: 'chat', direction: 'inbound', body_text: 'No, thanks.' })
  assert.deepEqual(await leaves(t, answer, [mail(0, 'Hello')]), withdrawn(ENDED, 'completed'))
})

test('nor to who has unsubscribed, is to be left alone, or is gone', async (t) => {
  const last = [mail(0, 'Hello')]
  const unsubscribe = (timelines: Timelines, { contact_id }: Enrolled) =>
    timelines.store.write(() => {
      timelines.store.db.prepare('UPDATE contacts SET unsubscribed_at = 1 WHERE id = ?').run(contact_id)
      stopRules(timelines.deps).unsubscribed(timelines.a.org, contact_id)
      return null
    })
  const reason = (text: string) => withdrawn(`It was not sent. ${text}`, 'completed')
  assert.deepEqual(await leaves(t, unsubscribe, last), reason('The contact has unsubscribed.'))
  const leave = (timelines: Timelines, { contact_id }: Enrolled) =>
    patched(timelines, `/contacts/${contact_id}`, { do_not_contact: true })
  assert.deepEqual(await leaves(t, leave, last), reason('The contact has do_not_contact.'))
  const remove = (timelines: Timelines, { contact_id }: Enrolled) => timelines.call('DELETE', `/contacts/${contact_id}`)
  assert.deepEqual(await leaves(t, remove, last), reason('The contact was deleted.'))
  const { told, ...late } = await leaves(t, () => {}, last, leave) // before the mail server has greeted
  assert.deepEqual({ ...late, told: told.slice(1) }, reason('The contact has do_not_contact.'))
})
