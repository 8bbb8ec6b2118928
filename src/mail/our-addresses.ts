import { type Deps, once } from '../deps.ts'
import { addressesOf, type Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import type { Ours } from '../inbox/mailboxes/whose.ts'
import type { Recipient } from '../inbox/messages/message.ts'
import { outgoingStore } from '../inbox/messages/outgoing.ts'
import { emailKey } from '../lib/email.ts'
import type { MailIn } from '../lib/mail/mail.ts'

const MAX_DELIVERED = 10

/** Our own addresses that a mail names. */
export const ourAddresses = once((deps: Deps) => {
  const { addresses } = mailboxStore(deps)
  const { senderOf } = outgoingStore(deps)

  /**
   * The address of ours that a mail was sent to, or by: an answer leaves by the same one. What was sent to a reply tag was
   * sent to the address that its conversation uses.
   */
  function addressed(
    org: number,
    mail: MailIn,
    mailbox: Mailbox,
    { whose }: Ours,
    isOutbound: boolean,
    conversation: string | undefined,
  ): Recipient {
    const ours = isOutbound ? addresses(org) : addressesOf(mailbox)
    const given = isOutbound ? [mail.from?.email ?? ''] : [...mail.to, ...mail.cc].map(({ email }) => email)
    const named = [...given, ...mail.deliveredTo].find((email) => ours.has(emailKey(email)))
    const used = conversation && given.some((email) => whose(email) === 'tag') && senderOf(org, conversation)
    const email = (used && used.mailbox.id === mailbox.id ? used.email : named) ?? mailbox.address
    return { email, name: mailbox.name }
  }

  /**
   * The addresses of our own by which a mail reached us, and that no mailbox has: of a group, or forgotten in the settings. A
   * colleague who has an account is a person, too.
   */
  function deliveredTo({ to, cc, deliveredTo, lists }: MailIn, { whose, isMailbox }: Ours): string[] {
    const isOther = (email: string) => whose(email) === 'domain'
    const named = [...to, ...cc].map(({ email }) => emailKey(email))
    const byList = named.filter((email) => lists.includes(email) || lists.includes(email.replace('@', '.')))
    // Where none of our addresses is named, a single other one is what it was sent to.
    const unknown = named.filter(isOther)
    const bySending = unknown.length === 1 && !named.some(isMailbox) ? unknown : []
    return [...new Set([...deliveredTo, ...byList, ...bySending])].filter(isOther).slice(0, MAX_DELIVERED)
  }

  return { addressed, deliveredTo }
})
