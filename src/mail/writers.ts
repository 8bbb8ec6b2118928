import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import type { Ours } from '../inbox/mailboxes/whose.ts'
import { emailKey } from '../lib/email.ts'
import { domainOf, isSameOrganisation } from '../lib/mail/hosts.ts'
import type { Address, MailIn } from '../lib/mail/mail.ts'

// Who wrote a mail, and whether a person did: docs/decisions/012-mail.md has the rules, and what they rest on.

export type Writer = {
  /** Null if the mail does not say. */
  address: Address | null
  /** The header that names them. */
  by: 'from' | 'reply_to'
  /** It came from one of our own addresses, with another mail program. */
  isOurs: boolean
  /** A form, or a program of ours, sent what they wrote. A newsletter that a service sends for a shop has a list instead. */
  isByForm: boolean
}

/** How form services, and the servers of websites, name themselves. */
const FORM =
  /^(?:no-?_?reply|do-?not-?reply|(?:web-?)?forms?|formular|kontakt-?formular|contact-?form|website|web|www-data|apache|nginx|wordpress|notifications?|notify|mailer|postmaster|webmaster|service|system|submissions?|leads?)(?:[^a-z]|$)/i

export function writerOf(
  mailbox: Pick<Mailbox, 'reply_to' | 'trusted_forwarders'>,
  { from, replyTo, lists }: Pick<MailIn, 'from' | 'replyTo' | 'lists'>,
  ours: Ours,
): Writer {
  const isOurs = ({ email }: Address) => ours.isMailbox(email)
  const named: Writer = { address: from, by: 'from', isOurs: from !== null && isOurs(from), isByForm: false }
  if (from === null || replyTo === null || isOurs(replyTo) || mailbox.reply_to === 'never') return named
  if (emailKey(replyTo.email) === emailKey(from.email)) return named
  const isTheirs = mailbox.reply_to === 'always' || isOurs(from) || isForm(from, replyTo, ours)
  if (!isTheirs) return named
  const isByForm = lists.length === 0 || ours.isOurHost(domainOf(from.email)) || isTrusted(mailbox, from.email)
  return {
    address: replyTo,
    by: 'reply_to',
    isOurs: false,
    isByForm: isByForm || lists.some((each) => isOurList(each, ours)),
  }
}

/** Whether a service, or a program of our own domain, wrote it for somebody else. */
function isForm(from: Address, replyTo: Address, ours: Ours): boolean {
  const host = domainOf(from.email)
  if (ours.isOurHost(host)) return true
  return !isSameOrganisation(host, domainOf(replyTo.email)) && FORM.test(from.email)
}

/**
 * Whether a machine wrote a mail. Headers that forbid automatic answers do not say so: what came by a list that is our own
 * address, answers a mail of ours, is by a form, or was passed on by a rule, is by a person. Other mass mail is not.
 */
export function isMachine(
  mail: Pick<MailIn, 'automatic' | 'isPassedOn' | 'lists'>,
  { isByForm }: Writer,
  ours: Ours,
  answersUs: () => boolean,
): boolean {
  if (mail.automatic === null || mail.automatic === 'reply') return mail.automatic === 'reply'
  if (isByForm) return false
  if (mail.automatic === 'generated') return !mail.isPassedOn
  return !(mail.lists.some((list) => isOurList(list, ours)) || answersUs())
}

const isOurList = (list: string, { isMailbox, isOurHost }: Ours): boolean =>
  isMailbox(list) || isOurHost(domainOf(list))

/** Whether the settings allow a sender any number of mails, such as a form or a forwarder that serves many people. */
export function isTrusted({ trusted_forwarders }: Pick<Mailbox, 'trusted_forwarders'>, email: string): boolean {
  const address = emailKey(email)
  return trusted_forwarders.some((each) => each === address || each === domainOf(address))
}
