import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, type FieldError, field, Problem } from '../../lib/problem.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import { conversationStore } from '../conversations/conversations.ts'
import { type MessageEffect, unchanged, wordsOfMessage } from '../conversations/message-effects.ts'
import { MESSAGE_SEND } from '../mailboxes/waiting-mails.ts'
import type { Message, MessageCreate } from './message.ts'
import { messageWriter } from './message-writer.ts'
import { outgoingStore } from './outgoing.ts'
import { sendingRows } from './sending-rows.ts'

// Mails that are held until a time. Until then they are no answer: the conversation, its SLA targets and its list are as before.
// docs/decisions/074-held-mails.md has the reasons.

const WRITER_LEFT = 'It was not sent: its writer was deactivated before its time came.'
const ANSWERED = 'It was not sent: they have written before its time came.'
/** Nobody remembers what was written to be sent in years. */
const MAX_AHEAD_MS = 366 * 86_400_000

/** What is wrong about the time of a message, as far as it can be said before its conversation is known. */
export function holdErrors(given: MessageCreate, channel: string | undefined, now: number): FieldError[] {
  const { send_at, send_unless_reply, direction, conversation_id, sent_at } = given
  if (send_at == null)
    return send_unless_reply === true
      ? [field('/send_at', 'required', 'is required: a message is only held for an answer until a time')]
      : []
  const at = parseTime(send_at) as number
  if (direction !== 'outbound' || channel !== 'email')
    return [field('/send_at', 'not_outbound_email', 'must be omitted unless the message is an outbound email')]
  if (conversation_id === undefined)
    return [field('/send_at', 'opening', 'must be omitted for a message that opens a conversation')]
  if (sent_at !== undefined) return [field('/send_at', 'sent_already', 'must be omitted together with sent_at')]
  if (at > now + MAX_AHEAD_MS) return [field('/send_at', 'too_late', 'must be within a year')]
  return []
}

