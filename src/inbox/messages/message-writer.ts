import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { timeOfId } from '../../lib/id.ts'
import { rfc3339 } from '../../lib/time.ts'
import { rows } from '../../store/rows.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { conversationStore, type Opening } from '../conversations/conversations.ts'
import { type MessageEffect, wordsIn } from '../conversations/message-effects.ts'
import { type AttachmentShown, attachmentStore } from './attachments.ts'
import { columns, type Message } from './message.ts'

/** Where a message goes: into a conversation that there is, or into one that it opens. */
export type Place = { conversation: Conversation } | { opening: Opening }

/** A message before it has its place. */
export type Draft = Pick<
  Message,
  'direction' | 'author' | 'body_text' | 'body_html' | 'external_id' | 'in_reply_to' | 'status' | 'error'
> &
  Partial<Pick<Message, 'to' | 'cc' | 'is_automatic' | 'enrollment_id'>> & {
    /** Of the message; made now by default. */
    id?: string
    at: number
    files: readonly { shown: AttachmentShown; bytes: Buffer }[]
    /** Whether it answers those who wait. */
    isAnswer: boolean
  }

/** The one way in which messages come into the store, whoever writes them. */
export const messageWriter = once((deps: Deps) => {
  const { db, clock, outbox } = deps
  const conversations = conversationStore(deps)
  const attachments = attachmentStore(deps)
  const { insert, update } = rows(db, 'messages', columns)

  function write(who: Caller, place: Place, draft: Draft): Message {
    const { at, files, isAnswer, id = clock.id(), body_text } = draft
    const effect: MessageEffect = {
      direction: draft.direction,
      at,
      text: body_text || (files[0]?.shown.name ?? ''),
      words: wordsIn(body_text),
      isAnswer,
      isAutomatic: draft.is_automatic ?? false,
    }
    const conversation = 'opening' in place ? conversations.open(who, place.opening, effect) : place.conversation
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
      status: draft.status,
      error: draft.error,
      to: draft.to ?? [],
      cc: draft.cc ?? [],
      is_automatic: draft.is_automatic ?? false,
      enrollment_id: draft.enrollment_id ?? null,
      attachments: files.map(({ shown }) => shown),
      created_at: now,
      updated_at: now,
      version: 1,
    }
    insert(who.org, message)
    for (const { shown, bytes } of files) attachments.add(who.org, id, shown.id, bytes)
    tell(who, message)
    if ('conversation' in place) conversations.applyMessage(who, conversation, effect)
    return message
  }

  /** What has become of a message: the change, and, where there is a word for it, its event. */
  function finish(
    org: number,
    before: Message,
    given: Partial<Pick<Message, 'status' | 'error' | 'sent_at' | 'external_id'>>,
  ): Message {
    const after = { ...before, ...given, updated_at: rfc3339(clock.now()), version: before.version + 1 }
    update(org, before, after)
    if (after.status !== before.status) tell({ org, member: null }, after, before)
    return after
  }

  /** There is no event for a note, and none for what waits to be sent. */
  function tell(who: Caller, message: Message, before?: Message): void {
    const { direction, status } = message
    if (direction !== 'note' && status !== 'queued') outbox.record(who, `message.${status}`, message, before)
  }

  return { write, finish, insert }
})
