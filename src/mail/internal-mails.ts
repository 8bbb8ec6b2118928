import { type Deps, once } from '../deps.ts'
import { peopleStore } from '../inbox/conversations/people.ts'
import { threadStore } from '../inbox/conversations/threads.ts'
import { type Ours, whoseAddresses } from '../inbox/mailboxes/whose.ts'
import { stranger } from '../inbox/messages/from-address.ts'
import type { Author } from '../inbox/messages/message.ts'
import { emailKey } from '../lib/email.ts'
import type { Address, Forwarded, MailIn } from '../lib/mail/mail.ts'
import { quotedIn } from '../lib/mail/parse/forwarded.ts'
import { isOfUs, type Origin } from './authentication.ts'
import { isMachine, type Writer } from './writers.ts'

/** What a mail is to us. `thread` is its conversation; undefined if it opens one. */
export type Role =
  /** From outside, or from a colleague who wants something: it is in the inbox. */
  | { kind: 'received'; thread: string | undefined; doubt?: string }
  /**
   * Sent with another program: an aside, if it went to somebody else than the people of its conversation, such as a
   * supplier. Whoever waits still does then.
   */
  | { kind: 'sent'; thread: string | undefined; to: Address; isAside: boolean }
  /** A remark of a colleague in a conversation that is here. */
  | { kind: 'note'; thread: string; author: Author; doubt?: string }
  /** A colleague passes on what somebody wrote elsewhere, which becomes a conversation with them. */
  | { kind: 'forward'; thread: undefined; author: Author; forwarded: Forwarded; doubt?: string }
  /** An invitation of ours, or by a machine of ours, outside of any conversation. */
  | { kind: 'no_message'; thread: undefined }

const NO_MESSAGE: Role = { kind: 'no_message', thread: undefined }

type Given = {
  thread: string | undefined
  writer: Writer
  content: { text: string }
  ours: Ours
  isReport: boolean
  origin: Origin
}

/**
 * Decides what a mail of our own people is: by who is addressed, what it answers, and what it quotes. That it is from us
 * neither means that somebody was answered nor that it can be left out.
 */
export const internalMails = once((deps: Deps) => {
  const threads = threadStore(deps)
  const people = peopleStore(deps)
  const { colleagueOf } = whoseAddresses(deps)

  /** Nothing is done in our name unless it is from us, as far as anybody can know: else it is as by a stranger. */
  function roleOf(org: number, mail: MailIn, given: Given): Role {
    const role = claimedRole(org, mail, given)
    const { origin, thread } = given
    if (role.kind === 'received' || isOfUs(origin)) return role
    return { kind: 'received', thread, doubt: origin === 'forged' ? FORGED : DOUBTFUL }
  }

  function claimedRole(org: number, mail: MailIn, given: Given): Role {
    const { thread, writer, ours, isReport, origin } = given
    const received: Role = { kind: 'received', thread }
    if (isReport || writer.address === null) return received
    const email = emailKey(writer.address.email)
    const colleague = colleagueOf(org, email)
    const isColleague = writer.isOurs || (colleague !== undefined && writer.by === 'from')
    if (!isColleague) return received
    if (writer.isOurs && thread === undefined && mail.invitations.length > 0) return NO_MESSAGE
    const readers = [...mail.to, ...mail.cc].filter(({ email }) => !ours.isMailbox(email))
    const customers = thread === undefined ? new Set() : people.peopleIn(org, thread, ours)
    const isAnswer = readers.some((each) => customers.has(emailKey(each.email)))
    // A colleague who reads along is none, unless it is their own conversation.
    const outside = readers.filter((each) => !ours.isAmongUs(each.email))
    const [to] = isAnswer ? readers : outside
    if (writer.isOurs && to) return sentRole(mail, given, to, customers.size > 0 && !isAnswer)
    if (mail.automatic === 'reply') return received
    const isKnown = colleague !== undefined && origin === 'proven'
    const author: Author = isKnown
      ? { type: 'member', id: colleague.id, name: colleague.name, email, phone: null }
      : stranger(writer.address)
    const doubt = colleague && !isKnown ? { doubt: UNCHECKED } : {}
    const forwarded = !to ? forwardedIn(mail, given.content.text) : null
    const stored = forwarded?.messageId ? threads.messageOf(org, forwarded.messageId)?.conversation_id : undefined
    const place = stored ?? thread
    if (place !== undefined && (writer.isOurs || forwarded)) return { kind: 'note', thread: place, author, ...doubt }
    if (forwarded && !ours.isMailbox(forwarded.from.email))
      return { kind: 'forward', thread: undefined, author, forwarded, ...doubt }
    return received
  }

  return { roleOf }
})

const FORGED = 'According to the mail server, it is not from the address of ours that it names as its sender.'
const DOUBTFUL =
  'It names an address of ours as its sender, but it came from outside, and the mail server has not found that it is from there.'
const UNCHECKED = 'Nobody has checked that it is from the member whose address it names.'

/** What one of our mailboxes sent to somebody outside with another program. */
function sentRole(mail: MailIn, { thread, writer, ours }: Given, to: Address, isAside: boolean): Role {
  if (thread === undefined && isMachine(mail, writer, ours, () => false)) return NO_MESSAGE
  return { kind: 'sent', thread, to, isAside }
}

/** The mail that another one passes on: attached to it, or quoted in its text. */
export const forwardedIn = (mail: Pick<MailIn, 'forwarded' | 'subject'>, text: string): Forwarded | null => {
  if (mail.forwarded) return mail.forwarded
  return FORWARD.test(mail.subject ?? '') || SEPARATOR.test(text) ? quotedIn(text) : null
}

/** How mail programs begin the subject of what they forward. */
const FORWARD =
  /^\s*(?:fwd?|wg|tr|i|rv|enc|doorst|vs|vb|pd|továbbítás|i̇lt|ilt|転送|转发|轉寄|전달|פ?הועבר)\s*[:：]|\(fwd\)\s*$/i
const SEPARATOR =
  /^[>\t ]{0,40}(?:-{3,}[\t ]{0,4}(?:forwarded message|weitergeleitete nachricht|message transféré|messaggio inoltrato|mensaje reenviado|doorgestuurd bericht)|begin forwarded message)/im
