import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { missing } from '../../store/rows/references.ts'
import { searchIndex } from '../../store/search/search.ts'
import type { Conversation } from './conversation.ts'
import { conversationStore } from './conversations.ts'
import { mailboxMoves } from './mailbox-moves.ts'
import { mailboxesOf } from './mailboxes-of.ts'
import { messageEffects, type Said, wordsOfMessage } from './message-effects.ts'
import { KEPT, type Kept, type Move, type Moved, moveRows } from './move-rows.ts'
import { movedTo } from './moved-to.ts'
import { listedSenders } from './spam-senders.ts'

// Messages that go from one conversation to another, and conversations to another mailbox: docs/decisions/078-triage.md has the rules.

/** What of a conversation a merge may change, and an undo gives back unless somebody has changed it since. */
const GIVEN = ['owner_id', 'priority', 'company_id', 'deal_id'] as const
const PRIORITIES = ['urgent', 'high', 'normal', 'low']
/** The first of them is most at work. */
const STATUSES = ['open', 'pending', 'snoozed', 'closed']

export const moveStore = once((deps: Deps) => {
  const { db, clock } = deps
  const conversations = conversationStore(deps)
  const { byId, rewrite, reindex, unreadSince } = conversations
  const { withoutAnswer } = messageEffects(deps)
  const { leading, checkUnmerged, mark } = movedTo(db)
  const rows = moveRows(deps)
  const inMailboxes = mailboxesOf(deps)
  const { toMailbox, turnBack } = mailboxMoves(deps)
  const search = searchIndex(db, 'conversation')
  const { isSpam } = listedSenders(deps)

  const existing = db.prepare('SELECT 1 FROM conversations WHERE org_id = ? AND id = ?').pluck()
  const target = (who: Caller, id: string, pointer: string): Conversation => {
    if (existing.get(who.org, id) === undefined) throw invalid(missing(pointer))
    return byId(who, leading(who.org, id))
  }

  /**
   * Moves all of a conversation into another one, whose fields win. What leads to it leads there from now on. Throws 409 if it was
   * merged already, and 422 for one of another channel, or the same.
   */
  function merge(who: Caller, given: Conversation, intoId: string): Conversation {
    const { org } = who
    checkUnmerged(org, given.id)
    const into = target(who, intoId, '/into_id')
    if (into.id === given.id) throw invalid(field('/into_id', 'same_conversation', 'must be another conversation'))
    if (isSpam(org, given.id) || isSpam(org, into.id)) throw spam()
    if (into.channel !== given.channel)
      throw invalid(field('/into_id', 'other_channel', 'must be of the same channel: its answers leave by it'))
    return mergeInto(who, given, into, true)
  }

  function mergeInto(who: Caller, from: Conversation, into: Conversation, brings: boolean): Conversation {
    const { org } = who
    const moved = rows.moveAll(org, from.id, into.id)
    const mailboxes = inMailboxes.join(org, from, into)
    mark(org, from.id, true)
    // Its event comes first: by it the merge is taken back.
    const closed = rewrite(who, from, {
      ...from,
      status: 'closed',
      snoozed_until: null,
      waiting_since: null,
      unread_count: 0,
      preview: '',
      closed_at: from.closed_at ?? rfc3339(clock.now()),
    })
    const wanted = joined(org, from, into, brings)
    const after = rewrite(who, into, wanted)
    search.remove(org, from.id)
    reindex(org, after)
    rows.add(who, {
      kind: 'merge',
      from_id: from.id,
      to_id: into.id,
      undo: { version: closed.version, moved, from: kept(from), into: kept(into), after: kept(after), mailboxes },
    })
    return after
  }

  function joined(org: number, from: Conversation, into: Conversation, brings: boolean): Conversation {
    const { status, snoozed_until, closed_at } = brings && isMoreAtWork(from, into) ? from : into
    const given = {
      owner_id: into.owner_id ?? from.owner_id,
      priority: PRIORITIES.indexOf(from.priority) < PRIORITIES.indexOf(into.priority) ? from.priority : into.priority,
      company_id: into.company_id ?? from.company_id,
      deal_id: into.deal_id ?? from.deal_id,
      tag_ids: [...new Set([...into.tag_ids, ...from.tag_ids])],
    }
    return {
      ...into,
      ...(brings ? given : {}),
      ...{ status, snoozed_until, closed_at },
      ...rows.newest(org, into),
      unread_count: into.unread_count + from.unread_count,
      waiting_since: status === 'closed' ? null : earlier(into.waiting_since, from.waiting_since),
    }
  }

  /** Both are as before, but for what was changed since. Throws 409 if the other one was merged itself meanwhile. */
  function undoMerge(who: Caller, move: Move): Conversation {
    const { org } = who
    const { moved, from: before, into: other, after, mailboxes } = move.undo as Required<Move['undo']>
    const [from, into] = [byId(who, move.from_id), byId(who, move.to_id)]
    if (leading(org, into.id) !== into.id)
      throw conflict('merged_since', 'The other conversation was merged itself since. Take that back first.')
    rows.moveBack(org, moved, into.id, from.id)
    inMailboxes.part(org, into, mailboxes ?? [], move.at)
    mark(org, from.id, false)
    const now = clock.now()
    const isOver = before.snoozed_until !== null && (parseTime(before.snoozed_until) as number) <= now
    const back = rewrite(
      who,
      from,
      {
        ...from,
        ...rows.newest(org, from),
        status: isOver ? 'open' : before.status,
        snoozed_until: isOver ? null : before.snoozed_until,
        closed_at: before.closed_at,
        waiting_since: before.waiting_since,
        unread_count: before.unread_count,
      },
      from.closed_at,
    )
    const given = Object.fromEntries(
      GIVEN.filter((name) => same(into[name], after[name])).map((name) => [name, other[name]]),
    ) as Partial<Conversation>
    const isAsLeft = into.status === after.status && into.status !== other.status && other.status !== 'snoozed'
    const added = after.tag_ids.filter((id) => !other.tag_ids.includes(id))
    const left = {
      ...into,
      ...given,
      ...(isAsLeft ? { status: other.status, snoozed_until: null, closed_at: other.closed_at && rfc3339(now) } : {}),
      ...rows.newest(org, into),
      tag_ids: into.tag_ids.filter((id) => !added.includes(id)),
      unread_count: Math.max(0, into.unread_count - before.unread_count),
    }
    const waiting = withoutAnswer(org, left)
    rewrite(who, into, left.status === 'closed' ? { ...left, waiting_since: null } : waiting)
    reindex(org, from)
    reindex(org, into)
    rows.undone(org, move, back.version)
    return back
  }

  /**
   * Makes a message a conversation of its own, with its writer. Throws 409 for a note, for what has not left yet, and for the only
   * message.
   */
  function split(who: Caller, message: Splittable): Conversation {
    const { org } = who
    const { conversation_id, direction, author, body_text, attachments, sent_at } = message
    const from = byId(who, conversation_id)
    if (isSpam(org, from.id)) throw spam()
    if (direction === 'note') throw conflict('cannot_split', 'A note has nobody who could be answered.')
    if (message.send_at !== null || message.status === 'queued')
      throw conflict('cannot_split', 'This message has not been sent yet.')
    if (rows.count(org, from.id) < 2) throw conflict('cannot_split', 'It is the only message of its conversation.')
    const contact = (author.type === 'contact' && author.id) || from.contact_id
    const words = wordsOfMessage(message)
    const made = conversations.open(
      who,
      {
        subject: rows.subjectOf(org, message.id) ?? from.subject,
        channel: from.channel,
        contact_id: contact,
        company_id: contact === from.contact_id ? from.company_id : rows.companyOf(org, contact),
      },
      {
        direction,
        at: parseTime(sent_at) as number,
        text: body_text || (attachments[0]?.name ?? ''),
        words,
        isAnswer: direction === 'outbound' && author.type === 'member',
        // Who was answered there waits for nothing here.
        isAwaited:
          direction === 'inbound' &&
          !message.is_automatic &&
          from.waiting_since !== null &&
          sent_at >= from.waiting_since,
      },
    )
    const moved: Moved = { messages: [message.id] }
    rows.moveOne(org, message.id, made.id)
    inMailboxes.addOfMessages(org, made)
    const rest = { ...from, ...rows.newest(org, from) }
    rewrite(who, from, { ...withoutAnswer(org, rest), unread_count: unreadSince(org, rest) })
    reindex(org, from)
    rows.add(who, { kind: 'split', from_id: from.id, to_id: made.id, undo: { version: made.version, moved } })
    return made
  }

  /** All of it goes back, later answers too. */
  function undoSplit(who: Caller, move: Move): Conversation {
    const [made, from] = [byId(who, move.to_id), byId(who, move.from_id)]
    checkUnmerged(who.org, made.id)
    checkUnmerged(who.org, from.id)
    rows.undone(who.org, move, made.version)
    return mergeInto(who, made, from, made.status === 'open')
  }

  /** Takes back the merge, split or move that an event tells of, or does it anew; undefined for other events. */
  function takeBack(who: Caller, id: string, version: unknown): Conversation | undefined {
    const found = rows.ofEvent(who.org, id, version as number)
    if (found === undefined) return undefined
    if (found.kind === 'split') return undoSplit(who, found)
    if (found.kind === 'mailbox') return turnBack(who, byId(who, id), found)
    return found.undone_at === null ? undoMerge(who, found) : merge(who, byId(who, found.from_id), found.to_id)
  }

  return { merge, split, toMailbox, takeBack, leading: (org: number, id: string) => leading(org, id), of: rows.of }
})

/** What an undo needs of a conversation: nothing that anybody wrote. */
const kept = (record: Conversation): Kept => Object.fromEntries(KEPT.map((name) => [name, record[name]])) as Kept

/** A message, as its own store knows it. */
export type Splittable = Said & {
  id: string
  conversation_id: string
  direction: 'inbound' | 'outbound' | 'note'
  author: { type: string; id: string | null }
  sent_at: string
  send_at: string | null
  status: string
  is_automatic: boolean
}

const spam = () => conflict('is_spam', 'This conversation is spam. Open it again first.')

const isMoreAtWork = (one: Conversation, other: Conversation): boolean =>
  STATUSES.indexOf(one.status) < STATUSES.indexOf(other.status)

const earlier = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other < one) ? other : one
