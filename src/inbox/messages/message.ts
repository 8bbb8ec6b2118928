import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { RESULTS } from '../../lib/mail/mail.ts'
import * as c from '../../store/rows/columns.ts'
import { CHANNELS, subject } from '../conversations/conversation.ts'
import { AttachmentGiven, AttachmentShown, MAX_FILES } from './attachments.ts'

// The wire form of a message, and its row.

export const DIRECTIONS = ['inbound', 'outbound', 'note'] as const
const STATUSES = ['received', 'queued', 'sent', 'failed'] as const

const MAX_TEXT_BYTES = 262_144
const MAX_HTML_BYTES = 1_048_576
/** Sanitised HTML may be longer: characters become references such as `&amp;`. */
export const MAX_STORED_HTML_BYTES = 2 * MAX_HTML_BYTES

const Author = f.doc(
  f.named(
    'MessageAuthor',
    f.object({
      type: f.doc(f.oneOf(['contact', 'member', 'system']), '`system` if the message was not written by a person.'),
      id: f.doc(f.nullable(f.id), 'Id of the contact or member; null if the contact was deleted.'),
      name: f.nullable(f.line(511)),
      email: f.nullable(f.line(254)),
      phone: f.nullable(f.line(50)),
    }),
  ),
  'The author of the message, as known at that time.',
)
export type Author = v.InferOutput<typeof Author>

const externalId = v.pipe(f.line(998), v.minLength(1, 'empty|must not be empty'))

const fields = {
  direction: f.doc(
    f.oneOf(DIRECTIONS),
    '`inbound` from the contact, `outbound` to the contact, or an internal `note`.',
  ),
  external_id: f.doc(
    f.nullable(externalId),
    'Id of the message in another system, such as the Message-ID of a mail. Unique per channel: a repeat returns the stored message.',
  ),
  in_reply_to: f.doc(f.nullable(externalId), 'The `external_id` of the message that this one replies to.'),
}

const Recipient = f.named('MessageRecipient', f.object({ email: f.line(254), name: f.nullable(f.line(511)) }))
export type Recipient = v.InferOutput<typeof Recipient>

/** Of an outgoing email, together. Servers have to take 100 (RFC 5321). */
export const MAX_RECIPIENTS = 100

const RecipientGiven = f.named(
  'MessageRecipientInput',
  f.object({ email: f.email, name: f.optional(f.nullable(f.line(511))) }),
)
const recipients = (text: string) => f.optional(f.doc(f.arrayOf(RecipientGiven, MAX_RECIPIENTS), text))

const result = (method: string) => f.doc(f.nullable(f.oneOf(RESULTS)), `Result of ${method}; null if unknown.`)

const Authentication = f.doc(
  f.named('MailAuthentication', f.object({ spf: result('SPF'), dkim: result('DKIM'), dmarc: result('DMARC') })),
  'How the server of the mailbox judged the sender of a received email (RFC 8601).',
)

const Copy = f.doc(
  f.named(
    'MessageCopy',
    f.object({
      mailbox: f.doc(f.line(100), 'Key of the mailbox that received it.'),
      received_at: f.recordFields.created_at,
      subject: f.nullable(f.line()),
      body_text: f.nullable(f.longText(MAX_HTML_BYTES)),
      body_html: f.nullable(f.longText(MAX_STORED_HTML_BYTES)),
    }),
  ),
  'The same email by another way, perhaps changed by a gateway. A field is null if it is that of the message.',
)
export type MailCopy = v.InferOutput<typeof Copy>

