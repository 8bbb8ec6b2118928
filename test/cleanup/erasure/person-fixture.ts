import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { importFile } from '../../../src/imports/csv/import.ts'
import { contentOf } from '../../../src/inbox/messages/contents.ts'
import { originalStore } from '../../../src/inbox/messages/originals.ts'
import { outgoingStore } from '../../../src/inbox/messages/outgoing.ts'
import type { MailIn } from '../../../src/lib/mail/mail.ts'
import { incomingStore } from '../../../src/mail/incoming.ts'
import { ratingStore } from '../../../src/mail/satisfaction/ratings.ts'
import { indexAll } from '../../store/searched.ts'
import { enroll, insertRow, makeSequence } from '../../support/enrolled.ts'
import { mailIn, SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { stillPace } from '../../support/pace.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import type { TestServer } from '../../support/server.ts'

// An organisation with a person in every place where one can be. Each of their texts has the same letters, which nothing
// else in a data folder has: what is left of the person is found by them.

export const LETTERS = 'qzxjvkq'
export const DIGITS = '4040881277'
export const EMAIL = `${LETTERS}@mail.example`
export const NAME = `Qna${LETTERS} Ko${LETTERS}`

/** Every column of text in which a person can be. Others have ids, choices, and what the organisation says of itself. */
export const PERSONAL = [
  'contacts.first_name contacts.last_name contacts.name contacts.name_key contacts.emails contacts.phones',
  'contacts.job_title contacts.linkedin_url contacts.website contacts.address contacts.source contacts.external_id',
  'contacts.custom_fields contacts.archived_fields contact_emails.email_key contact_values.value',
  'bin.title bin.record companies.description companies.custom_fields company_values.value conversations.subject conversations.preview',
  'deals.title deals.title_key drafts.body draft_files.name events.data idempotency.body import_omissions.reason import_rows.previous',
  'imports.file_name invitations.attendee meetings.title meetings.summary meetings.participants merges.undo',
  'message_headers.subject message_headers.reply_to messages.author messages.body_text messages.body_html',
  'mailboxes.trusted_forwarders message_aliases.external_id message_headers.delivered_to message_headers.refs',
  'messages.copies messages.sent_bcc messages.sent_from messages.sent_to ratings.comment',
  'messages.external_id messages.sent_cc messages.attachments notes.title notes.body notifications.title',
  'spam_senders.email_key rejected_mails.sender rejected_mails.subject search_docs.words search_pending.words search_words.word',
  'tasks.title tasks.body transcript_segments.speaker transcript_segments.text transcript_segments.words',
  'transcripts.speakers transcripts.words',
].flatMap((line) => line.split(' '))

const text = (what: string): string => `${LETTERS}${what}`
const base64 = (content: string): string => Buffer.from(content).toString('base64')

export type PersonFixture = Awaited<ReturnType<typeof fillPerson>>

export async function fillPerson(server: TestServer) {
  const { call, store, deps, a } = server
  const { newRecord, newId, newContact, patchRecord } = recordsOf(() => server)
  const { support } = setMailboxes(server)
  const field = (given: object) => newId('/custom-fields', { object: 'contact', label: 'Its', ...given })
  await field({ key: 'its_text', type: 'text' })
  await field({ key: 'its_email', type: 'email' })
  const old = await field({ key: 'its_old', type: 'text' })

  await newId('/custom-fields', { object: 'company', key: 'must', label: 'Must', type: 'email', is_required: true })
  const company = await newId('/companies', {
    custom_fields: { must: EMAIL },
    name: 'Northwind',
    description: `Ask ${NAME} first, once ${text('before')} Ko${LETTERS}`,
  })
  const [first_name, last_name] = NAME.split(' ')
  const person: Row = await newRecord(
    '/contacts',
    {
      ...{ first_name: text('before'), last_name, company_id: company, job_title: text('job'), source: text('source') },
      emails: [{ email: EMAIL }, { email: text('second@mail.example') }],
      phones: [{ number: `+49 ${DIGITS}` }],
      linkedin_url: `https://linkedin.example/${LETTERS}`,
      website: `https://${LETTERS}.example/`,
      address: { line1: text('street'), city: text('city') },
      external_id: text('external'),
      custom_fields: { its_text: text('custom'), its_email: text('custom@mail.example'), its_old: text('archived') },
    },
    { headers: { 'Idempotency-Key': 'made-once' } },
  )
  await patchRecord(`/contacts/${person.id}`, { first_name })
  await patchRecord(`/custom-fields/${old}`, { is_archived: true })
  const twin = await newContact({ last_name: text('twin'), emails: [{ email: text('twin@mail.example') }] })
  // Merged into the one that is merged itself.
  const first = await newContact({ last_name: text('first'), emails: [{ email: text('first@mail.example') }] })
  store.transaction(() =>
    mergeStore(deps).merge({ org: a.org, member: a.owner }, 'contact', twin.id as string, first.id as string),
  )
  store.transaction(() =>
    mergeStore(deps).merge({ org: a.org, member: a.owner }, 'contact', person.id as string, twin.id as string),
  )
  const ben = await newContact({
    first_name: 'Ben',
    company_id: company,
    source: `A friend of ${EMAIL}`,
    custom_fields: { its_email: EMAIL, its_text: `see ${EMAIL}` },
    emails: [{ email: 'ben@mail.example' }],
  })
  const deal = await newId('/deals', {
    title: `Licences for ${NAME}`,
    primary_contact_id: person.id,
    company_id: company,
  })
  const list = await newId('/lists', { name: 'Guests', object: 'contact', kind: 'static' })
  await call('POST', `/lists/${list}/members`, { add_ids: [person.id, ben.id] })

  const only = { contact_ids: [person.id] }
  const others = { ...only, company_ids: [company] }
  const notes = {
    own: await newId('/notes', { title: text('title'), body: text('note'), ...only }),
    shared: await newId('/notes', { body: `${NAME} likes it, write to ${EMAIL}.`, ...others }),
    binned: await newId('/notes', { body: text('binned'), ...only }),
  }
  await call('DELETE', `/notes/${notes.binned}`)
  const tasks = {
    own: await newId('/tasks', { title: text('task'), body: text('todo'), ...only }),
    shared: await newId('/tasks', { title: `Call ${NAME.toUpperCase()}`, ...only, deal_ids: [deal] }),
  }

  const time = { starts_at: '2026-01-01T09:00:00Z', ends_at: '2026-01-01T10:00:00Z' }
  const me = { member_id: a.owner }
  const them = { contact_id: person.id, name: text('nick') }
  const meetings = {
    own: await newId('/meetings', {
      title: text('meeting'),
      ...time,
      participants: [them, me],
      summary: text('summary'),
    }),
    shared: await newId('/meetings', {
      ...{ title: `Demo for ${NAME}`, ...time, deal_id: deal, participants: [them, me] },
    }),
  }
  const lunch = await newId('/meetings', { title: 'Lunch', ...time, participants: [them, me, { contact_id: ben.id }] })
  for (const meeting of Object.values(meetings)) {
    const segment = (speaker: string, said: string, at: number) => ({
      speaker,
      text: said,
      start_ms: at,
      end_ms: at + 9,
    })
    const { status, text: answer } = await call('PUT', `/meetings/${meeting}/transcript`, {
      speakers: [
        { key: text('voice'), name: text('nick'), contact_id: person.id },
        { key: 'ben', name: 'Ben' },
      ],
      segments: [segment(text('voice'), text('said'), 0), segment('ben', `As ${NAME} said, yes`, 10)],
    })
    assert.equal(status, 200, answer)
  }

  const attachments = [{ name: text('file.txt'), content_type: 'text/plain', data: base64(text('content').repeat(9)) }]
  const chat = { channel: 'chat', direction: 'inbound' }
  const own = await newRecord('/messages', {
    ...{ ...chat, contact_id: person.id, subject: text('subject'), body_text: text('message'), attachments },
    external_id: text('message-id'),
  })
  const answered = await newRecord('/messages', {
    conversation_id: own.conversation_id,
    direction: 'outbound',
    body_text: text('answer'),
  })
  const bens = await newRecord('/messages', { ...chat, contact_id: ben.id, body_text: 'I am Ben and ask' })
  const reply = await newRecord('/messages', {
    ...{ conversation_id: bens.conversation_id, direction: 'inbound', from: { email: EMAIL, name: text('from') } },
    body_text: text('between'),
    body_html: `<p>${text('between')}</p>`,
    attachments,
  })
  await newRecord('/messages', { conversation_id: bens.conversation_id, direction: 'note', body_text: `Tell ${EMAIL}` })
  const { ask, answer } = ratingStore(deps)
  store.transaction(() => {
    for (const [id, comment] of [
      [answered.id, text('comment')],
      [reply.id, `Write to ${EMAIL}`],
    ] as const) {
      ask(a.org, id, { language: 'en', question: 'How was it?', good: 'Good', not_good: 'Not good' })
      answer(a.org, id, { answer: 'good', comment })
    }
  })
  const mails = [
    mailIn({
      from: { email: EMAIL, name: NAME },
      subject: text('mail'),
      replyTo: { email: text('r@x.example'), name: null },
    }),
    mailIn({
      from: { email: 'eva@mail.example', name: 'Eva' },
      cc: [{ email: EMAIL, name: NAME }],
      text: `Hello ${NAME}`,
    }),
  ]
  const arrive = (mail: MailIn) =>
    store.transaction(() => incomingStore(deps).take(a.org, support as never, mail, server.now()))
  mails.forEach(arrive)

  // A mail of the person in a conversation of somebody else, which came a second time with a line of a gateway.
  const ben2 = { messageId: '<ben2@mail.example>', from: { email: 'ben@mail.example', name: 'Ben' } }
  const theirs = {
    ...{ messageId: '<theirs@mail.example>', from: { email: EMAIL, name: NAME }, inReplyTo: [ben2.messageId] },
    ...{ references: [ben2.messageId, `<${EMAIL}>`], to: [{ email: SUPPORT.address, name: NAME }], date: 1000 },
  }
  arrive(mailIn(ben2))
  arrive(mailIn({ ...theirs, subject: text('theirs'), text: text('theirs') }))
  arrive(mailIn({ ...theirs, subject: text('copied'), text: `${text('theirs')} ${text('gateway')}` }))
  const mailed = store.db
    .prepare('SELECT conversation_id FROM messages WHERE external_id = ?')
    .pluck()
    .get(ben2.messageId) as string
  const blind = await newRecord('/messages', {
    ...{ conversation_id: mailed, direction: 'outbound', body_text: 'For both' },
    bcc: [{ email: text('second@mail.example'), name: NAME }],
  })
  store.transaction(() => outgoingStore(deps).alias(a.org, blind.id as string, [`<${EMAIL}>`]))
  // What others write into the settings, and what a program puts in front of one of our addresses.
  const change = (sql: string, ...values: unknown[]) => store.db.prepare(sql).run(...values)
  change('UPDATE mailboxes SET trusted_forwarders = ?', JSON.stringify([EMAIL, 'forwarder.example']))
  change('UPDATE message_headers SET delivered_to = ? WHERE message_id = ?', JSON.stringify([EMAIL]), blind.id)
  change(
    'UPDATE messages SET sent_from = ? WHERE id = ?',
    JSON.stringify({ email: SUPPORT.address, name: NAME }),
    blind.id,
  )

  const nina = { email: 'nina@elsewhere.example', name: 'Nina' }
  arrive(
    mailIn({ messageId: '<nina@elsewhere.example>', from: nina, to: [], cc: [], subject: 'Else', text: 'Quite else' }),
  )
  for (const { id, ...mail } of store.db.prepare('SELECT * FROM messages WHERE org_id = ?').all(a.org) as Row[]) {
    // What others write there quotes the person.
    const quoted = mail.conversation_id === mailed ? NAME : ''
    const bytes = gzipSync(JSON.stringify({ ...mail, quoted }))
    const kept = { size_bytes: bytes.length, kept_bytes: bytes.length, content: contentOf(bytes) }
    store.transaction(() => originalStore(deps).add(a.org, id, kept))
  }
  indexAll(store) // what comes after it is pending
  const { id: sequence } = makeSequence(server, a)
  const enrollment = enroll(server, a, sequence, { contact_id: person.id, conversation_id: own.conversation_id })

  const folder = mkdtempSync(join(tmpdir(), 'dealbox-person-'))
  const file = join(folder, `${NAME}.csv`)
  writeFileSync(file, `First name,Email,Phone,Job title\nX,${EMAIL},${text('n')},${text('chief')}\n`)
  await importFile(store, {
    ...{ org: a.org, object: 'contact', file, match: 'email', rules: { lenient: true }, pace: stillPace },
  })
  rmSync(folder, { recursive: true })
  await patchRecord(`/contacts/${person.id}`, { first_name })

  const row = { org_id: a.org, at: 1 }
  const told = { kind: 'assigned', object: 'contact', record_id: person.id, title: text('told') }
  insertRow(store, 'notifications', { ...row, ...told, member_id: a.owner, id: store.clock.id() })
  insertRow(store, 'drafts', {
    ...{ org_id: a.org, member_id: a.owner, key: `note:contacts:${person.id}`, updated_at: 1 },
    body: JSON.stringify({ text: text('draft') }),
  })
  insertRow(store, 'file_contents', { org_id: a.org, sha256: 'd'.repeat(64), size_bytes: 0 })
  const filed = { [`reply:conversations:${mailed}`]: `${NAME}.pdf`, [`note:contacts:${person.id}`]: text('.pdf') }
  for (const [key, name] of Object.entries(filed))
    insertRow(store, 'draft_files', {
      ...{ org_id: a.org, id: store.clock.id(), key, member_id: a.owner, name, content_type: 'application/pdf' },
      ...{ size_bytes: 0, sha256: 'd'.repeat(64), expires_at: store.clock.now() },
    })
  insertRow(store, 'spam_senders', { org_id: a.org, email_key: EMAIL, at: 0 })
  insertRow(store, 'rejected_mails', {
    ...{ ...row, id: store.clock.id(), mailbox_id: (support as { id: string }).id, uid_validity: 1, uid: 1 },
    ...{ sender: EMAIL, subject: text('rejected'), error: 'too large' },
  })
  insertRow(store, 'invitations', {
    ...{
      org_id: a.org,
      uid: 'event@x',
      recurrence: '',
      attendee: EMAIL,
      sequence: 0,
      stamp: 0,
      senders: '[]',
      texts: '{}',
    },
  })
  return {
    person,
    ben,
    twin,
    first,
    company,
    deal,
    list,
    notes,
    tasks,
    meetings,
    lunch,
    own,
    bens,
    reply,
    enrollment,
    blind,
  }
}
