import type { Deps } from '../../deps.ts'
import type { DataRoute } from '../../http/route.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { MAX_AHEAD_MS } from '../../lib/id.ts'
import { rfc3339 } from '../../lib/time.ts'
import { recordEvents } from './timeline/events.ts'

/** What of a conversation is told between its messages. */
const FIELDS = ['status', 'owner_id', 'priority'] as const
type Field = (typeof FIELDS)[number]

/** One change, by a member, or by nobody: such as the end of a snooze. */
export type HistoryLine = {
  id: string
  at: string
  actor_id: string | null
  field: Field
  before: string | null
  after: string | null
  /** Of one that was snoozed. */
  until: string | null
}

const MAX_EVENTS = 500
/** Behind every id of a moment. */
const LAST = 'ffffffff-ffff-7fff-bfff-ffffffffffff'

type Fields = Partial<Record<Field, string | null>> & { snoozed_until?: string | null }

/** What became of a conversation, oldest first, as long as its events are kept: the newest five hundred of them. */
export function inboxHistory(deps: Deps): DataRoute {
  const { byId } = conversationStore(deps)
  const events = recordEvents(deps.db)
  return {
    kind: 'data',
    method: 'get',
    path: '/inbox/:id/history',
    role: 'viewer',
    name: 'inbox',
    summary: 'Get who has assigned, closed and opened a conversation, and set its priority',
    read: (who, [id]) => {
      byId(who, id as string)
      const newest = { at: deps.clock.now() + MAX_AHEAD_MS, id: LAST }
      const { found } = events.after(who.org, id as string, newest, MAX_EVENTS)
      const lines = found
        .toReversed()
        .filter(({ type }) => type !== 'conversation.created')
        .flatMap((event): HistoryLine[] => {
          const changed = JSON.parse(event.fields) as string[]
          const [before, after] = [JSON.parse(event.previous) as Fields, JSON.parse(event.object) as Fields]
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
      return { json: JSON.stringify({ data: lines }) }
    },
  }
}
