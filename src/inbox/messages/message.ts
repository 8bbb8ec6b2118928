import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import * as c from '../../store/columns.ts'
import { CHANNELS, subject } from '../conversations/conversation.ts'
import { AttachmentGiven, AttachmentShown } from './attachments.ts'

// The wire form of a message, and its row.

export const DIRECTIONS = ['inbound', 'outbound', 'note'] as const
const STATUSES = ['received', 'queued', 'sent', 'failed'] as const

const MAX_TEXT_BYTES = 262_144
const MAX_HTML_BYTES = 1_048_576
/** Sanitised HTML may be longer: signs become references such as `&amp;`. */
export const MAX_STORED_HTML_BYTES = 2 * MAX_HTML_BYTES

const Author = f.doc(
  f.object({
    type: f.doc(f.oneOf(['contact', 'member', 'system']), '`system` where nobody in person wrote it.'),
    id: f.doc(f.nullable(f.id), 'Of the contact or member; null where the contact was deleted.'),
    name: f.nullable(f.line(511)),
    email: f.nullable(f.line(254)),
    phone: f.nullable(f.line(50)),
  }),
  'Who wrote it, as known at that time.',
)
export type Author = v.InferOutput<typeof Author>

const externalId = v.pipe(f.line(998), v.minLength(1, 'empty|must not be empty'))

const fields = {
  direction: f.doc(
    f.oneOf(DIRECTIONS),
    '`inbound` from the contact, `outbound` to the contact, `note` between members only.',
  ),
  external_id: f.doc(
    f.nullable(externalId),
    'Its id elsewhere, such as the Message-ID of a mail. Unique in the channel: a repeat answers what is stored.',
  ),
  in_reply_to: f.doc(f.nullable(externalId), 'The `external_id` of the message that it answers.'),
}

const Recipient = f.object({ email: f.line(254), name: f.nullable(f.line(511)) })
export type Recipient = v.InferOutput<typeof Recipient>

export const Message = f.doc(
  f.object({
    id: f.id,
    conversation_id: f.id,
    channel: f.doc(f.oneOf(CHANNELS), 'That of the conversation.'),
    direction: fields.direction,
    author: Author,
    body_text: f.doc(f.longText(MAX_HTML_BYTES), 'As it was given, else the text of `body_html`.'),
    body_html: f.doc(f.nullable(f.longText(MAX_STORED_HTML_BYTES)), 'Sanitised: it can be shown as it is.'),
    external_id: fields.external_id,
    in_reply_to: fields.in_reply_to,
    sent_at: f.doc(f.recordFields.created_at, 'The time of the message.'),
    status: f.doc(
      f.oneOf(STATUSES),
      '`received` for what came in; what goes out is `queued` until it is `sent` or has `failed`.',
    ),
    error: f.doc(
      f.nullable(f.line(2048)),
      'Why it has failed, or why the last try of a `queued` one has; of others, what is wrong with it, such as a file of a mail that was too large to keep, or that it may have arrived twice.',
    ),
    to: f.doc(f.arrayOf(Recipient), 'Of a mail: whom it is for.'),
    cc: f.doc(f.arrayOf(Recipient), 'Of a mail that came in: who else got it.'),
    is_automatic: f.doc(
      f.flag,
      'Whether a machine wrote it, such as an out-of-office reply or the report of a failed delivery: it does not reopen its conversation, and nobody waits for an answer to it.',
    ),
    enrollment_id: f.doc(f.nullable(f.id), 'Of a mail that a sequence sent: the enrollment whose step it is.'),
    attachments: f.doc(f.arrayOf(AttachmentShown), 'Files; their data with `include=attachments` only.'),
    ...f.recordFields,
  }),
  'A message is one piece of a conversation: what came in, what went out, or a note of a member. What it says never changes; its `status` does.',
)
export type Message = v.InferOutput<typeof Message>

const From = f.object({
  email: f.optional(f.nullable(f.email)),
  name: f.optional(f.nullable(f.line(511))),
  phone: f.optional(f.nullable(f.phone)),
})
export type From = v.InferOutput<typeof From>

export const MessageCreate = f.object({
  conversation_id: f.optional(f.doc(f.id, 'Where it belongs; without it the message opens a conversation.')),
  contact_id: f.optional(f.doc(f.id, 'Whom the new conversation is with.')),
  from: f.optional(
    v.pipe(
      f.doc(
        From,
        'Who wrote an inbound message: the contact with this email or phone, else a new one. With an email or a phone.',
      ),
      v.examples([{ email: 'eva@firm.example', name: 'Eva Ruiz' }]),
    ),
  ),
  channel: f.optional(
    v.pipe(
      f.doc(f.oneOf(CHANNELS), 'Of the new conversation, which cannot be opened without it.'),
      v.examples(['chat']),
    ),
  ),
  subject: f.optional(subject),
  direction: fields.direction,
  body_text: f.optional(
    v.pipe(
      f.doc(f.nullable(f.longText(MAX_TEXT_BYTES)), 'Plain text, up to 256 KiB. There is a text, HTML or a file.'),
      v.examples(['Hello, where is my order?']),
    ),
  ),
  body_html: f.optional(
    f.doc(f.nullable(f.longText(MAX_HTML_BYTES)), 'Up to 1 MiB. What could do harm is taken out before it is stored.'),
  ),
  external_id: f.optional(fields.external_id),
  in_reply_to: f.optional(fields.in_reply_to),
  sent_at: f.optional(
    f.doc(f.time, 'Now unless said otherwise; not in the future. An outbound mail with it counts as sent elsewhere.'),
  ),
  attachments: f.optional(f.doc(f.arrayOf(AttachmentGiven, 100), 'Up to 100 files, together up to 10 MiB.')),
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
    status: c.plain('status'),
    error: c.text('error'),
    to: c.json('sent_to'),
    cc: c.json('sent_cc'),
    is_automatic: c.bool('is_automatic'),
    enrollment_id: c.plain('enrollment_id'),
    attachments: c.json('attachments'),
    created_at: c.time('created_at'),
    updated_at: c.time('updated_at'),
    version: c.integer('version'),
  },
  { author_id: ({ author }) => author.id },
)