export const Message = f.doc(
  f.object({
    id: f.id,
    conversation_id: f.id,
    channel: f.doc(f.oneOf(CHANNELS), 'Channel of the conversation.'),
    direction: fields.direction,
    author: Author,
    body_text: f.doc(f.longText(MAX_HTML_BYTES), 'The given text, or the text of `body_html`.'),
    body_html: f.doc(f.nullable(f.longText(MAX_STORED_HTML_BYTES)), 'Sanitised HTML that is safe to display.'),
    external_id: fields.external_id,
    in_reply_to: fields.in_reply_to,
    sent_at: f.doc(
      f.recordFields.created_at,
      'Time of the message; for a received email, when the server of the mailbox received it.',
    ),
    date: f.doc(
      f.nullable(f.recordFields.created_at),
      'When a received email was written, by the clock of its writer, which may be wrong; null if it does not say.',
    ),
    send_at: f.doc(
      f.nullable(f.recordFields.created_at),
      'When a held email leaves; null for every other message. Until then it is no answer: the conversation is as before.',
    ),
    forwards_message_id: f.doc(
      f.nullable(f.id),
      'The message of the conversation that this email passes on to somebody else, such as a supplier. It is no answer to the customer.',
    ),
    status: f.doc(
      f.oneOf(STATUSES),
      '`received` for inbound messages. Outbound messages are `queued` until they are `sent` or `failed`.',
    ),
    error: f.doc(
      f.nullable(f.line(2048)),
      'Why the message failed, or why the last attempt of a `queued` message failed. For other messages, a problem such as an attachment that was too large to store, a recipient of a copy who was refused, or a mail that may have arrived twice; for an automatic reply, that the next step of a sequence waits because of it.',
    ),
    to: f.doc(f.arrayOf(Recipient), 'Recipients of an email.'),
    cc: f.doc(f.arrayOf(Recipient), 'Other recipients of an email.'),
    bcc: f.doc(f.arrayOf(Recipient), 'Recipients of an outgoing email whom the others do not see.'),
    from: f.doc(
      f.nullable(Recipient),
      'Our address: the one that an outgoing email leaves by, or that an inbound one was sent to; null if unknown.',
    ),
    is_automatic: f.doc(
      f.flag,
      'Whether a machine wrote the message, such as an out-of-office reply, a delivery report, or the answer of a calendar to an invitation. It does not reopen the conversation, and nobody waits for an answer to it.',
    ),
    is_history: f.doc(
      f.flag,
      'Whether the email was more than a day old when Dealbox first saw it, as when it was moved into the folder of the mailbox. Nobody waits for an answer to it, and it starts no SLA target.',
    ),
    copies: f.doc(f.arrayOf(Copy), 'The same email by other ways: two mailboxes, or a gateway that changed one.'),
    enrollment_id: f.doc(f.nullable(f.id), 'The enrollment whose step sent this email.'),
    authentication: f.doc(
      f.nullable(Authentication),
      'How the server of the mailbox judged the sender; null for messages that are not received emails, and if that server did not report it.',
    ),
    attachments: f.doc(f.arrayOf(AttachmentShown), 'Attachments; their content only with `include=attachments`.'),
    ...f.recordFields,
  }),
  'A message is one entry of a conversation: an inbound message, an outbound message, or a note. Its content never changes, except for files that come with a later copy of a mail; its `status` does.',
)
export type Message = v.InferOutput<typeof Message>

const From = f.named(
  'MessageSender',
  f.object({
    email: f.optional(f.nullable(f.email)),
    name: f.optional(f.nullable(f.line(511))),
    phone: f.optional(f.nullable(f.phone)),
  }),
)
export type From = v.InferOutput<typeof From>

