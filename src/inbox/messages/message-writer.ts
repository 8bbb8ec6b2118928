import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { timeOfId } from '../../lib/id.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import { rows } from '../../store/rows/rows.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { conversationStore, type Opening } from '../conversations/conversations.ts'
import { type MessageEffect, wordsOfMessage } from '../conversations/message-effects.ts'
import { listedSenders } from '../conversations/spam-senders.ts'
import type { Mailbox } from '../mailboxes/mailbox.ts'
import { type Attachment, attachmentStore } from './attachments.ts'
import { columns, type Message, type Recipient } from './message.ts'

/** The mail of a sequence step. */
export type SequenceMail = {
  conversation_id: string | null
  contact: Contact
  to: Recipient
  subject: string
  body_text: string
  body_html: string | null
  mailbox: Mailbox
  sender_id: string | null
  enrollment_id: string
}

/** Where a message goes: an existing conversation, or one that it opens. */
export type Target = { conversation: Conversation } | { opening: Opening }

/** A message before it has a conversation. */
export type Draft = Pick<
  Message,
  'direction' | 'author' | 'body_text' | 'body_html' | 'external_id' | 'in_reply_to' | 'status' | 'error'
> &
  Partial<
    Pick<
      Message,
      | 'to'
      | 'cc'
      | 'bcc'
      | 'from'
      | 'date'
      | 'send_at'
      | 'forwards_message_id'
      | 'is_automatic'
      | 'is_history'
      | 'enrollment_id'
      | 'authentication'
    >
  > & {
    /** The id of the message; a new one by default. */
    id?: string
    at: number
    files: readonly Attachment[]
    /** Whether it answers the contact. */
    isAnswer: boolean
    /** Whether it comes from somebody whom we asked by the side, such as a supplier. */
    isAside?: boolean
    /** The conversation goes on showing what it answers. */
    isByRule?: boolean
  }

/** Writes all messages, whatever their source. */
export const messageWriter = once((deps: Deps) => {
  const { db, clock, outbox, react } = deps
  const conversations = conversationStore(deps)
  const spam = listedSenders(deps)
  const attachments = attachmentStore(deps)
  const { insert, update } = rows(db, 'messages', columns)

  function write(who: Caller, place: Target, draft: Draft): Message {
    const { at, files, isAnswer, id = clock.id(), body_text } = draft
    const sender = draft.direction === 'inbound' ? draft.author.email : null
    const isSpam = sender !== null && spam.isListed(who.org, sender)
    const into = isSpam ? apart(who.org, place, draft) : place
    const shownFiles = files.map(({ shown }) => shown)
    const effect: MessageEffect = {
      direction: draft.direction,
      at,
      text: body_text || (shownFiles[0]?.name ?? ''),
      words: wordsOfMessage({
        body_text,
        author: draft.author,
        to: draft.to ?? [],
        cc: draft.cc ?? [],
        attachments: shownFiles,
      }),
      isAnswer,
      isAwaited: !draft.is_automatic && !draft.is_history && !isSpam,
      isAside: draft.isAside ?? false,
    }
    const conversation = 'opening' in into ? conversations.open(who, into.opening, effect) : into.conversation
    const now = rfc3339(timeOfId(id))
    const message: Message = {
      id,
      conversation_id: conversation.id,
      channel: conversation.channel,
      direction: draft.direction,
      author: draft.author,
      body_text,
      body_html: draft.body_html,
      external_id: draft.external_id,
      in_reply_to: draft.in_reply_to,
      sent_at: rfc3339(at),
      date: draft.date ?? null,
      send_at: draft.send_at ?? null,
      forwards_message_id: draft.forwards_message_id ?? null,
      status: draft.status,
      error: draft.error,
      to: draft.to ?? [],
      cc: draft.cc ?? [],
      bcc: draft.bcc ?? [],
      from: draft.from ?? null,
      is_automatic: draft.is_automatic ?? false,
      is_history: draft.is_history ?? false,
      copies: [],
      enrollment_id: draft.enrollment_id ?? null,
      authentication: draft.authentication ?? null,
      attachments: shownFiles,
      created_at: now,
      updated_at: now,
      version: 1,
    }
    insert(who.org, message)
    for (const file of files) attachments.add(who.org, id, file)
    recordEvent(who, message)
    if (message.direction === 'note') react(who, 'message.noted', message)
    // What is held has no effect yet: it is seen, and that is all.
    const isQuiet = draft.send_at || draft.isByRule
    const words = draft.send_at ? [] : effect.words
    const shown = isQuiet ? { ...effect, direction: 'note' as const, words, isAnswer: false } : effect
    if ('conversation' in into) conversations.applyMessage(who, conversation, shown)
    if (isSpam) spam.held(who.org, sender, conversation.id, at)
    return message
  }

  /** What a listed sender writes into a conversation of others, or into a former one of theirs, is a conversation of its own. */
  function apart(org: number, place: Target, { author }: Draft): Target {
    if ('opening' in place) return { opening: { ...place.opening, isClosed: true } }
    const { id, subject, channel, company_id } = place.conversation
    if (spam.isSpam(org, id)) return place
    return { opening: { subject, channel, contact_id: author.id, company_id, isClosed: true } }
  }

  /** Records what became of a message, and its event, if any. */
  function finish(
    org: number,
    before: Message,
    given: Partial<
      Pick<Message, 'status' | 'error' | 'sent_at' | 'send_at' | 'external_id' | 'copies' | 'attachments'>
    >,
  ): Message {
    const after = { ...before, ...given, updated_at: rfc3339(clock.now()), version: before.version + 1 }
    update(org, before, after)
    if (after.status !== before.status) recordEvent({ org, member: null }, after, before)
    return after
  }

  /** Notes and queued messages have no event. */
  function recordEvent(who: Caller, message: Message, before?: Message): void {
    const { direction, status } = message
    if (direction !== 'note' && status !== 'queued') outbox.record(who, `message.${status}`, message, before)
  }

  return { write, finish, insert }
})