export const heldStore = once((deps: Deps) => {
  const { db, clock, react } = deps
  const conversations = conversationStore(deps)
  const jobs = jobQueue(deps)
  const rows = sendingRows(db)
  const outgoing = outgoingStore(deps)
  const { finish } = messageWriter(deps)
  const rulesOf = db.prepare(
    'SELECT send_unless_reply, closes_conversation FROM message_headers WHERE org_id = ? AND message_id = ?',
  )
  const setRules = db.prepare(
    `UPDATE message_headers SET send_unless_reply = @unlessReply, closes_conversation = @closes
     WHERE org_id = @org AND message_id = @id`,
  )
  /** When the first of those came that a person has written since. */
  const answer = db
    .prepare(
      `SELECT min(sent_at) FROM messages INDEXED BY messages_conversation
       WHERE org_id = ? AND conversation_id = ? AND id > ? AND direction = 'inbound' AND is_automatic = 0 AND is_history = 0
         AND NOT EXISTS (SELECT 1 FROM message_headers AS mail
           WHERE mail.org_id = messages.org_id AND mail.message_id = messages.id AND mail.is_aside = 1)`,
    )
    .pluck()
  const hasLeft = db.prepare("SELECT 1 FROM members WHERE org_id = ? AND id = ? AND status = 'deactivated'").pluck()
  const removals = [
    'DELETE FROM attachments WHERE org_id = @org AND message_id = @id',
    'DELETE FROM message_aliases WHERE org_id = @org AND message_id = @id',
    'DELETE FROM message_headers WHERE org_id = @org AND message_id = @id',
    'DELETE FROM messages WHERE org_id = @org AND id = @id',
  ].map((sql) => db.prepare(sql))

  /** Notes what is to become of a mail: `closes` closes its conversation once it was sent. */
  function note(org: number, { id }: Message, given: Pick<MessageCreate, 'send_unless_reply' | 'closes_conversation'>) {
    const { send_unless_reply = false, closes_conversation = false } = given
    if (!send_unless_reply && !closes_conversation) return
    setRules.run({ org, id, unlessReply: Number(send_unless_reply), closes: Number(closes_conversation) })
  }

  /** What waits is seen by whoever has the conversation open, and changes nothing of it. */
  function tell(who: Caller, conversation: string): void {
    conversations.applyMessage(who, conversations.byId(who, conversation), unchanged(clock.now()))
  }

  /**
   * Lets a held mail go if its time has come: from here on it is an answer. Returns false if it waits on, or does not go: then it
   * has failed, as somebody has written who was not to get it any more. One that is not held goes.
   */
  function release(org: number, id: string): boolean {
    const message = rows.messageOf(org, id)
    if (message?.status !== 'queued') return false
    if (message.send_at === null) return true
    const due = parseTime(message.send_at) as number
    if (due > clock.now()) {
      outgoing.send(org, id, due) // those of its mailbox were hurried
      return false
    }
    const { send_unless_reply } = rulesOf.get(org, id) as { send_unless_reply: number }
    const { conversation_id, author } = message
    const unseen = (answer.get(org, conversation_id, id) as number | null) ?? undefined
    const reason =
      send_unless_reply === 1 && unseen !== undefined ? ANSWERED : hasLeft.get(org, author.id) ? WRITER_LEFT : undefined
    if (reason !== undefined) {
      finish(org, message, { status: 'failed', error: reason, send_at: null })
      react({ org, member: null }, 'message.failed', message)
      return false
    }
    const now = clock.now()
    finish(org, message, { send_at: null, sent_at: rfc3339(now) })
    const who = { org, member: author.type === 'member' ? author.id : null }
    conversations.applyMessage(
      who,
      conversations.byId(who, conversation_id),
      effectOf(message, now, rows.mailOf(org, id)?.is_aside === 1),
    )
    // Its writer has not seen what came while it was held: they wait on.
    if (unseen !== undefined) conversations.waitOn(org, conversation_id, rfc3339(unseen))
    return true
  }

  /** Throws 409 if it is not held, and 403 for anybody but its writer. */
  function checkHeld(who: Caller, { status, send_at, author }: Message): void {
    if (status !== 'queued' || send_at === null)
      throw conflict('not_held', 'This message is not held any more, so it cannot be taken back.')
    if (who.member === null || author.id !== who.member)
      throw new Problem(403, 'not_author', 'Only the member who wrote a held message can change what becomes of it.')
  }

  /** Takes a held mail back: it is as if it had never been written. Throws 403 and 409. */
  function cancel(who: Caller, message: Message): void {
    checkHeld(who, message)
    const { org } = who
    const { id } = message
    jobs.cancel(org, MESSAGE_SEND, id)
    for (const statement of removals) statement.run({ org, id })
    tell(who, message.conversation_id)
  }

  /** Lets a held mail go at once. Throws 403 and 409. */
  function sendNow(who: Caller, message: Message): Message {
    checkHeld(who, message)
    const now = clock.now()
    outgoing.send(who.org, message.id, now)
    return finish(who.org, message, { send_at: rfc3339(now), sent_at: rfc3339(now) })
  }

  /** Whether a mail closes its conversation once it was sent, as far as is known by now. */
  const willClose = (org: number, { id, conversation_id }: Pick<Message, 'id' | 'conversation_id'>): boolean =>
    closes(org, id) && answer.get(org, conversation_id, id) === null

  /** Closes the conversation that a mail was to close, once it was sent; not if they have written meanwhile. */
  function settle(org: number, { id, conversation_id }: Message): void {
    if (!willClose(org, { id, conversation_id })) return
    const who = { org, member: null }
    conversations.patch(who, conversations.byId(who, conversation_id), { status: 'closed' })
  }

  /** Nobody got an answer: what was closed with it is open again, and who waited for it waits as before. */
  function unanswered(org: number, { id, conversation_id, sent_at }: Message): void {
    const who = { org, member: null }
    const isClosing = closes(org, id)
    const before = conversations.byId(who, conversation_id)
    if (isClosing && before.status === 'closed') conversations.patch(who, before, { status: 'open' })
    conversations.unanswered(org, conversation_id, isClosing ? (parseTime(sent_at) as number) : undefined)
  }

  const closes = (org: number, id: string): boolean =>
    (rulesOf.get(org, id) as { closes_conversation: number } | undefined)?.closes_conversation === 1

  return { note, release, cancel, sendNow, willClose, settle, unanswered }
})

function effectOf(message: Message, at: number, isAside: boolean): MessageEffect {
  const { body_text, attachments, author } = message
  const text = body_text || (attachments[0]?.name ?? '')
  const isAnswer = author.type === 'member' && !isAside
  return { direction: 'outbound', at, text, words: wordsOfMessage(message), isAnswer, isAwaited: false }
}
