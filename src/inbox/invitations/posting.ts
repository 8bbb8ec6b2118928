import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { field, invalid } from '../../lib/problem.ts'
import type { Method } from '../../meetings/calendar.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import type { Participant } from '../../meetings/participants.ts'
import { conversationStore } from '../conversations/conversations.ts'
import type { Mailbox } from '../mailboxes/mailbox.ts'
import { mailboxStore } from '../mailboxes/mailboxes.ts'
import { attachmentStore } from '../messages/attachments.ts'
import { contentOf } from '../messages/contents.ts'
import { senders } from '../messages/from-address.ts'
import { MAX_RECIPIENTS } from '../messages/message.ts'
import { messageStore } from '../messages/messages.ts'
import { outgoingStore } from '../messages/outgoing.ts'
import { recipientStore } from '../messages/recipients.ts'

export type Sender = { mailbox: Mailbox; email: string }

/** A mail with a calendar. `people` may be the contact of the conversation that it opens, the first ones first. */
export type CalendarMail = {
  method: Method
  calendar: string
  sender: Sender
  /** Whose name the mail has. */
  name: string
  to: readonly { email: string; name: string | null }[]
  subject: string
  body: string
  people: readonly Participant[]
}

const NO_MAILBOX =
  'must be false: there is no mailbox to send the invitations from. Set one up, or change the meeting without telling its participants.'

/** Queues mails with calendars, each in the conversation of its meeting. */
export const calendarPost = once((deps: Deps) => {
  const { clock } = deps
  const { leave } = messageStore(deps)
  const conversations = conversationStore(deps)
  const attachments = attachmentStore(deps)
  const outgoing = outgoingStore(deps)
  const { isAside } = recipientStore(deps)
  const { byAddress, ownOf } = mailboxStore(deps)
  const { contactById, memberAuthor } = senders(deps)

  /**
   * The address that a mail about a meeting leaves by: the first of these emails that is ours, as calendars want to hear from the
   * same organizer again; the one that its conversation uses; that of the member; or the default.
   */
  function senderOf(org: number, meeting: Meeting, emails: readonly string[], member: string | null): Sender {
    const ours = emails.find((email) => byAddress(org, email) !== undefined)
    const { conversation_id } = meeting
    const own = conversation_id === null && !ours && member !== null ? ownOf(org, member) : undefined
    if (own) return { mailbox: own, email: own.address }
    const found = outgoing.senderOf(org, conversation_id ?? undefined, ours)
    if (!found) throw invalid(field('/send_invitations', 'no_mailbox', NO_MAILBOX))
    return found
  }

  /** Returns the id of its conversation: that of the meeting, or a new one, which needs no attention until there is a reply. */
  function post(
    who: Caller,
    { conversation_id, title }: Pick<Meeting, 'conversation_id' | 'title'>,
    mail: CalendarMail,
  ) {
    const { method, calendar, sender, subject } = mail
    if (mail.to.length > MAX_RECIPIENTS)
      throw invalid(
        field(
          '/send_invitations',
          'too_many',
          `must be false for more than ${MAX_RECIPIENTS} participants with an email`,
        ),
      )
    const content_type = `text/calendar; method=${method}; charset=utf-8`
    const place =
      conversation_id === null
        ? opening(who, title, mail.people)
        : { conversation: conversations.byId(who, conversation_id) }
    const to = { to: mail.to.map(({ email, name }) => ({ email, name })), cc: [], bcc: [] }
    const draft = {
      direction: 'outbound' as const,
      at: clock.now(),
      files: [attachments.attachmentOf({ name: 'invite.ics', content_type }, contentOf(Buffer.from(calendar)))],
      author: memberAuthor(who),
      body_text: mail.body,
      body_html: null,
      external_id: null,
      in_reply_to: null,
      isAnswer: false,
      is_automatic: true,
    }
    const leaving = {
      ...outgoing.threaded(who.org, conversation_id ?? undefined, subject, null),
      ...to,
      subject,
      mailbox: sender.mailbox,
      from: { email: sender.email, name: mail.name },
      is_aside: isAside(who.org, conversation_id ?? undefined, to),
    }
    return leave(who, place, draft, leaving, null).conversation_id
  }

  function opening(who: Caller, subject: string, people: readonly Participant[]) {
    const id = people.find(({ contact_id }) => contact_id !== null)?.contact_id
    const company_id = id ? contactById(who, id).company_id : null
    return { opening: { subject, channel: 'email' as const, contact_id: id ?? null, company_id, isClosed: true } }
  }

  return { senderOf, post }
})
