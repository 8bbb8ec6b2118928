import { type Deps, once } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { unchanged } from '../../inbox/conversations/message-effects.ts'
import { DAY_MS } from '../../lib/time.ts'
import * as c from '../../store/rows/columns.ts'
import type { Answer, Words } from './words.ts'

/** How long an answer is taken after the mail was sent. */
export const ANSWER_DAYS = 90
/** Whoever has the link may change the answer so often: each change is told to everybody who has the conversation open. */
const MAX_CHANGES = 20

type Rating = {
  message_id: string
  asked_at: string
  words: Words
  answer: Answer | null
  comment: string | null
  answered_at: string | null
  changes: number
}

export const columns = c.columns<Rating>({
  message_id: c.plain('message_id'),
  asked_at: c.time('asked_at'),
  words: c.json('words'),
  answer: c.plain('answer'),
  comment: c.text('comment'),
  answered_at: c.time('answered_at'),
  changes: c.integer('changes'),
})

type Row = {
  conversation_id: string
  org_name: string
  asked_at: number
  words: string
  answer: Answer | null
  comment: string | null
  changes: number
}

export type Asked = { org_name: string; words: Words; isOver: boolean }
export type Given = { answer: Answer; comment: string | null }

type Line = Pick<Row, 'asked_at' | 'answer' | 'comment'> & {
  message_id: string
  answered_at: number | null
  recipients: string
}
/** `by` is the name of the only person who got the mail; null if several did. */
export type RatingLine = Omit<Line, 'recipients'> & { by: string | null }

/** Of one member in one period: how many mails asked, and what the answers were. */
export type Counts = { member_id: string | null; asked: number; good: number; not_good: number }

