import { type Deps, once } from '../../deps.ts'
import type { Listed } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { firstIdAt, timeOfId } from '../../lib/id.ts'
import { change, same } from '../../lib/merge.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { unlinking } from '../../records/unlink.ts'
import { listing } from '../../store/list/page.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { links } from '../../store/rows/links.ts'
import { rows } from '../../store/rows/rows.ts'
import { searchIndex } from '../../store/search/search.ts'
import { type Clock, NO_SLA } from '../sla/sla.ts'
import { type Conversation, ConversationPatch, columns, filters, sorts } from './conversation.ts'
import { MAX_WORDS, type MessageEffect, messageEffects, wordsOfAll } from './message-effects.ts'
import { movedTo } from './moved-to.ts'
import { type ConversationWithTargets, conversationTargets } from './sla-targets.ts'
import { eventOf, pastTime, resolvedStatus } from './statuses.ts'
import { conversationWords } from './words.ts'

/** What a new conversation begins with, besides its first message. */
export type Opening = Pick<Conversation, 'subject' | 'channel' | 'contact_id' | 'company_id'> & {
  /** Set for the mail of a sequence, which needs no attention until there is a reply. */
  isClosed?: boolean
}

/** The fields that policies can filter by. */
const MATCHED: readonly (keyof Conversation)[] = [
  'subject',
  'channel',
  'status',
  'priority',
  'owner_id',
  'contact_id',
  'company_id',
  'deal_id',
  'tag_ids',
]

