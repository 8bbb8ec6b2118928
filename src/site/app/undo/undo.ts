import * as v from 'valibot'
import { binStore, type Restored } from '../../../cleanup/bin/bin.ts'
import { type Back, dealStore } from '../../../crm/deals/deals.ts'
import { type Task, taskStore } from '../../../crm/tasks.ts'
import { type Deps, once } from '../../../deps.ts'
import type { Need, Route } from '../../../http/route.ts'
import type { Conversation } from '../../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../../inbox/conversations/conversations.ts'
import { moveStore } from '../../../inbox/conversations/moves.ts'
import { spamStore } from '../../../inbox/conversations/spam.ts'
import type { Caller } from '../../../lib/caller.ts'
import * as f from '../../../lib/fields.ts'
import { same } from '../../../lib/merge.ts'
import { conflict, field, invalid, Problem } from '../../../lib/problem.ts'
import { PATHS } from '../../../lib/pure/nouns.ts'
import { validate } from '../../../lib/validate.ts'
import type { Deal } from '../../../records/deal.ts'
import type { Stored } from '../../../store/rows/record-store.ts'
import { isRecordObject, type RecordObject, recordWrites } from '../records.ts'
import { stepOf, undoKey } from '../steps/keys.ts'
import { type ToldEvent, toldEvents } from './events.ts'
import { inverse } from './inverse.ts'

// Takes a change back, through the same functions as any other change: docs/decisions/024-undo.md.

/** `event` is that of the undo, by which it can be undone as well. */
export type Undone = {
  event: { id: string; seq: number } | null
  record: { kind: string; id: string; version: number | null }
  left: Restored['left']
  /** Of a restored record: how many of which objects refer to it again. */
  brought: Restored['brought']
}

