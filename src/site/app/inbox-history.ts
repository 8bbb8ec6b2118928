import type { Deps } from '../../deps.ts'
import type { DataRoute } from '../../http/route.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { moveStore } from '../../inbox/conversations/moves.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Caller } from '../../lib/caller.ts'
import { MAX_AHEAD_MS } from '../../lib/id.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Done } from '../../mail/rules/rule.ts'
import { asking } from '../../mail/satisfaction/asking.ts'
import { type RatingLine, ratingStore } from '../../mail/satisfaction/ratings.ts'
import { recordEvents } from './timeline/events.ts'

/** What of a conversation is told between its messages. */
const FIELDS = ['status', 'owner_id', 'priority'] as const
type Field = (typeof FIELDS)[number]
/** What went where between it and another one: `after` is that one, and `before` its number. */
type Moves = 'merged_in' | 'merged' | 'split_off' | 'split_from'

/** One change, by a member, or by nobody: such as the end of a snooze. */
export type HistoryLine = {
  id: string
  at: string
  actor_id: string | null
  field: Field | 'rule' | 'rating' | Moves | 'mailbox'
  before: string | null
  /** Of a rule or a mailbox, its name; of a rating, the answer, null until there is one. */
  after: string | null
  /** Of one that was snoozed. */
  until: string | null
  /** What the rule has done. */
  done?: Done
  /** Of a rating: who was asked alone, and what they added. */
  by?: string | null
  /** The mail that asked, and what stands below its text, without the addresses of the answers. */
  asked?: { message_id: string; text: string }
  comment?: string | null
}

const MAX_EVENTS = 500
/** Behind every id of a moment. */
const LAST = 'ffffffff-ffff-7fff-bfff-ffffffffffff'

type Fields = Partial<Record<Field, string | null>> & { snoozed_until?: string | null; version?: number }
type Run = {
  message_id: string
  rule_id: string
  name: string
  at: number
  done: string
  conversation_version: number | null
}

/** What became of a conversation, oldest first, as long as its events are kept: the newest five hundred of them. */
export function inboxHistory(deps: Deps): DataRoute {
  const { byId } = conversationStore(deps)
  const events = recordEvents(deps.db)
  const runs = deps.db.prepare(
    `SELECT message_id, rule_id, name, at, done, conversation_version FROM messages INDEXED BY messages_conversation
       JOIN rule_runs ON rule_runs.org_id = messages.org_id AND rule_runs.message_id = messages.id
     WHERE messages.org_id = ? AND conversation_id = ? ORDER BY at DESC LIMIT ${MAX_EVENTS}`,
  )
  const moves = moveStore(deps)
  const mailboxes = mailboxStore(deps)
  const nameOf = (org: number, id = '') => mailboxes.byId(org, id)?.name ?? null
  const ratings = ratingStore(deps)
  const { questionOf } = asking(deps)

  const askedOf = (org: number, message_id: string) => ({ message_id, text: questionOf(org, message_id) })

  /** Merges, splits and moves that were not taken back; a split that was is told by nothing. */
  const movesOf = (who: Caller, id: string): HistoryLine[] =>
    moves
      .of(who.org, id)
      .filter(({ undone_at }) => undone_at === null)
      .map(({ id: move, kind, from_id, to_id, member_id, at, undo }) => {
        const line = { id: move, at: rfc3339(at), actor_id: member_id, until: null }
        if (kind === 'mailbox') return { ...line, field: kind, before: null, after: nameOf(who.org, undo.to_mailbox) }
        const isFrom = from_id === id
        const other = isFrom ? to_id : from_id
        const field = kind === 'merge' ? (isFrom ? 'merged' : 'merged_in') : isFrom ? 'split_off' : 'split_from'
        const before = String(byId(who, other).number)
        return { ...line, field, before, after: other }
      })
  return {
    kind: 'data',
    method: 'get',
    path: '/inbox/:id/history',
    role: 'viewer',
    name: 'inbox',
    summary:
      'Get who has assigned, closed, opened, merged, split and moved a conversation, and set its priority, what rules did with it, and whether the answer was found good',
    read: (who, [id]) => {
      byId(who, id as string)
      const newest = { at: deps.clock.now() + MAX_AHEAD_MS, id: LAST }
      const { found } = events.after(who.org, id as string, newest, MAX_EVENTS)
      const byRules = (runs.all(who.org, id) as Run[]).reverse()
      // A rule says it in one line.
      const said = new Set(byRules.map(({ conversation_version }) => conversation_version))
      const lines = found
        .toReversed()
        .filter(({ type }) => type !== 'conversation.created')
        .flatMap((event): HistoryLine[] => {
          const changed = JSON.parse(event.fields) as string[]
          const [before, after] = [JSON.parse(event.previous) as Fields, JSON.parse(event.object) as Fields]
          if (event.actor_id === null && said.has(after.version ?? null)) return []
          return FIELDS.filter((field) => changed.includes(field)).map((field) => ({
            id: `${event.id} ${field}`,
            at: rfc3339(event.at),
            actor_id: event.actor_id,
            field,
            before: before[field] ?? null,
            after: after[field] ?? null,
            until: field === 'status' ? (after.snoozed_until ?? null) : null,
          }))
        })
      const leading = moves.leading(who.org, id as string)
      const rated = ratings
        .of(who.org, id as string)
        .map((each) => ({ ...ratingOf(each), asked: askedOf(who.org, each.message_id) }))
      const data = [...lines, ...byRules.map(lineOf), ...movesOf(who, id as string), ...rated].sort(
        (one, other) => Date.parse(one.at) - Date.parse(other.at),
      )
      return { json: JSON.stringify({ data, merged_into: leading === id ? null : leading }) }
    },
  }
}

const lineOf = ({ message_id, rule_id, name, at, done }: Run): HistoryLine => ({
  ...{
    id: `${message_id} ${rule_id}`,
    at: rfc3339(at),
    actor_id: null,
    field: 'rule',
    before: null,
    after: name,
    until: null,
  },
  done: JSON.parse(done) as Done,
})

const ratingOf = ({ message_id, asked_at, answer, answered_at, comment, by }: RatingLine): HistoryLine => ({
  ...{ id: `${message_id} rating`, at: rfc3339(answered_at ?? asked_at), actor_id: null, field: 'rating' },
  ...{ before: null, after: answer, until: null, by, comment },
})
