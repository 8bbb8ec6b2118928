import type { Deps } from '../../deps.ts'
import { firstIdAt } from '../../lib/id.ts'
import { withoutPictures } from '../../lib/pure/markdown/pictures.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { wordsOf } from '../../lib/words.ts'
import type { Conversation } from './conversation.ts'

/** What a conversation needs from one of its messages; `at` is the time of the message in milliseconds. */
export type MessageEffect = {
  direction: 'inbound' | 'outbound' | 'note'
  at: number
  text: string
  /** The words for the search index. */
  words: readonly string[]
  /** Whether it answers the contact: written by a member, not by a sequence. */
  isAnswer: boolean
  /** Whether it asks for an answer, if it is inbound: a machine does not, nor what is history. */
  isAwaited: boolean
  /** Whether it comes from somebody else than the customer: then it opens the conversation, and nobody waits for an answer to it. */
  isAside?: boolean
}

/** Of what happens beside the messages: the conversation stays as it is, and whoever has it open looks again. */
export const unchanged = (at: number): MessageEffect => ({
  ...{ direction: 'note', at, text: '', words: [], isAnswer: false, isAwaited: false },
})

const PREVIEW_LENGTH = 200
/** The most distinct words by which a conversation can be found; a long correspondence has some 5,000. */
export const MAX_WORDS = 10_000
/** How much of a text is searched for words, in characters. */
const SEARCHED_LENGTH = 65_536

/** How much of the names and addresses of a message, and of the names of its files. */
const SEARCHED_NAMES = 16_384

export const wordsIn = (text: string): string[] => wordsOf([text.slice(0, SEARCHED_LENGTH)])

type Named = { name?: string | null; email?: string | null; phone?: string | null }

/** What a person sees of a message: its text, who wrote it and to whom, and its files by name. Blind copies are not shown. */
export type Said = {
  body_text: string
  author: Named
  to: readonly Named[]
  cc: readonly Named[]
  attachments: readonly { name: string }[]
}

/** The words by which a message is found. */
export function wordsOfMessage({ body_text, ...rest }: Said): string[] {
  return wordsOf([body_text.slice(0, SEARCHED_LENGTH), namesIn(rest).join(' ').slice(0, SEARCHED_NAMES)])
}

/** The people and files of a message as they are shown, each as one text. */
export const namesIn = ({ author, to, cc, attachments }: Omit<Said, 'body_text'>): string[] => [
  ...[author, ...to, ...cc].map(({ name, email, phone }) => [name, email, phone].filter(Boolean).join(' ')),
  ...attachments.map(({ name }) => name),
]

export const wordsOfAll = (subject: string | null, said: Iterable<string>): string[] =>
  [...new Set([...wordsOf([subject]), ...said])].slice(0, MAX_WORDS)

/**
 * An answer that counts: neither failed nor automatic nor from a sequence nor to somebody else; by a member, or sent with another program and
 * imported as a mail.
 */
const IS_ANSWER = `direction = 'outbound' AND status <> 'failed' AND send_at IS NULL AND enrollment_id IS NULL AND is_automatic = 0
  AND coalesce((SELECT is_aside = 0 AND (author ->> 'type' = 'member' OR digest IS NOT NULL) FROM message_headers
    WHERE message_headers.org_id = messages.org_id AND message_headers.message_id = messages.id), author ->> 'type' = 'member')`