export const undoStore = once((deps: Deps) => {
  const events = toldEvents(deps.db)
  const bin = binStore(deps)
  const deals = dealStore(deps)
  const tasks = taskStore(deps)
  const conversations = conversationStore(deps)
  const moves = moveStore(deps)
  const spam = spamStore(deps)
  const writes = recordWrites(deps)

  /**
   * Throws 404 for an event that is no longer there, and 409: `changed_since` with the `fields` that somebody has changed
   * since, `cannot_undo` for changes without an inverse; and whatever the inverse change throws.
   */
  function undo(who: Caller, given: { seq?: number; event_id?: string }): Undone {
    return undoEvent(who, events.find(who.org, given))
  }

  function undoEvent(caller: Caller, event: ToldEvent): Undone {
    // What a member takes back belongs to what it takes back; a job that does it for many has its own journal.
    const who = caller.session ? { ...caller, key: undoKey(event.seq) } : caller
    const [object, change] = event.type.split('.') as [string, string]
    if (!isRecordObject(object)) throw cannot()
    const before = events.lastSeq(who.org)
    if (change === 'deleted') return restore(who, event.id)
    const moved =
      object === 'conversation' &&
      (moves.takeBack(who, event.object_id, event.object.version) ?? spam.takeBack(who, event.object_id, event))
    if (moved) return answer(who, object, moved.id, moved.version, before)
    const version = change === 'created' ? remove(who, object, event) : takeBack(who, object, event)
    return answer(who, object, event.object_id, version, before)
  }

  const answer = (who: Caller, object: RecordObject, id: string, version: number | null, before: number): Undone => ({
    event: events.newestOf(who.org, before, id) ?? null,
    record: { kind: PATHS[object], id, version },
    left: [],
    brought: {},
  })

  /** Restores a deleted record by the event of its deletion, which itself may be gone. Throws 409 like `undo`. */
  function restore(caller: Caller, eventId: string): Undone {
    const who = { ...caller, ...keyOf(caller, eventId) }
    const before = events.lastSeq(who.org)
    try {
      const { object, record, left, brought } = bin.restore(who, eventId)
      return { ...answer(who, object, record.id, record.version, before), left, brought }
    } catch (error) {
      if (error instanceof Problem && error.status === 404)
        throw conflict('not_in_bin', 'This record is not in the bin: it was restored already, or cannot be.')
      throw error
    }
  }

  function keyOf({ org, session, key }: Caller, eventId: string): { key?: string } {
    const seq = session && events.seqOf(org, eventId)
    return seq === undefined ? {} : { key: undoKey(seq, key && stepOf(key)) }
  }

  function remove(who: Caller, object: RecordObject, event: ToldEvent): null {
    const { find, remove } = writes[object]
    if (!remove) throw cannot()
    const record = find(who, event.object_id)
    // What was changed and taken back is as it was made.
    if (record.version !== event.object.version && !isContent(record, event.object))
      throw changedSince(who, ['version'], event)
    remove(who, record)
    return null
  }

  function takeBack(who: Caller, object: RecordObject, event: ToldEvent): number {
    const { find, fields, patch } = writes[object]
    const record = find(who, event.object_id)
    if (object === 'deal' && event.changed_fields.includes('status')) return outcomeBack(who, record, event).version
    const back = inverse(record, event, fields)
    if (back.changed.length > 0) throw changedSince(who, back.changed, event)
    if (Object.keys(back.patch).length === 0) throw cannot()
    const { completed_at } = event.previous as Partial<Task>
    // What follows from these fields comes back with them, instead of beginning anew.
    if ('stage' in back.patch)
      return deals.takeBack(who, record as Deal, validate(deals.Patch, back.patch), clocksOf(event)).version
    if (object === 'task' && 'status' in back.patch)
      return tasks.takeBack(who, record as Task, validate(tasks.Patch, back.patch), completed_at).version
    if (object === 'conversation' && event.object.status === 'closed' && 'status' in back.patch)
      return conversations.openAgain(
        who,
        record as Conversation,
        validate(conversations.Patch, back.patch),
        (event.previous as Partial<Conversation>).waiting_since ?? null,
      ).version
    return patch(who, record, back.patch).version
  }

  /** A deal that was closed is reopened, and one that was reopened is closed again. */
  function outcomeBack(who: Caller, record: Stored, event: ToldEvent): Stored {
    const { object, previous } = event
    if (record.stage !== object.stage || record.status !== object.status) throw changedSince(who, ['stage'], event)
    const reason_id = previous.close_reason_id as string | null
    const back = clocksOf(event)
    return reason_id === null
      ? deals.reopen(who, record as Deal, previous.stage as string, back)
      : deals.close(who, record as Deal, { reason_id }, back)
  }

  /** `by` is who has changed one of the fields last; null if it was no member. */
  const changedSince = ({ org }: Caller, fields: string[], { seq, object_id }: ToldEvent): Problem =>
    conflict('changed_since', `This was changed again since: ${fields.join(', ')}.`, {
      fields,
      by: events.changerOf(org, seq, object_id, fields),
    })

  return { undo, undoEvent, restore }
})

/** Whether a record has all that an event tells of it, but for what every write changes and what depends on the time. */
const isContent = (record: Stored, told: Record<string, unknown>): boolean =>
  Object.keys(told).every(
    (name) => ['version', 'updated_at', 'is_overdue'].includes(name) || same(record[name], told[name]),
  )

const cannot = (): Problem => conflict('cannot_undo', 'This change cannot be taken back.')

/** What an undo of a change of the stage gives back beside the stage. */
function clocksOf({ object, previous }: ToldEvent): Back {
  const times: Back['times'] = {}
  for (const name of ['stage_changed_at', 'closed_at'] as const)
    if (name in previous) times[name] = previous[name] as never
  return { undone: object as Deal, times }
}

const Undo = f.object({ event_id: f.optional(f.id), seq: f.optional(f.count()) })

export const undoRoutes = (deps: Deps): Route<Need>[] => {
  const { undo } = undoStore(deps)
  return [
    {
      kind: 'write',
      method: 'post',
      path: '/undo',
      role: 'member',
      name: 'change',
      summary: 'Take a change back',
      body: Undo,
      returns: v.looseObject({}),
      status: 200,
      run: ({ who, body }) => {
        const given = body as v.InferOutput<typeof Undo>
        if ((given.event_id === undefined) === (given.seq === undefined))
          throw invalid(field('', 'required', 'must have either event_id or seq'))
        return undo(who, given)
      },
    },
  ]
}
