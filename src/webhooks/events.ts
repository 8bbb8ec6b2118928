import * as v from 'valibot'
import type { Deps } from '../deps.ts'
import { EVENT_COLUMNS, eventJson, type StoredEvent } from '../events/body.ts'
import { lostEvents, nextStart } from '../events/epochs.ts'
import { EVENT_PATTERNS } from '../events/names.ts'
import type { Route, StreamSlice } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { conflict } from '../lib/problem.ts'
import { readableEvents } from './access.ts'

// 1. The wire form.

const json = v.record(v.string(), v.unknown())

export const Event = f.doc(
  f.object({
    id: f.doc(f.id, 'Id of the event, the same in the event stream and in every delivery.'),
    seq: f.doc(f.count(), 'Sequence number: increases by one with each event of the organisation, without gaps.'),
    type: f.doc(v.string(), 'What happened, for example "deal.stage_changed".'),
    timestamp: f.recordFields.created_at,
    actor: f.doc(
      f.named('EventActor', f.object({ type: f.oneOf(['member', 'system']), id: v.nullable(f.id) })),
      'The member who made the change; null for the system.',
    ),
    data: f.named(
      'EventData',
      f.object({
        object: f.doc(json, 'The record after the change, as returned by a GET; for a deletion, before it.'),
        changed_fields: f.doc(v.array(v.string()), 'Names of the fields that an update changed.'),
        previous: f.doc(json, 'Previous values of those fields.'),
      }),
    ),
  }),
  'An event describes one change. It is written in the transaction of the change, so events of a rolled-back change do not exist, and no event is lost.',
)

// 3. The statements and the rules.

/** Events scanned per answer, so that no client waits long for a stretch without any of its types. */
const MAX_LOOKED_AT = 5000
/** An answer of this many characters gets no further event: notes may have 256 KiB each. */
const MAX_ANSWER = 1_048_576
/** Up to this many events are read once for all clients that ask in the same turn of the event loop. */
const MAX_SHARED = 20

type EventsAfter = { from: number; events: Iterable<StoredEvent> }

export function eventStore({ db }: Pick<Deps, 'db'>) {
  const lastSeq = db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck()
  const firstSeq = db.prepare('SELECT seq FROM events WHERE org_id = ? ORDER BY seq LIMIT 1').pluck()
  const behind = db.prepare(`SELECT ${EVENT_COLUMNS} FROM events WHERE org_id = ? AND seq > ? ORDER BY seq`)
  const isLost = lostEvents(db)
  let shared: (EventsAfter & { org: number; after: number; newest: number }) | undefined

  const newestOf = ({ org }: Caller): number => lastSeq.get(org) as number

  /**
   * Returns the events after `after` that the caller may read; with undefined or 0, starts after all that were purged.
   * Throws 409 for any other gap. `after` is not above the newest: http/poll.ts.
   */
  function read(who: Caller, after: number | undefined, types: readonly string[], limit: number): StreamSlice {
    const { org } = who
    const newest = newestOf(who)
    if (after === newest) return { items: [], last: newest, more: false }
    const { from, events } = eventsAfter(org, after ?? 0, newest)
    const isWanted = readableEvents(who, types)
    const items: string[] = []
    let last = from
    let length = 0
    let isAll = true
    for (const event of events) {
      last = event.seq
      if (isWanted(event.type)) {
        const item = eventJson(event)
        items.push(item)
        length += item.length
      }
      isAll = items.length < limit && length < MAX_ANSWER && last - from < MAX_LOOKED_AT
      if (!isAll) break
    }
    if (isAll) last = Math.max(last, newest) // the numbers that a promotion has left out have no events
    return { items, last, more: last < newest }
  }

  /** Shares the result: a thousand clients that wait for the next event ask for the same one in turn. */
  function eventsAfter(org: number, after: number, newest: number): EventsAfter {
    if (shared?.org === org && shared.after === after && shared.newest === newest) return shared
    const from = startOf(org, after, newest)
    if (newest - from > MAX_SHARED) return { from, events: behind.iterate(org, from) as Iterable<StoredEvent> }
    if (!shared) setImmediate(() => (shared = undefined))
    shared = { org, after, newest, from, events: behind.all(org, from) as StoredEvent[] }
    return shared
  }

  function startOf(org: number, after: number, newest: number): number {
    const before = ((firstSeq.get(org) as number | undefined) ?? newest + 1) - 1
    if (after > 0 && after < before) {
      const detail = `The events up to the seq ${before} are no longer stored, so some after ${after} are missing. Read the records again, and continue with after_seq=${before}.`
      throw conflict('events_expired', detail)
    }
    if (isLost(org, after, newest)) {
      const detail = `The event ${after} was lost when a server failed and another took over, which began with ${nextStart(after)}. Read the records again, and continue with after_seq=${nextStart(after)}.`
      throw conflict('events_lost', detail)
    }
    return Math.max(after, before)
  }

  return { newest: newestOf, read }
}

// 4. The routes.

export const events = (deps: Deps): Route[] => [
  {
    kind: 'poll',
    method: 'get',
    path: '/webhooks/events',
    scope: 'rest.crm.webhooks.read',
    name: 'event',
    operation: 'listEvents',
    summary: 'Poll the event stream',
    description:
      'Returns all events of the organisation in order: the same events that webhooks receive, for clients that prefer polling. Events of records that the token may not read (such as those of deals without `rest.crm.deals.read`) are omitted, even if `types` names them; `last_seq` advances past them. Use the `last_seq` of a response as `after_seq` of the next request, and `wait` to wait for new events. 409 `events_expired` means that events after `after_seq` are no longer stored, `seq_ahead` that there is no such event yet, and `events_lost` that the event `after_seq` was lost in a failover.',
    item: Event,
    patterns: EVENT_PATTERNS,
    ...eventStore(deps),
  },
]
