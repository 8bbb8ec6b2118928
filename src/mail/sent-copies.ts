import { type Deps, once } from '../deps.ts'
import { threadStore } from '../inbox/conversations/threads.ts'
import { whoseAddresses } from '../inbox/mailboxes/whose.ts'
import { outgoingStore } from '../inbox/messages/outgoing.ts'
import { storedMails } from '../inbox/messages/stored-mails.ts'
import { emailKey } from '../lib/email.ts'
import { firstIdAt } from '../lib/id.ts'
import type { MailIn } from '../lib/mail/mail.ts'
import type { Folder, SentCopy } from '../lib/mail/transport/imap.ts'
import { DAY_MS, SECOND_MS } from '../lib/time.ts'
import { contactsOfEmail } from '../records/record-lookups.ts'
import type { Write } from '../store/commit.ts'

// A provider may replace the Message-ID of a mail without a word. The copy in its folder for sent mail has the new one, and the
// references that we sent, among them what we have signed.

/** How far back we must have written to somebody for the folder to be searched. */
const RECENT_MS = 180 * DAY_MS
const MAX_IDS = 3
const MAX_FRUITLESS = 1000

export const sentCopyStore = once((deps: Deps) => {
  const { db, clock } = deps
  const threads = threadStore(deps)
  const { alias } = outgoingStore(deps)
  const { oursOf } = whoseAddresses(deps)
  const contactsOf = contactsOfEmail(db)
  const { lastTo, nearestSent } = storedMails(db)
  const fruitless = new Set<string>()

  /**
   * The ids under which a mail may name one of ours: nobody here knows any of them, and we wrote to its writer, or to the
   * recipient whom a report names. For all others, which are nearly all mails, no folder is searched.
   */
  function unknownIds(org: number, mail: MailIn): string[] {
    const { from, report, inReplyTo, references } = mail
    const returned = report?.messageId ?? null
    const ids = [...new Set([...(returned === null ? [] : [returned]), ...inReplyTo, ...references.toReversed()])]
    const all = [...ids, ...mail.deliveredTo, ...[...mail.to, ...mail.cc].map(({ email }) => email)]
    if (ids.length === 0 || all.some((id) => threads.isTag(org, id))) return []
    if (ids.some((id) => threads.messageOf(org, id))) return []
    const people = [...(from ? [from] : []), ...(report?.recipients ?? [])]
    if (!people.some(({ email }) => wroteTo(org, email))) return []
    return ids.slice(0, MAX_IDS).filter((id) => !fruitless.has(`${org} ${id}`))
  }

  function wroteTo(org: number, email: string): boolean {
    if (oursOf(org).isMailbox(email)) return false
    const since = clock.now() - RECENT_MS
    return contactsOf(org, emailKey(email)).some((contact) =>
      lastTo({ org, contact, email, since, first: firstIdAt(since) }),
    )
  }

  /** The message that a copy is of: it has the time of the mail, in the conversation that is signed. */
  function messageOf(org: number, { references, date }: SentCopy): string | undefined {
    const conversation = references.map((id) => threads.tagged(org, id)).find((id) => id !== undefined)
    return conversation && nearestSent({ org, conversation, at: date ?? clock.now() })?.id
  }

  /** Looks up the ids in the folder for sent mail, before the mail that names them is imported. */
  async function learn(org: number, mail: MailIn, folder: Pick<Folder, 'sentCopies'>, write: Write): Promise<void> {
    for (const id of unknownIds(org, mail)) {
      const copy = (await folder.sentCopies('message-id', id)).find(({ messageId }) => messageId === id)
      const message = copy && messageOf(org, copy)
      if (message) return write(() => void alias(org, message, [id]))
      if (fruitless.size >= MAX_FRUITLESS) fruitless.clear()
      fruitless.add(`${org} ${id}`)
    }
  }

  /** The copy of a mail whose Message-ID was replaced: of its conversation, and of its second. */
  async function copyOf(
    { date, references }: { date: number; references: readonly string[] },
    folder: Pick<Folder, 'sentCopies'>,
  ): Promise<SentCopy | undefined> {
    const [token] = references
    if (token === undefined) return undefined
    const copies = await folder.sentCopies('references', token)
    return copies.find((copy) => copy.date !== null && Math.abs(copy.date - date) < SECOND_MS)
  }

  return { learn, copyOf }
})