/** Computes the effect of a message on its conversation, before it is written. Messages may arrive out of order. */
export function messageEffects({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  const answer = db
    .prepare(
      `SELECT 1 FROM messages INDEXED BY messages_sent
       WHERE org_id = +@org AND conversation_id = +@id AND sent_at > +@at AND ${IS_ANSWER}`,
    )
    .pluck()
  const nextInbound = db
    .prepare(
      `SELECT min(sent_at) FROM messages INDEXED BY messages_sent
       WHERE org_id = +@org AND conversation_id = +@id AND sent_at > +@at AND direction = 'inbound' AND is_automatic = 0
         AND is_history = 0 AND id >= +@since
         AND NOT EXISTS (SELECT 1 FROM message_headers AS mail
           WHERE mail.org_id = messages.org_id AND mail.message_id = messages.id AND mail.is_aside = 1)`,
    )
    .pluck()
  const lastClosing = db
    .prepare(
      "SELECT max(at) FROM conversation_statuses WHERE org_id = ? AND conversation_id = ? AND status = 'closed' AND at < ?",
    )
    .pluck()

  const hasLeft = db.prepare("SELECT 1 FROM members WHERE org_id = ? AND id = ? AND status = 'deactivated'").pluck()
  const answered = db.prepare(
    `SELECT min(sent_at) AS first, max(sent_at) AS last FROM messages INDEXED BY messages_sent
     WHERE org_id = +@org AND conversation_id = +@id AND ${IS_ANSWER}`,
  )

  function withMessage(org: number, before: Conversation, effect: MessageEffect): Conversation {
    const { direction, at, text, isAnswer, isAwaited, isAside = false } = effect
    if (direction === 'note') return { ...before }
    const time = rfc3339(at)
    const isLate = time < before.last_message_at && !isAhead(before.last_message_at)
    const after: Conversation = isLate ? { ...before } : { ...before, last_message_at: time, preview: previewOf(text) }
    if (direction === 'inbound') {
      after.unread_count++
      if (!isAwaited) return after
      Object.assign(after, { status: 'open', snoozed_until: null, closed_at: null })
      // It comes back to all: whoever has left would never see it.
      if (isAway(before) && hasLeft.get(org, before.owner_id) !== undefined) after.owner_id = null
      if (isAside) return after
      const isAnswered = isLate && answer.get({ org, id: before.id, at }) !== undefined
      if (!isAnswered) after.waiting_since = earlier(before.waiting_since, time)
    } else if (isAnswer) {
      after.first_response_at = earlier(before.first_response_at, time)
      if (before.waiting_since !== null && (before.waiting_since <= time || isAhead(before.waiting_since)))
        after.waiting_since = isLate ? waitingBehind(org, before.id, at) : null
    }
    return after
  }

  /**
   * Whether a time is in the future, because a clock was wrong and has been corrected: newer messages count as later.
   */
  const isAhead = (time: string): boolean => (parseTime(time) as number) > clock.now()

  /** The time of the first inbound message after an answer that was not settled by closing. */
  const waitingBehind = (org: number, id: string, at: number, closedBefore = Number.MAX_SAFE_INTEGER): string | null =>
    firstBehind(org, id, at, lastClosing.get(org, id, closedBefore) as number | null)

  /** Since when somebody waits, whatever was closed after that time. */
  function waitingSince(org: number, id: string, closedAt: number | null): string | null {
    const { last } = answered.get({ org, id }) as { last: number | null }
    return firstBehind(org, id, last ?? -1, closedAt)
  }

  function firstBehind(org: number, id: string, at: number, closedAt: number | null): string | null {
    const since = firstIdAt(closedAt ?? 0)
    const next = nextInbound.get({ org, id, at, since }) as number | null
    return next === null ? null : rfc3339(next)
  }

  /**
   * Returns the conversation after an answer failed: the contact waits again, unless another answer counts. A closed
   * conversation stays settled. What was closed from `closedBefore` on settles nothing.
   */
  function withoutAnswer(org: number, before: Conversation, closedBefore?: number): Conversation {
    const { id, status } = before
    const { first, last } = answered.get({ org, id }) as { first: number | null; last: number | null }
    const first_response_at = first === null ? null : rfc3339(first)
    if (status === 'closed') return { ...before, first_response_at }
    return { ...before, first_response_at, waiting_since: waitingBehind(org, id, last ?? -1, closedBefore) }
  }

  return { withMessage, withoutAnswer, waitingSince }
}

/** It is on nobody's desk until something happens. */
const isAway = ({ status }: Conversation): boolean => status === 'closed' || status === 'snoozed'

const earlier = (one: string | null, other: string): string => (one !== null && one < other ? one : other)

export const previewOf = (text: string): string =>
  [...withoutPictures(text).replace(/\s+/g, ' ').trim()].slice(0, PREVIEW_LENGTH).join('')
