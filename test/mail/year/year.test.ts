import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outgoingStore } from '../../../src/inbox/messages/outgoing.ts'
import { readMail } from '../../../src/lib/mail/parse/read.ts'
import { incomingStore } from '../../../src/mail/incoming.ts'
import { outgoingMails } from '../../../src/mail/mail-out.ts'
import { sendingStore, type Waiting } from '../../../src/mail/sending.ts'
import { newRandom } from '../../lib/mail/parse/mime/random.ts'
import { inboxOf } from '../../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import type { Row } from '../../support/records.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { startServer } from '../../support/server.ts'
import { type Happening, type Talk, yearOf } from './talks.ts'
import { BOXES, type Person, peopleOf, sourceOf } from './world.ts'

const COUNT = examples(10_000)
const SEED = seedOf(20261128)

type Seen = { at: number; isAwaited: boolean; isAnswer: boolean }

test(`a year of ${COUNT} mails: each in the talk that it belongs to, and who waits is seen`, async (t) => {
  const server = await startServer()
  t.after(() => server.stop())
  const inbox = inboxOf(server)
  const boxes = setMailboxes(
    server,
    BOXES.map((box, n) => ({ ...SUPPORT, ...box, name: `Harbor ${box.key}`, is_default: n === 0 })),
  )
  const random = newRandom(SEED)
  const people = peopleOf(random, 40)
  const start = server.now() + 86_400_000
  const conversationOf = new Map<Talk, string>()
  const seen = new Map<Talk, Seen[]>()
  const why = (talk: Talk): string => `${talk.name} of seed ${SEED}`
  const { db } = server.store
  const byId = db
    .prepare(
      'SELECT conversation_id FROM messages WHERE org_id = ? AND external_id IN (?, ?) ORDER BY external_id LIMIT 1',
    )
    .pluck()

  const sending = sendingStore(server.deps)
  const { mailOut } = outgoingMails(server.deps)
  async function write({ talk, to, bcc }: Happening & { kind: 'answer' }) {
    const emailOf = ({ name, email }: { name: string; email: string }) => ({ name, email })
    const given = { direction: 'outbound', body_text: 'Here is our answer.', ...(to ? { to: [emailOf(to)] } : {}) }
    const place = { conversation_id: conversationOf.get(talk) }
    const message: Row = await inbox.make(
      '/messages',
      bcc ? { ...given, ...(await opening(to as Person)), bcc: bcc.map(emailOf) } : { ...given, ...place },
    )
    const waiting = sending.waiting(server.a.org, message.id) as Waiting
    return { message, wire: mailOut(server.a.org, waiting, waiting.mailbox as never) }
  }
  async function opening({ name, email }: Person) {
    const contact = await inbox.make('/contacts?allow_duplicate=true', {
      first_name: name,
      emails: [{ email, is_primary: true }],
    })
    return { contact_id: contact.id, channel: 'email', subject: 'New prices' }
  }

  const filesOf = async (id: string): Promise<string> =>
    db
      .prepare('SELECT attachments FROM messages WHERE org_id = ? AND external_id = ?')
      .pluck()
      .get(server.a.org, id) as string

  for (const happening of yearOf(random, people, start, COUNT)) {
    const { talk } = happening
    server.advance(Math.max(0, happening.seenAt - server.now()))
    if (happening.kind === 'answer') {
      const { to, bcc } = happening
      const { message, wire } = await write(happening)
      conversationOf.set(talk, message.conversation_id)
      // A colleague of theirs may have written last.
      const theirs = [talk.person?.email, `c.${talk.person?.email}`]
      const goesTo = [...message.to, ...message.cc].map(({ email }) => email)
      if (to && !bcc) assert.deepEqual(goesTo, [to.email])
      else for (const email of goesTo) assert.ok(theirs.includes(email), `the answer of ${why(talk)} goes to ${email}`)
      if (!to) assert.ok(goesTo.includes(theirs[0] as string), `the answer of ${why(talk)} leaves them out`)
      happening.reader.id = message.external_id
      happening.token.id = wire.references[0] as string
      await server.store.write(() => void sending.sent(server.a.org, message.id))
      if (happening.isReplaced) {
        happening.reader.id = `<${message.id.slice(-12)}.${server.lastSeq()}@provider.example>`
        await server.store.write(
          () => void outgoingStore(server.deps).alias(server.a.org, message.id, [happening.reader.id]),
        )
      }
      const isAnswer = to === undefined || bcc !== undefined
      seen.set(talk, [...(seen.get(talk) ?? []), { at: server.now(), isAwaited: false, isAnswer }])
      continue
    }
    const written = happening.write()
    const mail = await readMail(sourceOf(written))
    const mailbox = boxes[happening.box.key] as never
    await server.store.write(() => incomingStore(server.deps).take(server.a.org, mailbox, mail, happening.at))
    const found = byId.get(server.a.org, written.id, written.id) as string | undefined
    assert.ok(found, `a mail of ${why(talk)} is accounted for`)
    const known = conversationOf.get(talk) ?? found
    assert.equal(found, known, `a mail of ${why(talk)} is in its conversation: ${JSON.stringify(written.headers)}`)
    conversationOf.set(talk, known)
    const files = written.file ? await filesOf(written.id) : ''
    if (written.file) assert.match(files, /list\.csv/, `a file of ${why(talk)} is there`)
    seen.set(talk, [...(seen.get(talk) ?? []), happening])
  }

  assert.equal(new Set(conversationOf.values()).size, conversationOf.size, 'no two talks share a conversation')
  const total = db.prepare('SELECT count(*) FROM conversations WHERE org_id = ?').pluck().get(server.a.org)
  assert.equal(total, conversationOf.size, 'and none is in two')
  const waiting: string[] = []
  for (const [talk, id] of conversationOf) {
    const conversation: Row = await inbox.conversation(id)
    const all = seen.get(talk) as Seen[]
    const answeredAt = Math.max(-1, ...all.filter(({ isAnswer }) => isAnswer).map(({ at }) => at))
    const first = all
      .filter(({ at, isAwaited }) => isAwaited && at > answeredAt)
      .map(({ at }) => at)
      .sort((a, b) => a - b)[0]
    const expected = first === undefined ? null : new Date(first).toISOString()
    if (conversation.waiting_since !== expected)
      waiting.push(`${why(talk)}: ${conversation.waiting_since} instead of ${expected}`)
    if (talk.person === null) continue
    const contact = await inbox.get(`/contacts/${conversation.contact_id}`)
    // A colleague of theirs may have been seen first.
    assert.equal(contact.emails[0].email.replace(/^c\./, ''), talk.person.email, `the contact of ${why(talk)}`)
  }
  assert.deepEqual(waiting, [])
})
