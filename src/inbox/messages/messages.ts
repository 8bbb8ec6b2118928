import type { Scope } from '../../auth/scopes.ts'
import { type Deps, once } from '../../deps.ts'
import type { UploadedFile } from '../../http/body/form-parts.ts'
import type { Listed, Rendered, Repeated } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import type { Condition, Filter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import type { Sort } from '../../store/list/query.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { searchIndex } from '../../store/search/search.ts'
import type { Conversation } from '../conversations/conversation.ts'
import { conversationStore, type Opening } from '../conversations/conversations.ts'
import { MAX_WORDS, wordsOfMessage } from '../conversations/message-effects.ts'
import { movedTo } from '../conversations/moved-to.ts'
import { pastTime } from '../conversations/statuses.ts'
import { attachmentStore } from './attachments.ts'
import { forwarding } from './forwards.ts'
import { senders } from './from-address.ts'
import { heldStore, holdErrors } from './held.ts'
import { lightPage } from './light-page.ts'
import { columns, DIRECTIONS, type Message, type MessageCreate } from './message.ts'
import { type Draft, messageWriter, type SequenceMail, type Target } from './message-writer.ts'
import { neverTwice } from './never-twice.ts'
import { type Leaving, mailIdOf, outgoingStore } from './outgoing.ts'
import { recipientStore } from './recipients.ts'
import { storedHtml, textIn } from './texts.ts'

export const filters: Record<string, Filter> = {
  direction: { type: 'choice', choices: DIRECTIONS, indexed: false },
  created_at: { type: 'time' },
}
export const sorts: Record<string, Sort> = { created_at: { column: 'id' } }

/** Where a message goes: an existing conversation, or one that it opens with a contact. */
type Given = { conversation?: Conversation; channel: Conversation['channel'] }

export const messageStore = once((deps: Deps) => {
  const { db, clock, references, react } = deps
  const conversations = conversationStore(deps)
  const { contactById, contactOf, contactAuthor, memberAuthor } = senders(deps)
  const attachments = attachmentStore(deps)
  const { write, insert } = messageWriter(deps)
  const outgoing = outgoingStore(deps)
  const recipients = recipientStore(deps)
  const checkUnanswered = neverTwice(deps)
  const held = heldStore(deps)
  const forwardErrors = forwarding(deps)
  const { leading } = movedTo(db)
  const find = finder(db, 'messages', columns)
  const search = searchIndex(db, 'conversation')
  const { list } = listing(db, {
    table: 'messages',
    columns,
    filters: { ...filters, conversation_id: { type: 'id' } },
    sorts,
  })
  const known = db
    .prepare('SELECT id FROM messages WHERE org_id = ? AND channel = ? AND external_id = ? AND external_id IS NOT NULL')
    .pluck()

  /** `uploaded` are the files of a form, which come after those in the message. */
  function post(
    who: Caller,
    given: MessageCreate,
    uploaded: readonly UploadedFile[] = [],
  ): Message | Repeated<Message> {
    const { conversation, channel } = placeOf(who, given)
    const repeated = given.external_id && (known.get(who.org, channel, given.external_id) as string | undefined)
    if (repeated) return { repeated: columns.present(find(who, repeated)) }
    checkUnanswered(who.org, conversation?.id, given)
    const at = timeOf(given)
    const files = attachments.read(given.attachments ?? [], uploaded)
    const { direction } = given
    const body_html = given.body_html ? storedHtml(given.body_html) || null : null
    const body_text = given.body_text?.trim() ? given.body_text : textIn(body_html ?? '')
    if (body_text.trim() === '' && body_html === null && files.length === 0)
      throw invalid(field('', 'empty', 'must have a body_text, a body_html or an attachment'))
    const contact = contactFor(who, given, conversation)
    const draft = {
      direction,
      at,
      files,
      body_text,
      body_html,
      external_id: given.external_id ?? null,
      in_reply_to: given.in_reply_to ?? null,
      forwards_message_id: given.forwards_message_id ?? null,
    }
    const place: Target = conversation ? { conversation } : { opening: openingOf(given, contact as Contact) }
    if (direction === 'inbound') {
      const author = contact ? contactAuthor(contact, given.from) : NOBODY
      const isAside = channel === 'email' && recipients.isByTheSide(who.org, conversation?.id, author, draft)
      const message = write(who, place, { ...draft, author, status: 'received', error: null, isAnswer: false, isAside })
      if (isAside) outgoing.noteAside(who.org, message)
      react(who, 'message.received', message)
      return message
    }
    const written = { ...draft, author: memberAuthor(who), isAnswer: who.member !== null }
    if (direction === 'note' || channel !== 'email')
      return closing(who, write(who, place, { ...written, status: 'sent', error: null }), given)
    if (given.sent_at !== undefined) return closing(who, record(who, place, written, given), given)
    const leaving = outgoing.leaving(who.org, conversation?.id, contact, given)
    if (typeof leaving === 'string')
      return write(who, place, { ...written, isAnswer: false, status: 'failed', error: leaving })
    const due = given.send_at == null ? 0 : (parseTime(given.send_at) as number)
    const hold = due <= clock.now() ? {} : { send_at: rfc3339(due), at: due }
    const message = leave(who, place, { ...written, ...hold }, leaving, null)
    held.note(who.org, message, given)
    return message
  }

  /** What is sent already closes its conversation at once. */
  function closing(who: Caller, message: Message, { closes_conversation: closes }: MessageCreate): Message {
    const { conversation_id: id, direction } = message
    if (closes && direction === 'outbound') conversations.patch(who, conversations.byId(who, id), { status: 'closed' })
    return message
  }

  /** Writes an email that another system has sent. */
  function record(who: Caller, place: Target, draft: Omit<Draft, 'status' | 'error'>, given: MessageCreate): Message {
    const { is_aside, ...mail } = recipients.recorded(who.org, given.conversation_id, given)
    const isAnswer = draft.isAnswer && !is_aside
    const message = write(who, place, { ...draft, ...mail, isAnswer, status: 'sent', error: null })
    if (is_aside) outgoing.noteAside(who.org, message)
    return message
  }

  /** Writes a queued email. */
  function leave(
    who: Caller,
    place: Target,
    draft: Omit<Draft, 'status' | 'error'>,
    leaving: Leaving,
    enrollment_id: string | null,
  ): Message {
    const { mailbox, from, to, cc, bcc, in_reply_to } = leaving
    const id = clock.id()
    const external_id = draft.external_id ?? mailIdOf(id, null, mailbox)
    const ids = { id, external_id, in_reply_to, enrollment_id }
    const isAnswer = draft.isAnswer && !leaving.is_aside
    const sent = { ...draft, ...ids, from, to, cc, bcc, isAnswer, status: 'queued' as const, error: null }
    const message = write(who, place, sent)
    outgoing.queue(who.org, message, leaving, enrollment_id)
    return message
  }

  /** Queues the mail of a sequence. The conversation that it opens stays closed until there is a reply. */
  function send(who: Caller, mail: SequenceMail): Message {
    const { conversation_id, contact, to, subject, mailbox, sender_id } = mail
    const place: Target =
      conversation_id === null
        ? { opening: { ...openingOf({ subject, channel: 'email' }, contact), isClosed: true } }
        : { conversation: conversations.byId(who, conversation_id) }
    const draft = {
      direction: 'outbound' as const,
      at: clock.now(),
      files: [],
      author: memberAuthor({ org: who.org, member: sender_id }),
      body_text: mail.body_text,
      body_html: mail.body_html,
      external_id: null,
      in_reply_to: null,
      isAnswer: false,
    }
    const thread = outgoing.threaded(who.org, conversation_id ?? undefined, subject, null)
    const from = { email: mailbox.address, name: draft.author.name || mailbox.name }
    const leaving = { ...thread, subject, mailbox, from, to: [to], cc: [], bcc: [], is_aside: false }
    return leave(who, place, draft, leaving, mail.enrollment_id)
  }

  function timeOf({ sent_at }: MessageCreate): number {
    const at = sent_at === undefined ? clock.now() : pastTime('/sent_at', sent_at, clock.now())
    if (at < 0) throw invalid(field('/sent_at', 'too_early', 'must not be before 1970'))
    return at
  }

  /** Throws 422 for fields that contradict each other. */
  function placeOf(who: Caller, given: MessageCreate): Given {
    const { conversation_id, channel, direction, from } = given
    const errors: FieldError[] = []
    if (conversation_id !== undefined) {
      for (const name of ['contact_id', 'channel', 'subject'] as const)
        if (given[name] !== undefined)
          errors.push(field(`/${name}`, 'not_opening', 'must be omitted unless the message opens a conversation'))
      if (errors.length > 0) throw invalid(...errors)
      references.check(who.org, { conversation_id })
      const conversation = conversations.byId(who, leading(who.org, conversation_id))
      errors.push(
        ...forwardErrors(who.org, given, conversation),
        ...recipients.errorsOf(who.org, given, conversation.channel),
        ...holdErrors(given, conversation.channel, clock.now()),
      )
      if (errors.length > 0) throw invalid(...errors)
      return { conversation, channel: conversation.channel }
    }
    errors.push(
      ...forwardErrors(who.org, given),
      ...recipients.errorsOf(who.org, given, channel),
      ...holdErrors(given, channel, clock.now()),
    )
    const isSender = direction === 'outbound' && channel === 'email' // and no contact
    if (direction === 'note')
      errors.push(field('/conversation_id', 'required', 'is required: a note needs an existing conversation'))
    else if ((given.contact_id === undefined) === (from === undefined || isSender))
      errors.push(field('', 'no_contact', 'must have exactly one of conversation_id, contact_id and, if inbound, from'))
    if (channel === undefined) errors.push(field('/channel', 'required', 'is required to open a conversation'))
    if (errors.length > 0) throw invalid(...errors)
    return { channel: channel as Conversation['channel'] }
  }

  function contactFor(
    who: Caller,
    { contact_id, from, direction }: MessageCreate,
    conversation: Conversation | undefined,
  ): Contact | undefined {
    if (from && direction === 'inbound') return contactOf(who, from)
    if (contact_id !== undefined) references.check(who.org, { contact_id })
    const id = contact_id ?? conversation?.contact_id
    return id ? contactById(who, id) : undefined
  }

  /** Inserts a message unchanged and without an event. Its conversation must exist. */
  function restore(org: number, message: Message): void {
    insert(org, message)
    const { id, conversation_id, status, send_at } = message
    if (send_at === null) search.add(org, conversation_id, wordsOfMessage(message), MAX_WORDS)
    if (status === 'queued') outgoing.send(org, id, send_at === null ? undefined : (parseTime(send_at) as number))
  }

  function show({ org }: Caller, row: RawRow, { given }: { given: ReadonlyMap<string, string> }): Rendered {
    if (!given.has('include')) return { json: columns.json(row) }
    return { json: attachments.withData(org, columns.present(row)) }
  }

  function open(who: Caller, conversationId: string): Listed & { scope: Scope } {
    conversations.find(who, conversationId)
    const own: Condition = { column: 'conversation_id', operator: 'eq', values: [conversationId], indexed: true }
    return {
      columns,
      filters,
      sorts,
      scope: 'rest.inbox.conversations.read',
      list: (org, ask) => lightPage(list(org, { ...ask, conditions: [...ask.conditions, own] })),
    }
  }

  return { post, leave, send, find, show, open, restore }
})

const openingOf = (
  { subject, channel }: Pick<MessageCreate, 'subject' | 'channel'>,
  { id, company_id }: Contact,
): Opening => ({
  subject: subject ?? null,
  channel: channel as Conversation['channel'],
  contact_id: id,
  company_id,
})

export const NOBODY = { type: 'contact', id: null, name: null, email: null, phone: null } as const
