import { type Deps, once } from '../../../deps.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { eventSeqs } from '../event-seqs.ts'
import { stepOf, undoneBy } from './keys.ts'

// Where the steps of a member are: in the events that they made, by the keys of their requests.

/**
 * An event of a step. `tail` is the newest event that did or took back what this one did. `isOver`: of a restore that was
 * taken back, after which the deletion alone says how it is.
 */
export type Done = { seq: number; key: string; tail: number; isUndone: boolean; isOver: boolean }

export type FoundStep = { id: string; seq: number; events: Done[] }

/** What an event is about, for words. */
export type Told = {
  seq: number
  id: string
  type: string
  object_id: string
  at: number
  title: string | null
  /** Its record had versions before: one that was created then has come back. */
  is_old: 0 | 1
  /** JSON text: names. */
  fields: string
  /** Custom fields after and before, as JSON text; null if they were not changed. */
  values: string | null
  previous: string | null
}

/** How long a step can be taken back. */
export const STEPS_MS = 30 * DAY_MS
/** So many of the newest changes of a member can be taken back. */
const MAX_READ = 20_000

export const stepRows = once(({ db, clock }: Deps) => {
  const { seqAt } = eventSeqs(db)
  const keys = db
    .prepare(
      `SELECT seq, request_key FROM events INDEXED BY events_steps
       WHERE org_id = ? AND actor_id = ? AND request_key >= 'step.' AND request_key < 'step/' AND seq > ?
       ORDER BY seq DESC LIMIT ${MAX_READ}`,
    )
    .raw()
  const objectAt = db.prepare('SELECT object_id FROM events WHERE org_id = ? AND seq = ?').pluck()
  const told = db.prepare(
    `SELECT seq, id, type, object_id, at, data ->> '$.changed_fields' AS fields,
       data ->> '$.object.version' > 1 AS is_old,
       data ->> '$.object.custom_fields' AS "values", data ->> '$.previous.custom_fields' AS previous,
       coalesce(data ->> '$.object.title', data ->> '$.object.name', substr(data ->> '$.object.body', 1, 120)) AS title
     FROM events WHERE org_id = ? AND seq = ?`,
  )

  /** The steps of a member, newest first: those that were done anew stand where that was. */
  function of(org: number, member: string): FoundStep[] {
    const since = seqAt(org, clock.now() - STEPS_MS - 1)
    const rows = keys.all(org, member, since) as [seq: number, key: string][]
    const backs = new Map<number, number[]>()
    const steps = new Map<string, { seq: number; key: string }[]>()
    function add(id: string, event: { seq: number; key: string }): void {
      const events = steps.get(id)
      if (events) events.push(event)
      else steps.set(id, [event])
    }
    const own = new Set(rows.map(([seq]) => seq))
    for (const [seq, key] of rows) {
      const target = undoneBy(key)
      const step = stepOf(key)
      if (step !== undefined) add(step, { seq, key })
      if (target === undefined) continue
      const known = backs.get(target)
      if (known) known.push(seq)
      else backs.set(target, [seq])
      // What a colleague did, and this member took back, is a step of its own.
      if (step === undefined && target > since && !own.has(target)) add(`undo-${target}`, { seq, key })
    }
    const objectOf = (seq: number) => objectAt.get(org, seq)
    /** What took an event back: of the same record, since others may have changed with it. */
    const backOf = (seq: number) => backs.get(seq)?.find((back) => objectOf(back) === objectOf(seq))
    const traced = ({ seq, key }: { seq: number; key: string }): Done => {
      let [tail, isUndone] = [seq, false]
      for (let back = backOf(tail); back !== undefined; back = backOf(tail)) [tail, isUndone] = [back, !isUndone]
      return {
        seq,
        key,
        tail,
        isUndone,
        isOver: undoneBy(key) !== undefined && own.has(undoneBy(key) as number) && tail !== seq,
      }
    }
    return [...steps]
      .map(([id, events]): FoundStep => {
        const all = events.map(traced)
        return {
          id,
          events: all,
          seq: all.reduce(
            (most, { seq, tail, isUndone, isOver }) => Math.max(most, isUndone || isOver ? seq : tail),
            0,
          ),
        }
      })
      .sort((one, other) => other.seq - one.seq)
  }

  return { of, told: (org: number, seq: number) => told.get(org, seq) as Told | undefined }
})