export const conversationStore = once((deps: Deps) => {
  const { db, clock, announce, outbox, references } = deps
  const { list } = listing(db, { table: 'conversations', columns, filters, sorts })
  const find = finder(db, 'conversations', columns)
  const { insert, update } = rows(db, 'conversations', columns)
  const setTags = links(db, 'conversation_tags', 'conversation_id', 'tag_id')
  const search = searchIndex(db, 'conversation')
  const { reindex, wordsNow } = conversationWords(db)
  const { checkUnmerged } = movedTo(db)
  const slaTargets = conversationTargets(deps, update)
  const { hold, withTargets, recordDue, schedule, clocks, history } = slaTargets
  const { withMessage, withoutAnswer } = messageEffects(deps)
  const count = db.prepare('UPDATE orgs SET last_conversation = last_conversation + 1 WHERE id = ?')
  const countTo = db.prepare(
    'UPDATE orgs SET last_conversation = @number WHERE id = @org AND last_conversation < @number',
  )
  const counted = db.prepare('SELECT last_conversation FROM orgs WHERE id = ?').pluck()
  const unread = db
    .prepare(
      `SELECT count(*) FROM messages INDEXED BY messages_conversation
       WHERE org_id = ? AND conversation_id = ? AND id >= ? AND direction = 'inbound'`,
    )
    .pluck()
  const clearCompany = unlinking(db, 'conversations', columns, 'company_id', (who, record) =>
    patch(who, record, { company_id: null }),
  )
  const clearDeal = unlinking(db, 'conversations', columns, 'deal_id', (who, record) =>
    patch(who, record, { deal_id: null }),
  )
  const clearContact = unlinking(db, 'conversations', columns, 'contact_id', (who, record) =>
    patch(who, record, { contact_id: null }),
  )

  const byId = (who: Caller, id: string): Conversation => columns.present(find(who, id))

  function patch(who: Caller, before: Conversation, given: ConversationPatch): Conversation {
    const now = clock.now()
    const times = given.read_at ? { read_at: rfc3339(pastTime('/read_at', given.read_at, now)) } : {}
    const wanted = resolvedStatus({ ...before, ...given, ...times }, before, given, now)
    const { after, changed } = change(before, wanted)
    if (changed.length === 0) return before
    checkUnmerged(who.org, before.id)
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    if (changed.includes('read_at')) after.unread_count = unreadSince(who.org, after, now)
    const held = recordDue(who.org, hold(who.org, before), now)
    const carried = { ...after, sla: held.record.sla, version: held.record.version }
    return save(who, held, carried, now)
  }

  /** Takes a closing back: whoever waited waits on since then, by the clocks that it had ended. */
  function openAgain(
    who: Caller,
    before: Conversation,
    given: ConversationPatch,
    waiting_since: string | null,
  ): Conversation {
    const now = clock.now()
    const wanted = { ...resolvedStatus({ ...before, ...given }, before, given, now), waiting_since }
    references.check(who.org, Object.fromEntries(change(before, wanted).changed.map((name) => [name, wanted[name]])))
    return rewrite(who, before, wanted, before.closed_at)
  }

  /** Writes what a member has changed in another way than by a patch; the clocks that ended since then go on. */
  function rewrite(who: Caller, before: Conversation, given: Conversation, since: string | null = null): Conversation {
    const now = clock.now()
    const held = recordDue(who.org, hold(who.org, before), now)
    const wanted = { ...given, sla: held.record.sla, version: held.record.version }
    const from = since === null ? Number.POSITIVE_INFINITY : (parseTime(since) as number)
    const running = held.clocks.map((each) =>
      each.target !== 'resolution' && each.ended_at !== null && each.ended_at >= from
        ? { ...each, ended_at: null }
        : each,
    )
    return save(who, held, wanted, now, running)
  }

  /** Anyone who has read up to now has read everything: the ids of messages may be in the future. */
  function unreadSince(org: number, { id, read_at }: Conversation, now: number): number {
    const from = read_at === null ? 0 : (parseTime(read_at) as number) + 1
    if (from > now) return 0
    return unread.get(org, id, firstIdAt(from)) as number
  }

  /** Opens a conversation for its first message, which the caller stores next; `applyMessage` then sets the rest. */
  function open(who: Caller, opening: Opening, effect: MessageEffect): Conversation {
    const id = clock.id()
    const now = rfc3339(timeOfId(id))
    count.run(who.org)
    const blank: Conversation = {
      id,
      number: counted.get(who.org) as number,
      subject: opening.subject,
      channel: opening.channel,
      status: opening.isClosed ? 'closed' : 'open',
      priority: 'normal',
      owner_id: null,
      contact_id: opening.contact_id,
      company_id: opening.company_id,
      deal_id: null,
      tag_ids: [],
      snoozed_until: null,
      unread_count: 0,
      read_at: null,
      waiting_since: null,
      first_response_at: null,
      last_message_at: rfc3339(effect.at),
      preview: '',
      sla: NO_SLA,
      closed_at: opening.isClosed ? now : null,
      created_at: now,
      updated_at: now,
      version: 1,
    }
    const record = withMessage(who.org, blank, effect)
    insert(who.org, record)
    history.note(who.org, record, effect.at)
    search.put(who.org, id, wordsOfAll(record.subject, effect.words))
    const isAwaited = effect.direction === 'inbound' && effect.isAwaited
    const first = clocks.follow(clocks.first(effect.at, isAwaited), record, effect.at)
    const made = withTargets(who.org, { record, clocks: first }, undefined)
    update(who.org, record, made.record)
    clocks.write(who.org, id, [], made.clocks)
    schedule(who.org, undefined, made)
    announce(who, 'conversation.created', made.record)
    return made.record
  }

  /**
   * Inserts a conversation unchanged and without an event. Its SLA targets are checked when a server runs: their clocks
   * are restored after it.
   */
  function restore(org: number, record: Conversation): void {
    countTo.run({ org, number: record.number })
    insert(org, record)
    setTags(org, record.id, [], record.tag_ids)
    search.put(org, record.id, wordsOfAll(record.subject, []))
    slaTargets.look(org, record)
  }

  /** Applies a stored message to its conversation. */
  function applyMessage(who: Caller, before: Conversation, effect: MessageEffect): Conversation {
    const now = clock.now()
    const { isAnswer } = effect
    const held = recordDue(who.org, hold(who.org, before), isAnswer ? effect.at : now)
    const after = withMessage(who.org, held.record, effect)
    search.add(who.org, before.id, effect.words, MAX_WORDS)
    return save(who, held, after, isAnswer ? effect.at : now)
  }

  /** Handles an answer that could not be sent, and what was closed with it from then on: the SLA targets continue as before. */
  function unanswered(org: number, id: string, closedBefore?: number): void {
    const who = { org, member: null }
    const now = clock.now()
    const before = byId(who, id)
    const after = withoutAnswer(org, before, closedBefore)
    if (same(before, after)) return
    const held = hold(org, before)
    const isFirst = before.first_response_at !== null && after.first_response_at === null
    const again = held.clocks.map((each) =>
      isFirst && each.target === 'first_response' && after.waiting_since !== null ? { ...each, ended_at: null } : each,
    )
    save(who, { record: before, clocks: held.clocks }, after, now, again)
  }

  /** The customer waits since then, although a message of ours is newer: its writer had not seen theirs. */
  function waitOn(org: number, id: string, waiting_since: string): void {
    const held = hold(org, byId({ org, member: null }, id))
    save({ org, member: null }, held, { ...held.record, waiting_since }, clock.now())
  }

  /** Writes a change, which may date back, with its effect on the SLA targets, and its event. */
  function save(
    who: Caller,
    before: ConversationWithTargets,
    given: Conversation,
    at: number,
    running: readonly Clock[] = before.clocks,
  ): Conversation {
    const record = { ...given, updated_at: rfc3339(clock.now()), version: before.record.version + 1 }
    const isMoved = record.status !== before.record.status
    // The same moment as the conversation says, however long the work in between has taken.
    if (isMoved) history.note(who.org, record, record.closed_at ? (parseTime(record.closed_at) as number) : clock.now())
    const isMatched = MATCHED.some((name) => !same(before.record[name], record[name]))
    const started = { record, clocks: clocks.follow(running, record, at) }
    if (isMatched) write(who.org, before.record, record) // policies match against the stored row
    const hasTargets = isMatched || started.clocks.some((each) => !before.clocks.includes(each))
    const after = hasTargets ? withTargets(who.org, started, isMatched ? undefined : record.sla.policy_id) : started
    if (!isMatched) write(who.org, before.record, after.record)
    else if (!same(record.sla, after.record.sla)) update(who.org, record, after.record)
    clocks.write(who.org, record.id, before.clocks, after.clocks)
    schedule(who.org, before, after)
    announce(who, eventOf(before.record, record), after.record, before.record)
    return after.record
  }

  function write(org: number, before: Conversation, after: Conversation): void {
    update(org, before, after)
    setTags(org, after.id, before.tag_ids, after.tag_ids)
    if (after.subject !== before.subject) reindex(org, after)
  }

  /** Reopens a conversation when its snooze ends. */
  function wake(org: number, id: string): void {
    const who = { org, member: null }
    const before = byId(who, id)
    const now = clock.now()
    if (before.snoozed_until === null || (parseTime(before.snoozed_until) as number) > now) return
    const held = recordDue(org, hold(org, before), now)
    save(who, held, { ...held.record, status: 'open', snoozed_until: null }, now)
  }

  /** Handles an SLA target that is at risk or breached. */
  function slaDue(org: number, id: string): void {
    const who = { org, member: null }
    const before = hold(org, byId(who, id))
    const after = recordDue(org, before, clock.now())
    schedule(org, undefined, after)
  }

  /** Recalculates the SLA targets after a change of hours or policies. */
  function recount(org: number, id: string): void {
    const who = { org, member: null }
    const now = clock.now()
    const before = recordDue(org, hold(org, byId(who, id)), now)
    const after = withTargets(org, before, undefined)
    clocks.write(org, id, before.clocks, after.clocks)
    schedule(org, before, after)
    if (same(before.record.sla, after.record.sla)) return
    const record = { ...after.record, updated_at: rfc3339(now), version: before.record.version + 1 }
    update(org, before.record, record)
    outbox.record(who, 'conversation.updated', record, before.record)
  }

  const reading: Pick<Listed, 'list'> & { find: (who: Caller, id: string) => RawRow } = { list, find }
  return {
    ...reading,
    columns,
    filters,
    Patch: ConversationPatch,
    byId,
    patch,
    openAgain,
    rewrite,
    unreadSince: (org: number, record: Conversation) => unreadSince(org, record, clock.now()),
    open,
    reindex,
    wordsNow,
    restore,
    applyMessage,
    unanswered,
    waitOn,
    wake,
    slaDue,
    recount,
    clearContact,
    clearCompany,
    clearDeal,
  }
})
