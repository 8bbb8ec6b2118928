import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { emailKey } from '../../lib/email.ts'
import { conflict, notFound } from '../../lib/problem.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { whoseAddresses } from '../mailboxes/whose.ts'
import type { Conversation } from './conversation.ts'
import { conversationStore } from './conversations.ts'
import { messageEffects } from './message-effects.ts'
import { movedTo } from './moved-to.ts'
import { listedSenders, spamTimes } from './spam-senders.ts'

/** What an event tells of a change. */
type Told = { object: Record<string, unknown>; changed_fields: readonly string[] }

/** Further ones come back with the next request: others wait for each. */
const MAX_RELEASED = 200

// Spam is closed, and in a view of its own: docs/decisions/078-triage.md.

export const spamStore = once((deps: Deps) => {
  const { db, clock } = deps
  const { byId, rewrite } = conversationStore(deps)
  const { waitingSince } = messageEffects(deps)
  const { oursOf } = whoseAddresses(deps)
  const { checkUnmerged } = movedTo(db)
  const senders = listedSenders(deps)
  const writer = db
    .prepare(
      `SELECT author ->> 'email' FROM messages INDEXED BY messages_conversation
       WHERE org_id = ? AND conversation_id = ? AND direction = 'inbound' AND author ->> 'email' IS NOT NULL
       ORDER BY id DESC LIMIT 1`,
    )
    .pluck()
  const openDeal = db
    .prepare(
      `SELECT 1 FROM contact_emails JOIN deals ON deals.org_id = contact_emails.org_id AND deals.status = 'open'
         AND (deals.primary_contact_id = contact_emails.contact_id OR deals.id IN
           (SELECT deal_id FROM conversations WHERE conversations.org_id = @org AND conversations.id = @conversation))
       WHERE contact_emails.org_id = @org AND contact_emails.email_key = @key LIMIT 1`,
    )
    .pluck()
  const setSpam = spamTimes(db)
  const spamAt = db.prepare('SELECT spam_at FROM conversations WHERE org_id = ? AND id = ?').pluck()
  const former = db.prepare(
    `SELECT (SELECT status FROM conversation_statuses WHERE org_id = @org AND conversation_id = @id AND at < @at
         ORDER BY conversation_version DESC LIMIT 1) AS status,
       (SELECT max(at) FROM conversation_statuses WHERE org_id = @org AND conversation_id = @id AND at < @at
         AND status = 'closed') AS closed_at`,
  )
  const ofSender = db
    .prepare(
      `SELECT id FROM conversations INDEXED BY conversations_spam WHERE org_id = @org AND spam_at IS NOT NULL AND EXISTS
         (SELECT 1 FROM messages INDEXED BY messages_conversation WHERE messages.org_id = @org
            AND conversation_id = conversations.id AND direction = 'inbound' AND email_key(author ->> 'email') = @key)
       ORDER BY spam_at LIMIT ${MAX_RELEASED + 1}`,
    )
    .pluck()

  /**
   * Closes it and lists its sender, whose further mails are held. Throws 409 if nobody is known who wrote, and without `confirm` for
   * a contact with an open deal and for our own domain.
   */
  function mark(who: Caller, record: Conversation, isConfirmed: boolean): Conversation {
    const { org } = who
    checkUnmerged(org, record.id)
    const email = writer.get(org, record.id) as string | undefined
    if (email === undefined) throw conflict('no_sender', 'Nobody is known who wrote in this conversation.')
    const key = emailKey(email)
    if (!isConfirmed && oursOf(org).isAmongUs(key))
      throw conflict('confirm_own_domain', `${email} is of our own domain. Confirm that its mails are spam.`)
    if (!isConfirmed && openDeal.get({ org, key, conversation: record.id }) !== undefined)
      throw conflict('confirm_open_deal', `There is an open deal with ${email}. Confirm that its mails are spam.`)
    const closed = rewrite(who, record, {
      ...record,
      status: 'closed',
      snoozed_until: null,
      waiting_since: null,
      closed_at: record.closed_at ?? rfc3339(clock.now()),
    })
    // The moment of its closing, where this closed it; after it, where it was closed before.
    const at =
      record.closed_at === null
        ? (parseTime(closed.closed_at as string) as number)
        : Math.max(parseTime(closed.updated_at) as number, (parseTime(record.closed_at) as number) + 1)
    setSpam(org, record.id, at)
    senders.add(who, key, at)
    return closed
  }

  /** It is as it was, and what came meanwhile waits since it came. */
  function bringBack(who: Caller, id: string): Conversation {
    const { org } = who
    const record = byId(who, id)
    const at = spamAt.get(org, id)
    setSpam(org, id, null)
    const { status: before, closed_at } = former.get({ org, id, at }) as {
      status: Conversation['status'] | null
      closed_at: number | null
    }
    const waiting_since = waitingSince(org, id, closed_at)
    const isSettled = waiting_since === null && (before === null || before === 'closed')
    const status = isSettled ? 'closed' : before === 'pending' && waiting_since === null ? 'pending' : 'open'
    const times = isSettled ? {} : { closed_at: null, waiting_since }
    return rewrite(who, record, { ...record, status, ...times }, record.closed_at)
  }

  /** Takes a sender off the list, with what was held of them; returns whether there is more of it. Throws 404. */
  function release(who: Caller, email: string): { has_more: boolean } {
    const { org } = who
    const key = emailKey(email)
    if (!senders.isListed(org, key)) throw notFound()
    const ids = ofSender.all({ org, key }) as string[]
    for (const id of ids.slice(0, MAX_RELEASED)) bringBack(who, id)
    const has_more = ids.length > MAX_RELEASED
    if (!has_more) senders.remove(org, key)
    return { has_more }
  }

  /** Takes back the marking that an event tells of; undefined for other events. */
  function takeBack(who: Caller, id: string, { object, changed_fields }: Told): Conversation | undefined {
    const { org } = who
    const at = spamAt.get(org, id) as number | null | undefined
    const told = changed_fields.includes('status') ? object.closed_at : object.updated_at
    if (at == null || parseTime(String(told)) !== at) return undefined
    const key = emailKey(writer.get(org, id) as string)
    if (senders.listedAt(org, key) === at) release(who, key)
    return spamAt.get(org, id) === null ? byId(who, id) : bringBack(who, id)
  }

  return { mark, release, takeBack, list: senders.list }
})
