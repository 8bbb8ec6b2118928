import { type Deps, once } from '../deps.ts'
import { conversationStore } from '../inbox/conversations/conversations.ts'
import { peopleStore } from '../inbox/conversations/people.ts'
import { type Threaded, threadStore } from '../inbox/conversations/threads.ts'
import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { type Ours, whoseAddresses } from '../inbox/mailboxes/whose.ts'
import { attachmentStore } from '../inbox/messages/attachments.ts'
import { contentOf } from '../inbox/messages/contents.ts'
import { senders, stranger } from '../inbox/messages/from-address.ts'
import { mailCopies } from '../inbox/messages/mail-copies.ts'
import type { Recipient } from '../inbox/messages/message.ts'
import { messageWriter, type Target } from '../inbox/messages/message-writer.ts'
import { type Original, originalStore } from '../inbox/messages/originals.ts'
import { outgoingStore } from '../inbox/messages/outgoing.ts'
import { storedMails } from '../inbox/messages/stored-mails.ts'
import type { Authentication, MailIn } from '../lib/mail/mail.ts'
import { isForged } from '../lib/mail/verdicts.ts'
import { HOUR_MS, rfc3339 } from '../lib/time.ts'
import { absences } from '../sequences/enrollments/absences.ts'
import { unsubscribing } from '../sequences/enrollments/unsubscribe.ts'
import { authenticationOf, isOfUs, originOf } from './authentication.ts'
import { bodyOf, type Content } from './body.ts'
import { bounceStore } from './bounces.ts'
import { isCalendarAnswer } from './calendar-answers.ts'
import { internalMails, type Role } from './internal-mails.ts'
import { type Accepted, invitationStore } from './invitations.ts'
import { ourAddresses } from './our-addresses.ts'
import { doubtOf, errorOf, remarkOf } from './remarks.ts'
import { ruleRuns } from './rules/runs.ts'
import { isMachine, isTrusted, type Writer, writerOf } from './writers.ts'

/**
 * The result of an import. Skipped: a mail that is already stored, an unsubscribe request, or an automatic mail of our own
 * outside any conversation. Rejected: a delivery report about an unknown mail. `by` is the header that named the writer.
 */
export type ImportedMail =
  | { outcome: 'imported'; by?: 'reply_to' | 'forward' }
  | { outcome: 'skipped' }
  | { outcome: 'rejected'; error: string }

const MAX_SUBJECT = 255

/** Per sender and hour: further mails count as automatic, so that two machines do not answer each other forever. */
const MAX_AN_HOUR = 60
const LOOP = `More than ${MAX_AN_HOUR} mails of this sender were received within an hour, so it counts as a machine.`

const DOUBTFUL_REPORT =
  "This report of a failed delivery changed nothing, because it is neither from the recipient's mail server nor from ours."
const UNKNOWN_REPORT = 'It is a delivery report about a mail that is not known here.'

/**
 * Imports received mails as messages. Runs in the caller's transaction; throws if the mail cannot be imported, and the
 * caller records the error.
 */
