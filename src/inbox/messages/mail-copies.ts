import { type Deps, once } from '../../deps.ts'
import type { Authentication, ReceivedFile } from '../../lib/mail/mail.ts'
import { isForged, isProven } from '../../lib/mail/verdicts.ts'
import { rfc3339 } from '../../lib/time.ts'
import { finder } from '../../store/rows/find.ts'
import { conversationStore } from '../conversations/conversations.ts'
import { mailboxesOf } from '../conversations/mailboxes-of.ts'
import { wordsIn } from '../conversations/message-effects.ts'
import type { Mailbox } from '../mailboxes/mailbox.ts'
import { attachmentStore, MAX_BYTES, MAX_FILES } from './attachments.ts'
import { contentOf } from './contents.ts'
import { columns, type MailCopy, type Message } from './message.ts'
import { messageWriter } from './message-writer.ts'
import { storedMails } from './stored-mails.ts'

// One mail comes in several times: by two mailboxes, or changed by a gateway on one of its ways.

/** What is compared of a received mail. `date` is in milliseconds. */
export type Arriving = {
  messageId: string | null
  digest: string
  from: string | null
  date: number | null
  subject: string | null
  text: string
  html: string | null
  files: readonly ReceivedFile[]
  authentication: Authentication | null
}

const MAX_COPIES = 10
/** Characters of the texts of all copies of a message, as it is in each answer with the message. */
const MAX_COPIED = 262_144
const MAX_SUBJECT = 255
const MAX_ERROR = 2048

export const mailCopies = once((deps: Deps) => {
  const { db } = deps
  const mails = storedMails(db)
  const find = finder(db, 'messages', columns)
  const { finish } = messageWriter(deps)
  const conversations = conversationStore(deps)
  const files = attachmentStore(deps)
  const inMailboxes = mailboxesOf(deps)

  /**
   * Returns the external id to store a mail under; undefined if it is stored, which then knows of this copy. Two different
   * mails may share a Message-ID: broken programs write such, and who wants a mail to be overlooked.
   */
  function idOf(
    org: number,
    mailbox: Pick<Mailbox, 'id' | 'key'>,
    mail: Arriving,
    arrivedAt: number,
  ): string | undefined {
    const plain = mail.messageId ?? `<${mail.digest}@mail.invalid>`
    const stored = mails.digestOf(org, plain)
    if (!stored) return plain
    if (stored.digest === null) return undefined // sent from here, or stored by a request
    const message = columns.present(find({ org, member: null }, stored.id))
    const isOther = stored.mailbox_id !== mailbox.id
    const isEqual = stored.digest === mail.digest
    const more = isEqual ? [] : lacking(org, message, mail.files)
    if (
      isEqual ||
      (isSame(mail, message, isOther) && hasRoom(message, mail) && (more.length === 0 || mayAdd(mail, message, more)))
    ) {
      note(org, message, stored.subject, mailbox, isOther, mail, more, arrivedAt)
      return undefined
    }
    const other = `${plain.slice(0, 950)} ${mail.digest.slice(0, 16)}`
    return mails.digestOf(org, other) ? undefined : other
  }

  function note(
    org: number,
    message: Message,
    storedSubject: string | null,
    { id, key }: Pick<Mailbox, 'id' | 'key'>,
    isOther: boolean,
    mail: Arriving,
    more: readonly ReceivedFile[],
    arrivedAt: number,
  ): void {
    const { copies, attachments, error } = message
    const subject = mail.subject === storedSubject ? null : (mail.subject?.slice(0, MAX_SUBJECT) ?? '')
    const body_text = mail.text === message.body_text ? null : mail.text
    const body_html = mail.html === message.body_html ? null : mail.html
    const isChanged = subject !== null || body_text !== null || body_html !== null
    const known = copies.some(
      (each) =>
        each.mailbox === key &&
        each.subject === subject &&
        each.body_text === body_text &&
        each.body_html === body_html,
    )
    const isKept = !known && copies.length < MAX_COPIES && (isOther || isChanged)
    const isNewThere = isOther && inMailboxes.add(org, message.id, id)
    if (!isKept && more.length === 0) return
    const copy: MailCopy = { mailbox: key, received_at: rfc3339(arrivedAt), subject, body_text, body_html }
    const added = more.map((file) => files.attachmentOf(file, contentOf(file.bytes, file.sha256)))
    for (const each of added) files.add(org, message.id, each)
    const sentences = added.map(({ shown }) => `The file "${shown.name}" came with a later copy of this mail.`)
    finish(org, message, {
      copies: isKept ? [...copies, copy] : copies,
      attachments: [...attachments, ...added.map(({ shown }) => shown)],
      error: [error, ...sentences].filter(Boolean).join(' ').slice(0, MAX_ERROR) || null,
    })
    if (isChanged || isNewThere || added.length > 0)
      tell(org, message, [isKept ? (body_text ?? '') : '', ...added.map(({ shown }) => shown.name)])
  }

  /** Nobody needs to know of the same once more, unless they look at the other mailbox. Otherwise, whoever has read the conversation learns that there is more in it, which is found by its words. */
  function tell(org: number, { conversation_id, sent_at }: Message, texts: readonly string[]): void {
    const who = { org, member: null }
    const at = Date.parse(sent_at)
    const [text = ''] = texts
    const words = texts.flatMap(wordsIn)
    const effect = { direction: 'note' as const, at, text, words, isAnswer: false, isAwaited: false }
    conversations.applyMessage(who, conversations.byId(who, conversation_id), effect)
  }

  /** The files of a copy that the message does not have. */
  function lacking(org: number, { attachments }: Message, given: readonly ReceivedFile[]): ReceivedFile[] {
    const known = new Set(attachments.map(({ id }) => files.hashOf(org, id)))
    return given.filter(({ sha256 }) => !known.has(sha256))
  }

  return { idOf }
})