/** What those say who got an answer. The mail that asked has it, so it goes where that goes. */
export const ratingStore = once((deps: Deps) => {
  const { db, clock } = deps
  const conversations = conversationStore(deps)
  const insert = db.prepare('INSERT INTO ratings (org_id, message_id, asked_at, words) VALUES (?, ?, ?, ?)')
  const wordsAsked = db.prepare('SELECT words FROM ratings WHERE org_id = ? AND message_id = ?').pluck()
  const one = db.prepare(
    `SELECT message.conversation_id, orgs.name AS org_name, asked_at, words, answer, comment, changes
     FROM ratings JOIN messages AS message ON message.org_id = ratings.org_id AND message.id = ratings.message_id
       JOIN orgs ON orgs.id = ratings.org_id
     WHERE ratings.org_id = ? AND ratings.message_id = ?`,
  )
  const set = db.prepare(
    `UPDATE ratings SET answer = @answer, comment = @comment, answered_at = @now, changes = changes + 1
     WHERE org_id = @org AND message_id = @id`,
  )
  const ofConversation = db.prepare(
    `SELECT message.id AS message_id, asked_at, answer, comment, answered_at,
       json_array(json(message.sent_to), json(message.sent_cc), json(message.sent_bcc)) AS recipients
     FROM messages AS message INDEXED BY messages_conversation
       JOIN ratings ON ratings.org_id = message.org_id AND ratings.message_id = message.id
     WHERE message.org_id = ? AND message.conversation_id = ? AND message.status = 'sent'
     ORDER BY asked_at DESC LIMIT 100`,
  )
  const lastAsked = db
    .prepare(
      `SELECT max(asked_at) FROM messages AS message INDEXED BY messages_conversation
         JOIN ratings ON ratings.org_id = message.org_id AND ratings.message_id = message.id
       WHERE message.org_id = ? AND message.conversation_id = ? AND message.status <> 'failed'`,
    )
    .pluck()
  const asksUs = db
    .prepare(
      `SELECT 1 FROM messages AS message INDEXED BY messages_conversation
         LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
       WHERE message.org_id = ? AND message.conversation_id = ? AND direction = 'inbound' AND is_automatic = 0
         AND coalesce(mail.is_aside, 0) = 0 LIMIT 1`,
    )
    .pluck()
  const isReopened = db
    .prepare(
      `SELECT 1 FROM conversation_statuses
       WHERE org_id = ? AND conversation_id = ? AND at > ? AND status <> 'closed' LIMIT 1`,
    )
    .pluck()
  const lastOfPerson = db
    .prepare(
      `SELECT max(asked_at) FROM conversations INDEXED BY conversations_contact
         CROSS JOIN messages AS message INDEXED BY messages_conversation
           ON message.org_id = conversations.org_id AND message.conversation_id = conversations.id
         CROSS JOIN ratings ON ratings.org_id = message.org_id AND ratings.message_id = message.id
       WHERE conversations.org_id = ? AND contact_id = ? AND message.status <> 'failed'`,
    )
    .pluck()
  const counted = db.prepare(
    `SELECT message.author_id AS member_id, count(*) AS asked,
       count(*) FILTER (WHERE answer = 'good') AS good, count(*) FILTER (WHERE answer = 'not_good') AS not_good
     FROM ratings INDEXED BY ratings_asked
       JOIN messages AS message ON message.org_id = ratings.org_id AND message.id = ratings.message_id
     WHERE ratings.org_id = ? AND asked_at >= ? AND asked_at < ? AND message.status = 'sent'
     GROUP BY message.author_id ORDER BY message.author_id`,
  )

  /**
   * Whether a conversation is not to be asked: nobody there has asked us anything, or it was asked since it was last open, or its
   * contact within so many days.
   */
  function isLeftAlone(org: number, conversation: string, pauseDays: number): boolean {
    if (asksUs.get(org, conversation) === undefined) return true
    const last = lastAsked.get(org, conversation) as number | null
    if (last !== null && isReopened.get(org, conversation, last) === undefined) return true
    const { contact_id } = conversations.byId({ org, member: null }, conversation)
    if (pauseDays === 0 || contact_id === null) return false
    const ofPerson = lastOfPerson.get(org, contact_id) as number | null
    return ofPerson !== null && ofPerson > clock.now() - pauseDays * DAY_MS
  }

  /** Notes that a mail asks. Its later attempts ask the same. */
  const ask = (org: number, message: string, words: Words): void =>
    void insert.run(org, message, clock.now(), JSON.stringify(words))

  /** What a mail asks; undefined if it does not. */
  function askedBy(org: number, message: string): Words | undefined {
    const words = wordsAsked.get(org, message) as string | undefined
    return words === undefined ? undefined : (JSON.parse(words) as Words)
  }

  /** What whoever holds the link is shown. Undefined if the mail is not here any more, as when its person was erased. */
  function about(org: number, message: string): Asked | undefined {
    const row = one.get(org, message) as Row | undefined
    if (!row) return undefined
    const { org_name, words, asked_at, changes } = row
    const isOver = clock.now() >= asked_at + ANSWER_DAYS * DAY_MS || changes >= MAX_CHANGES
    return { org_name, words: JSON.parse(words) as Words, isOver }
  }

  /**
   * Call this in a transaction. The last answer counts; pressing the same once more takes no comment away. The conversation is
   * as before, and whoever has it open sees it. Returns false if it is too late.
   */
  function answer(org: number, message: string, { answer, comment }: Given): boolean {
    const asked = about(org, message)
    if (!asked || asked.isOver) return false
    const before = one.get(org, message) as Row
    if (before.answer === answer && (comment === null || comment === before.comment)) return true
    const now = clock.now()
    set.run({ org, id: message, answer, comment, now })
    const nobody = { org, member: null }
    conversations.applyMessage(nobody, conversations.byId(nobody, before.conversation_id), unchanged(now))
    return true
  }

  /** The newest hundred of a conversation, oldest first. */
  const of = (org: number, conversation: string): RatingLine[] =>
    (ofConversation.all(org, conversation) as Line[])
      .reverse()
      .map(({ recipients, ...rest }) => ({ ...rest, by: onlyOf(recipients) }))

  /** Of the mails that asked from `from` on and before `to`, in milliseconds. */
  const counts = (org: number, from: number, to: number): Counts[] => counted.all(org, from, to) as Counts[]

  return { isLeftAlone, ask, askedBy, about, answer, of, counts }
})

function onlyOf(recipients: string): string | null {
  const all = (JSON.parse(recipients) as ({ name: string | null; email: string }[] | null)[]).flatMap(
    (each) => each ?? [],
  )
  const [only] = all
  return all.length === 1 && only ? only.name || only.email : null
}