export const incomingStore = once((deps: Deps) => {
  const { db, clock, react } = deps
  const { oursOf } = whoseAddresses(deps)
  const conversations = conversationStore(deps)
  const threads = threadStore(deps)
  const people = peopleStore(deps)
  const returns = bounceStore(deps)
  const outgoing = outgoingStore(deps)
  const { fromSubject } = unsubscribing(deps)
  const { holdFor } = absences(deps)
  const { contactOf, contactAuthor } = senders(deps)
  const { write, finish } = messageWriter(deps)
  const attachments = attachmentStore(deps)
  const originals = originalStore(deps)
  const invitations = invitationStore(deps)
  const mails = storedMails(db)
  const copies = mailCopies(deps)
  const internal = internalMails(deps)
  const { addressed, deliveredTo } = ourAddresses(deps)
  const rules = ruleRuns(deps)

  /** Whether a mail with this Message-ID is already stored. Of one that was forwarded only its text is. */
  const isKnown = (org: number, messageId: string): boolean =>
    mails.digestOf(org, messageId) !== undefined || isByUs(org, messageId)

  /**
   * Imports one mail. `arrivedAt` is when its server received it, in milliseconds; a mail that is history has been in some
   * folder for long when it is first seen here.
   */
  function take(
    org: number,
    mailbox: Mailbox,
    mail: MailIn,
    arrivedAt: number,
    isHistory = false,
    original?: Original,
  ): ImportedMail {
    const ours = oursOf(org)
    const writer = writerOf(mailbox, mail, ours)
    const content = bodyOf(mail)
    const arrived = Math.max(0, Math.min(arrivedAt, clock.now()))
    const authentication = authenticationOf(mail.trace, mailbox)
    const from = writer.address?.email ?? null
    const external_id = idOf(org, mailbox, mail, { ...content, from, authentication }, arrived)
    if (external_id === undefined) return { outcome: 'skipped' }
    if (mail.subject !== null && fromSubject(org, mail.subject)) return { outcome: 'skipped' }
    const bounce = mail.report && returns.bouncedBy(org, mailbox, mail, authentication)
    const isReport = mail.report !== null && (mail.report.isStandard || returns.isMeant(mail, bounce))
    const origin = originOf(mail, mailbox)
    const isByUs = writer.isOurs && isOfUs(origin)
    const threaded: Threaded = { ...mail, writer: isByUs ? null : from, ours }
    const known = isReport && bounce && (bounce.isBelieved || bounce.isNamed) ? bounce.conversation_id : undefined
    const accepted = invitations.accept(org, mail, authentication, ours)
    const isAnswer = isCalendarAnswer(mail)
    const ofMeeting = isAnswer ? accepted.answered?.conversation_id : undefined
    const thread = known ?? threads.conversationOf(org, threaded) ?? ofMeeting ?? undefined
    if (mail.report && isReport && thread === undefined)
      return { outcome: 'rejected', error: bounce ? DOUBTFUL_REPORT : UNKNOWN_REPORT }
    if (mail.report && isReport && bounce?.isBelieved) returns.note(org, bounce, mail.report)
    if (isReport && bounce?.isBelieved === false) accepted.notes.push(DOUBTFUL_REPORT)
    const of = { external_id, thread, writer, content, arrived, authentication, accepted, ours }
    const details = { ...of, isReport, isAnswer, isHistory, original }
    const role = internal.roleOf(org, mail, { ...details, origin })
    // In our name, nobody else makes meetings.
    if (role.kind === 'received' && role.doubt) accepted.invitations = []
    if (role.kind === 'no_message') {
      // The meetings that a colleague sent from another program.
      const link = { conversation: null, subject: mail.subject, arrivedAt: arrived }
      if (!isForged(authentication)) invitations.apply(org, accepted, link)
      return { outcome: 'skipped' }
    }
    store(org, mailbox, mail, role, details)
    if (role.kind === 'forward') return { outcome: 'imported', by: 'forward' }
    return { outcome: 'imported', ...(writer.by === 'reply_to' ? { by: 'reply_to' } : {}) }
  }

  /** Returns the external id to store the mail under, or undefined if it is already stored. */
  function idOf(org: number, mailbox: Mailbox, mail: MailIn, more: Of, arrivedAt: number): string | undefined {
    const id = copies.idOf(org, mailbox, { ...mail, ...more }, arrivedAt)
    return id !== undefined && id === mail.messageId && isKnown(org, id) ? undefined : id
  }

  type Of = Content & { from: string | null; authentication: Authentication | null }

  type Details = {
    external_id: string
    thread: string | undefined
    writer: Writer
    content: Content
    arrived: number
    authentication: Authentication | null
    accepted: Accepted
    ours: Ours
    isReport: boolean
    /** It only states an answer to an invitation. */
    isAnswer: boolean
    isHistory: boolean
    original: Original | undefined
  }

  function store(org: number, mailbox: Mailbox, mail: MailIn, role: Role, details: Details): void {
    const { external_id, writer, content, authentication, accepted, ours, isReport, isAnswer, isHistory, original } =
      details
    const who = { org, member: null }
    const isOutbound = role.kind === 'sent'
    const forwarded = role.kind === 'forward' ? role.forwarded : undefined
    const from = forwarded?.from ?? writer.address
    const at = timeOf(org, mail, details.arrived)
    const conversation = role.thread === undefined ? undefined : conversations.byId(who, role.thread)
    // A delivery report has no contact; an automatic reply belongs to the person it was sent for.
    const isPerson =
      from !== null && !isReport && (role.kind === 'forward' || (role.kind === 'received' && !writer.isOurs))
    const contact = isOutbound && !conversation ? contactOf(who, role.to) : isPerson ? contactOf(who, from) : undefined
    const isLoop =
      isPerson &&
      contact !== undefined &&
      !isTrusted(mailbox, from.email) &&
      countAround(org, contact.id, at) >= MAX_AN_HOUR
    const error = errorOf([
      ...mail.notes,
      ...content.notes,
      ...(isLoop ? [LOOP] : []),
      ...accepted.notes,
      doubtOf(role),
    ])
    const answersUs = () => mail.inReplyTo.concat(mail.references).some((id) => isByUs(org, id))
    const is_automatic = isReport || isLoop || isAnswer || isMachine(mail, writer, ours, answersUs)
    const place: Target = conversation
      ? { conversation }
      : {
          opening: {
            subject: (forwarded?.subject ?? mail.subject)?.slice(0, MAX_SUBJECT) ?? null,
            channel: 'email',
            contact_id: contact?.id ?? null,
            company_id: contact?.company_id ?? null,
            isClosed: isOutbound || (isAnswer && accepted.answered !== undefined),
          },
        }
    const isNote = role.kind === 'note'
    const isAside = isOutbound
      ? role.isAside
      : isPerson &&
        conversation !== undefined &&
        people.isByTheSide(org, conversation.id, { ...mail, from: from.email }, ours)
    const message = write(who, place, {
      direction: isNote ? 'note' : isOutbound ? 'outbound' : 'inbound',
      author: isNote
        ? role.author
        : contact && !isOutbound
          ? contactAuthor(contact, from ?? undefined)
          : stranger(from),
      at,
      date: rfc3339OrNull(forwarded ? forwarded.date : mail.date),
      files: mail.files.map((file) => attachments.attachmentOf(file, contentOf(file.bytes, file.sha256))),
      body_text: forwarded?.text || content.text,
      body_html: forwarded ? null : content.html,
      external_id: forwarded ? null : external_id,
      in_reply_to: mail.inReplyTo[0] ?? mail.references.at(-1) ?? null,
      status: isNote || isOutbound ? 'sent' : 'received',
      error,
      // Colleagues who read what was forwarded were not written to by the customer.
      to: mail.to.filter(({ email }) => !forwarded || ours.isMailbox(email)).map(recipient),
      cc: forwarded ? [] : mail.cc.map(recipient),
      from: addressed(org, mail, mailbox, ours, isOutbound, conversation?.id),
      is_automatic,
      is_history: isHistory && !isOutbound,
      authentication: forwarded ? null : authentication,
      isAnswer: isOutbound && !role.isAside && !is_automatic,
      isAside,
    })
    const answerTo = mail.replyTo === null || ours.isMailbox(mail.replyTo.email) || forwarded ? null : mail.replyTo
    const reply_to = answerTo && answerTo.email !== from?.email ? answerTo.email : null
    outgoing.note(org, {
      message_id: message.id,
      mailbox_id: mailbox.id,
      subject: forwarded?.subject ?? mail.subject,
      refs: forwarded ? [forwarded.messageId].filter((id) => id !== null) : mail.references,
      digest: forwarded ? null : mail.digest,
      reply_to,
      delivered_to: isOutbound || forwarded ? [] : deliveredTo(mail, ours),
      is_aside: Number(isAside),
    })
    if (original) originals.add(org, message.id, original)
    if (role.kind === 'forward') {
      outgoing.alias(
        org,
        message.id,
        [role.forwarded.messageId].filter((id) => id !== null),
      )
      const note = write(
        who,
        { conversation: conversations.byId(who, message.conversation_id) },
        remarkOf(role, { at, date: rfc3339OrNull(mail.date), external_id }),
      )
      outgoing.note(org, {
        message_id: note.id,
        mailbox_id: mailbox.id,
        subject: mail.subject,
        refs: [],
        digest: mail.digest,
      })
      if (original) originals.add(org, note.id, original)
    }
    const link = {
      conversation: conversations.byId(who, message.conversation_id),
      subject: mail.subject,
      arrivedAt: details.arrived,
    }
    const isReply = is_automatic && !isReport && !isAnswer && mail.automatic !== null && mail.automatic !== 'bulk'
    const { id: conversation_id, subject: asked } = link.conversation
    const away = { conversation_id, subject: mail.subject, asked, text: content.text, at: details.arrived }
    const held =
      isReply && isPerson && contact && !isForged(authentication)
        ? holdFor(org, { contact_id: contact.id, ...away })
        : []
    const more = [...invitations.apply(org, accepted, link), ...held]
    if (more.length > 0) finish(org, message, { error: errorOf([error ?? '', ...more]) })
    if (!is_automatic && message.direction === 'inbound') react(who, 'message.received', message)
    const came = { mailbox_id: mailbox.id, mail, message, contact, email: from?.email ?? null, ours }
    if (role.kind === 'received' && !isReport && !isHistory)
      rules.run(org, { ...came, isForged: isForged(authentication) || role.doubt !== undefined })
  }

  /** Whether a mail with this Message-ID was sent from here to somebody. */
  const isByUs = (org: number, id: string): boolean => threads.messageOf(org, id)?.direction === 'outbound'

  /** Counts the contact's latest mails within an hour of this one, not of now: many old ones may arrive at once. */
  const countAround = (org: number, contact: string, at: number): number =>
    mails.countAround(org, contact, MAX_AN_HOUR, at, HOUR_MS)

  /**
   * A mail counts from when it arrived, but not before what it answers, nor after what answers it: copies of our own mails
   * come late. The clock of a sender must not decide who waits, or when an SLA target starts.
   */
  function timeOf(org: number, { messageId, inReplyTo, references }: MailIn, arrived: number): number {
    const parents = [...inReplyTo, ...references.slice(-1)].map((id) => threads.messageOf(org, id)?.sent_at ?? 0)
    const next = messageId === null ? undefined : threads.firstAnswerTo(org, messageId)
    return Math.min(clock.now(), Math.max(arrived, ...parents), next === undefined ? Infinity : next - 1)
  }

  return { take, isKnown }
})

const rfc3339OrNull = (ms: number | null): string | null => (ms === null ? null : rfc3339(ms))

const recipient = ({ email, name }: Recipient): Recipient => ({ email, name })
