import assert from 'node:assert/strict'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { conversationStore } from '../../src/inbox/conversations/conversations.ts'
import { moveStore } from '../../src/inbox/conversations/moves.ts'
import { spamStore } from '../../src/inbox/conversations/spam.ts'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxSettings } from '../../src/inbox/mailboxes/settings.ts'
import { columns as messageColumns } from '../../src/inbox/messages/message.ts'
import { messageStore } from '../../src/inbox/messages/messages.ts'
import { outgoingStore } from '../../src/inbox/messages/outgoing.ts'
import { incomingStore } from '../../src/mail/incoming.ts'
import { ratingStore } from '../../src/mail/satisfaction/ratings.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { calendarLines, eventLines, invitingMail, received } from '../support/invitation.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Org } from '../support/org.ts'
import type { TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

// Mailboxes and what goes through them: mails that came in, mails that wait to be sent, and a sequence that sends some.

/** Neither is allowed to come out. */
export const PASSWORD = 'Sesame, open! 4711'

const VARIABLE = 'DEALBOX_TEST_OF_EXPORTS'

export const ACCESS_TOKEN = 'access-token-of-a-mailbox'
export const REFRESH_TOKEN = 'refresh-token-of-a-mailbox'

/** A mailbox with everything that one can have but OAuth, and one with that. */
export function addMailboxes(server: TestServer, org: Org): Mailbox {
  process.env[VARIABLE] = PASSWORD
  const login = { user: 'support', password_env: VARIABLE }
  const full = {
    ...SUPPORT,
    name: '=Acme, "Support"',
    member: 'ana@acme.example',
    has_reply_tags: true,
    daily_limit: 40,
    spacing_s: 60,
    aliases: ['=help@acme.example'],
    reply_to: 'never',
    trusted_forwarders: ['forms.example'],
    smtp: { ...SUPPORT.smtp, ...login },
    imap: { ...SUPPORT.imap, ...login, folder: 'Größe', authserv_id: 'mx.acme.example' },
  }
  const oauth = { provider: 'google', client_id: 'crm', client_secret_env: VARIABLE }
  const plain = {
    key: 'plain',
    name: 'Plain',
    address: 'plain@acme.example',
    smtp: { ...SUPPORT.smtp, user: 'crm' },
    oauth,
  }
  const boxes = setMailboxes({ ...server, a: org }, [full, plain])
  delete process.env[VARIABLE]
  const { store } = server
  const tokens = { access: ACCESS_TOKEN, refresh: REFRESH_TOKEN, lifetime_s: 3600, refreshLifetime_s: null }
  store.transaction(() => mailboxSettings(store).connect(org.org, boxes.plain as Mailbox, tokens))
  return boxes.support as Mailbox
}

/** The contact has an email, and may be written to. */
export async function fillMail(server: TestServer, org: Org, texts: readonly string[], contact_id: string) {
  const { store, deps, call } = server
  const mailbox = addMailboxes(server, org)
  const { sequences } = showSettings(store, org.org)
  const step = { delay_s: 86_400, business_days_only: true }
  const steps = texts.flatMap((text) => [
    { ...step, type: 'email', subject: `x ${text}`.slice(0, 200), body: `x ${text}` },
    { ...step, type: 'call', task_title: `x ${text}`, body: `x ${text}` },
  ])
  const own = { key: 'own', name: '=Own', description: '=x', status: 'active', hours: 'h1', mailbox: 'support' }
  const ids = setLevels(store, org.org, {
    sequences: [...sequences, { ...own, steps: steps.map(plainText), stop_on: ['reply'] }],
  })

  async function send(path: string, body: object): Promise<{ id: string; conversation_id: string }> {
    const answer = await call('POST', path, body, { token: org.token })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }

  await send('/enrollments', { sequence_id: ids.own, contact_id })
  const acts = { assign: 'ana@acme.example', priority: 'high', answer: '=Thanks, {{contact.first_name}}' }
  const when = { mailbox: 'support', from: 'firm.example', sender: 'new', text: 'zoe' }
  applySettings(store, org.org, {
    rules: [{ key: 'first', name: '=First', when, do: acts }],
    satisfaction: {
      ...{ is_active: false, mailboxes: ['support'], language: 'de', question: '=War es gut?', pause_days: 30 },
      ...{ good: '=Ja', not_good: '=Nein' },
    },
  })
  for (const [at, text] of texts.entries()) {
    const mail = mailIn({
      subject: text,
      text,
      references: [`<${at}@x>`],
      replyTo: { email: `=${at}@firm.example`, name: text },
      cc: [{ email: 'eva@firm.example', name: text }],
    })
    const taken = store.transaction(() => incomingStore(deps).take(org.org, mailbox, mail, server.now()))
    assert.equal(taken.outcome, 'imported')
  }
  const weekly = eventLines({ more: ['RRULE:FREQ=WEEKLY;COUNT=3'], title: '=Weekly' })
  const head = ['Authentication-Results: mx.acme.example; spf=pass; dkim=fail; dmarc=none']
  const invitation = await received(invitingMail(calendarLines('REQUEST', [weekly]), { head }), server.now())
  store.transaction(() => incomingStore(deps).take(org.org, mailbox, invitation, server.now()))
  const waiting = { contact_id, channel: 'email', direction: 'outbound', subject: '=x' }
  const [first] = [
    await send('/messages', { ...waiting, body_text: 'On its way' }),
    await send('/messages', { ...waiting, body_text: 'Waits' }),
  ]
  await send('/messages', {
    conversation_id: first.conversation_id,
    direction: 'outbound',
    body_text: 'Held',
    send_at: new Date(server.now() + 86_400_000).toISOString(),
    send_unless_reply: true,
    closes_conversation: true,
  })
  await send('/messages', {
    ...{ conversation_id: first.conversation_id, direction: 'outbound', body_text: 'Passed on' },
    ...{ forwards_message_id: first.id, to: [{ email: 'parts@supply.example' }] },
  })
  const mails = store.db
    .prepare(
      `SELECT id, conversation_id, author ->> 'email' AS email FROM messages
       WHERE org_id = ? AND direction = 'inbound' AND channel = 'email' ORDER BY id`,
    )
    .all(org.org) as { id: string; conversation_id: string; email: string }[]
  const [one, ...others] = mails
  const other = others.find(({ conversation_id }) => conversation_id !== one?.conversation_id)
  assert.ok(one && other)
  const who = { org: org.org, member: org.owner }
  const { merge, split, toMailbox, takeBack } = moveStore(deps)
  const conversation = conversationStore(deps).byId(who, one.conversation_id)
  store.transaction(() => merge(who, conversation, other.conversation_id))
  const moved = messageColumns.present(messageStore(deps).find(who, one.id))
  const made = store.transaction(() => split(who, moved))
  store.transaction(() => takeBack(who, made.id, made.version))
  const box = store.db
    .prepare(
      `SELECT id FROM mailboxes WHERE org_id = @org AND is_active = 1 AND member_id IS NULL AND id NOT IN
         (SELECT mailbox_id FROM conversation_mailboxes WHERE org_id = @org AND conversation_id = @id)`,
    )
    .pluck()
    .get({ org: org.org, id: other.conversation_id }) as string
  store.transaction(() => toMailbox(who, conversationStore(deps).byId(who, other.conversation_id), box))
  const [last] = others.slice(-1)
  const marked = conversationStore(deps).byId(who, last?.conversation_id as string)
  store.transaction(() => spamStore(deps).mark(who, marked, true))
  await send('/messages', { direction: 'inbound', channel: 'email', from: { email: last?.email }, body_text: 'Held' })
  const { ask, answer } = ratingStore(deps)
  store.transaction(() => {
    ask(org.org, first.id, { language: 'de', question: '=War es gut?', good: '=Ja', not_good: '=Nein' })
    answer(org.org, first.id, { answer: 'not_good', comment: '=Zu spät' })
  })
  store.transaction(() => sendingStore(deps).begin(org.org, first.id))
  store.transaction(() => outgoingStore(deps).alias(org.org, first.id, ['<=replaced@provider.example>']))
}

/** Titles and subjects are one line. */
const plainText = <Step extends { subject?: string; task_title?: string }>(step: Step): Step => ({
  ...step,
  ...(step.subject === undefined ? {} : { subject: oneLine(step.subject) }),
  ...(step.task_title === undefined ? {} : { task_title: oneLine(step.task_title) }),
})

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