export const MessageCreate = f.object({
  conversation_id: f.optional(f.doc(f.id, 'The conversation of the message; without it, the message opens a new one.')),
  contact_id: f.optional(f.doc(f.id, 'The contact of the new conversation.')),
  from: f.optional(
    v.pipe(
      f.doc(
        From,
        'Author of an inbound message: the contact with this email or phone, or else a new contact; an email or a phone is required. Of an outbound email: the address of ours that it leaves by, which a mailbox has to have, also as an alias; by default the one that the contact wrote to, with the name of the mailbox.',
      ),
      v.examples([{ email: 'eva@firm.example', name: 'Eva Ruiz' }]),
    ),
  ),
  channel: f.optional(
    v.pipe(f.doc(f.oneOf(CHANNELS), 'Channel of the new conversation; required to open one.'), v.examples(['chat'])),
  ),
  subject: f.optional(subject),
  direction: fields.direction,
  to: recipients(
    'Recipients of an outbound email, exactly these and those of `cc` and `bcc`, up to 100 together. Without it, or if all three are empty, the email goes to everybody of the last inbound email but ourselves, and to the contact of the conversation in any case. An email to nobody in the conversation is no answer: who waits still does.',
  ),
  cc: recipients('Further recipients of an outbound email.'),
  bcc: recipients('Recipients of an outbound email whom the others do not see.'),
  body_text: f.optional(
    v.pipe(
      f.doc(
        f.nullable(f.longText(MAX_TEXT_BYTES)),
        'Plain text, up to 256 KiB. A text, HTML or an attachment is required.',
      ),
      v.examples(['Hello, where is my order?']),
    ),
  ),
  body_html: f.optional(
    f.doc(f.nullable(f.longText(MAX_HTML_BYTES)), 'Up to 1 MiB. Unsafe content is removed before it is stored.'),
  ),
  external_id: f.optional(fields.external_id),
  in_reply_to: f.optional(fields.in_reply_to),
  last_seen_message_id: f.optional(
    f.doc(
      f.nullable(f.id),
      'The newest message of the conversation that the writer of an outbound message has seen: if a person has written since, nobody is answered twice, and nothing is stored (409 `newer_message`, with its id).',
    ),
  ),
  sent_at: f.optional(
    f.doc(
      f.time,
      'Now by default; must not be in the future. An outbound email with this field counts as sent by another system.',
    ),
  ),
  // No example: there is none that is right for every message.
  send_at: f.optional(
    v.pipe(
      f.doc(
        f.nullable(f.time),
        'Holds an outbound email in a conversation until then, up to a year; `POST /messages/{id}/cancel` takes it back before. Until it leaves, it answers nobody. A time that has passed holds nothing.',
      ),
      v.examples([]),
    ),
  ),
  forwards_message_id: f.optional(
    v.pipe(
      f.doc(
        f.nullable(f.id),
        'The message of the conversation that an outbound email passes on: to those in `to`, which is required, and nobody in the conversation is answered. Its subject begins with "Fwd:", and it is a thread of its own. The text and the files are those that are given.',
      ),
      v.examples([]),
    ),
  ),
  send_unless_reply: f.optional(
    f.doc(f.flag, 'Of a held email: if a person writes before its time has come, it is not sent, and has `failed`.'),
  ),
  closes_conversation: f.optional(
    f.doc(
      f.flag,
      'Closes the conversation when the message was sent: for an email, when the mail server has taken it.',
    ),
  ),
  attachments: f.optional(f.doc(f.arrayOf(AttachmentGiven, MAX_FILES), 'Up to 100 files, 36 MiB in total.')),
})
export type MessageCreate = v.InferOutput<typeof MessageCreate>

export const columns = c.columns<Message>(
  {
    id: c.plain('id'),
    conversation_id: c.plain('conversation_id'),
    channel: c.plain('channel'),
    direction: c.plain('direction'),
    author: c.json('author'),
    body_text: c.text('body_text'),
    body_html: c.text('body_html'),
    external_id: c.text('external_id'),
    in_reply_to: c.text('in_reply_to'),
    sent_at: c.time('sent_at'),
    date: c.time('date'),
    send_at: c.time('send_at'),
    forwards_message_id: c.plain('forwards_message_id'),
    status: c.plain('status'),
    error: c.text('error'),
    to: c.json('sent_to'),
    cc: c.json('sent_cc'),
    bcc: c.json('sent_bcc'),
    from: c.json('sent_from'),
    is_automatic: c.bool('is_automatic'),
    is_history: c.bool('is_history'),
    copies: c.json('copies'),
    enrollment_id: c.plain('enrollment_id'),
    authentication: c.json('authentication'),
    attachments: c.json('attachments'),
    created_at: c.time('created_at'),
    updated_at: c.time('updated_at'),
    version: c.integer('version'),
  },
  { author_id: ({ author }) => author.id },
)
