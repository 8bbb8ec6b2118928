import assert from 'node:assert/strict'
import { applySettings } from '../../src/app/settings/document.ts'
import { inboxKinds } from '../../src/inbox/conversations/jobs.ts'
import { mailKinds } from '../../src/mail/jobs.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { sequenceKinds } from '../../src/sequences/enrollments/jobs.ts'
import { settings } from '../fuzz/settings.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { startServer } from './server.ts'

const REFUSED = 'p4@x.example'

/**
 * Starts a server with the sequences of the fuzzer and enrolled contacts: one completed, one active, one who replied,
 * one paused, one whose mails were rejected. `taken` contains the sent mails by Message-ID.
 */
export async function startOutreach() {
  const server = await startServer()
  const { store, deps, a, call } = server
  const taken = new Map<string, number>()
  const sequences: Record<string, string> = {}
  const people: string[] = []
  const sending = sendingStore(deps)
  const mailOf = store.db.prepare(
    "SELECT external_id AS id, sent_to ->> 0 ->> 'email' AS email FROM messages WHERE id = ?",
  )

  async function send(org: number, message: string): Promise<void> {
    const { id, email } = mailOf.get(message) as { id: string; email: string }
    const isRefused = email === REFUSED
    if (!isRefused) taken.set(id, 1)
    await store.write(() => void (isRefused ? sending.failed(org, message, 'No', false) : sending.sent(org, message)))
  }
  const scheduler = schedulerHarness(server, {
    kinds: [...inboxKinds(deps), ...sequenceKinds(deps), ...mailKinds({ send, giveUp: () => undefined })],
  })

  async function make(path: string, given: object): Promise<{ id: string; conversation_id: string }> {
    const { status, body, text } = await call('POST', path, given)
    assert.equal(status, 201, text)
    return body
  }

  const enroll = (name: string, person: number): Promise<{ id: string }> =>
    make('/enrollments', { sequence_id: sequences[name], contact_id: people[person] })

  /** A contact asks and gets an answer. */
  async function talk(person: number): Promise<void> {
    const from = { direction: 'inbound', contact_id: people[person], channel: 'email', body_text: 'Hello?' }
    const { conversation_id } = await make('/messages', from)
    await make('/messages', { direction: 'outbound', conversation_id, body_text: 'Hello.' })
  }

  async function fill(): Promise<void> {
    for (let index = 0; index < 8; index++)
      people.push((await make('/contacts', { first_name: 'P', emails: [{ email: `p${index}@x.example` }] })).id)
    await talk(4)
    await enroll('Quick', 0)
    await enroll('Slow', 1)
    await enroll('Slow', 2)
    const { id } = await enroll('Slow', 3)
    await enroll('Slow', 4)
    await enroll('Calls', 5)
    for (let seconds = 0; seconds < 12; seconds++) {
      server.advance(1000)
      await scheduler.tick()
    }
    await call('PATCH', `/enrollments/${id}`, { status: 'paused' })
    const [answered] = (await call('GET', `/enrollments?contact_id=${people[2]}`)).body.data
    const { conversation_id } = answered
    await make('/messages', { direction: 'inbound', conversation_id, body_text: 'Yes, please.' })
    await talk(6)
  }

  const { email } = store.db.prepare('SELECT email FROM members WHERE id = ?').get(a.owner) as { email: string }
  applySettings(store, a.org, settings(false, { port: 25, member: email, name: 'Acme' }))
  for (const { id, name } of (await call('GET', '/sequences')).body.data) sequences[name] = id
  await fill()
  const stop = async (): Promise<void> => {
    await scheduler.stop()
    await server.stop()
  }
  return { server, taken, sequences, people, stop }
}