/**
 * Whether a message takes the files of a copy: not of one that is less sure to be from its sender, nor more than it can have.
 * Otherwise the copy is a message of its own.
 */
function mayAdd({ authentication }: Arriving, message: Message, more: readonly ReceivedFile[]): boolean {
  if (isForged(authentication) || (isProven(message.authentication) && !isProven(authentication))) return false
  const all = [...message.attachments.map(({ size_bytes }) => size_bytes), ...more.map(({ bytes }) => bytes.length)]
  return all.length <= MAX_FILES && all.reduce((sum, bytes) => sum + bytes, 0) <= MAX_BYTES
}

/** Whether the texts of one more copy can be kept in the message. */
function hasRoom({ copies, body_text, body_html }: Message, { text, html }: Arriving): boolean {
  const texts = copies.flatMap((each) => [each.body_text, each.body_html])
  if (text !== body_text) texts.push(text)
  if (html !== body_html) texts.push(html)
  return texts.reduce((sum, each) => sum + (each?.length ?? 0), 0) <= MAX_COPIED
}

/**
 * By Message-ID, sender and time, and if their texts are mostly the same: gateways change links, and add a footer. By one way,
 * a mail of the same second is another one unless something was only added to it.
 */
function isSame(mail: Arriving, { author, date, body_text }: Message, isOther: boolean): boolean {
  if (mail.messageId === null || mail.date === null || date === null) return false
  if (Date.parse(date) !== mail.date || author.email?.toLowerCase() !== mail.from?.toLowerCase()) return false
  const [one, other] = [bare(mail.text), bare(body_text)]
  return one.includes(other) || other.includes(one) || (isOther && isMostly(one, other))
}

/** Whether one of two texts has most of the words of the other, apart from links. */
function isMostly(one: string, other: string): boolean {
  const [few, many] = [one, other].map(wordsWithoutLinks).sort((a, b) => a.size - b.size) as [Set<string>, Set<string>]
  return [...few].filter((word) => many.has(word)).length >= MOST * few.size
}

const MOST = 0.8

const wordsWithoutLinks = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .replace(/\bhttps?:\S+/g, ' ')
      .split(/[^\p{L}\p{N}]+/u)
      .filter(Boolean),
  )

const bare = (text: string): string => text.replace(/\s+/g, ' ').trim()
