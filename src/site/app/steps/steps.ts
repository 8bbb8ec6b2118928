import type { Merge } from '../../../cleanup/merges/journal.ts'
import { mergeStore } from '../../../cleanup/merges/merges.ts'
import { type Deps, once } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { same } from '../../../lib/merge.ts'
import { notFound, Problem } from '../../../lib/problem.ts'
import { PATHS } from '../../../lib/pure/nouns.ts'
import { rfc3339 } from '../../../lib/time.ts'
import { type BulkRow, bulkJournal, RUNNING } from '../bulk/journal.ts'
import { isRecordObject, type RecordObject, recordWrites } from '../records.ts'
import { type Done, type FoundStep, stepRows, type Told } from './rows.ts'

// What a member has changed, step by step: docs/decisions/050-one-undo.md.

export type Named = { kind: string; id: string; title: string | null }

/** A step, for words. `seq` is where it stands on the stack. */
export type Step = {
  id: string
  seq: number
  at: string
  /** The first of its records. */
  records: Named[]
  count: number
  /** Types of its events, such as `deal.updated`, or `deal.restored`, and the fields that they changed. */
  types: string[]
  fields: string[]
  /** The record into which the first one was merged. */
  merged_into: Named | null
  /** Of a change of many records: what was asked for; of `members`, a hand-over of one. */
  bulk: { kind: string; change: object; is_running: boolean } | null
  is_undone: boolean
}

/** An event of a step, and what it is about. */
export type Part = Done & { told: Told; object: RecordObject }

export const BULK = 'bulk-'
const MAX_NAMED = 3
/** A merge and the event that its record is gone are of one transaction. */
const SAME_CHANGE_MS = 5000

export const stepStore = once((deps: Deps) => {
  const rows = stepRows(deps)
  const journal = bulkJournal(deps)
  const merges = mergeStore(deps)
  const writes = recordWrites(deps)

  /** The steps of the caller below a place of the stack, newest first. */
  function list(who: Caller, below: number, limit: number): Step[] {
    const found = rows.of(who.org, who.member as string).filter(({ seq }) => seq < below)
    const shown = found.slice(0, limit).flatMap((step) => show(who, step) ?? [])
    return [...shown, ...journal.newest(who, below, limit).map(showBulk)]
      .sort((one, other) => other.seq - one.seq)
      .slice(0, limit)
  }

  /** Throws 404. */
  function find(who: Caller, id: string): FoundStep {
    const found = rows.of(who.org, who.member as string).find((step) => step.id === id)
    if (!found) throw notFound()
    return found
  }

  /**
   * What there is to take back, newest first: of each request its own record. A deletion gives back by itself what it took
   * from others, and what a change set off comes after it.
   */
  function partsOf({ org }: Caller, { events }: FoundStep): Part[] {
    const all = events.flatMap((event): Part[] => {
      const told = rows.told(org, event.seq)
      const object = told?.type.split('.')[0] ?? ''
      if (!told || !isRecordObject(object)) return []
      const part = { ...event, told, object }
      const merge = mergeOf(org, part)
      return [merge?.undone_at ? { ...part, isUndone: true } : part]
    })
    return [...Map.groupBy(all, ({ key }) => key).values()].flatMap((of) => {
      const gone = of.filter(({ told }) => told.type.endsWith('.deleted'))
      return gone.length > 0 ? gone : of.slice(-1)
    })
  }

  function show(who: Caller, found: FoundStep, parts = partsOf(who, found)): Step | undefined {
    const [newest] = parts
    if (!newest) return undefined
    const records = new Map(parts.toReversed().map((part) => [part.told.object_id, part]))
    return {
      id: found.id,
      seq: found.seq,
      at: rfc3339(newest.told.at),
      records: [...records.values()].slice(0, MAX_NAMED).map(nameOf),
      count: records.size,
      types: [...new Set(parts.map(({ told }) => typeOf(told)))],
      fields: [...new Set(parts.flatMap(({ told }) => fieldsOf(told)))],
      merged_into: mergedInto(who, newest),
      bulk: null,
      is_undone: parts.every(({ isUndone, isOver }) => isUndone || isOver),
    }
  }

  /** A merged record is deleted as well, but comes back another way. */
  function mergeOf(org: number, { told, object }: Part): Merge | undefined {
    if (!told.type.endsWith('.deleted') || (object !== 'contact' && object !== 'company')) return undefined
    const all = merges.ofMerged(org, object, told.object_id)
    return all.find(({ merged_at }) => Math.abs(Date.parse(merged_at) - told.at) < SAME_CHANGE_MS)
  }

  function mergedInto(who: Caller, part: Part): Named | null {
    const merge = mergeOf(who.org, part)
    if (!merge) return null
    const { object, kept_id: id } = merge
    return { kind: PATHS[object], id, title: titleNow(who, object, id) }
  }

  /** Null for a record that is gone. */
  function titleNow(who: Caller, object: RecordObject, id: string): string | null {
    try {
      return writes[object].find(who, id).name as string
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return null
      throw error
    }
  }

  return {
    list,
    find,
    partsOf,
    show,
    mergeOf,
    undoMerge: merges.undo,
    /** Throws 404. */
    bulkStep: (who: Caller, id: string): Step => showBulk(journal.find(who, id)),
  }
})

/** Each custom field is a field of its own. */
function fieldsOf({ fields, values, previous }: Told): string[] {
  const [after, before] = [values, previous].map((text) => JSON.parse(text ?? '{}') as Record<string, unknown>)
  const keys = Object.keys({ ...after, ...before }).filter((key) => !same(after?.[key], before?.[key]))
  const names = JSON.parse(fields) as string[]
  return names.flatMap((name) => (name === 'custom_fields' ? keys.map((key) => `${name}.${key}`) : [name]))
}

/** A record that is made anew with a past has come back from the bin. */
const typeOf = ({ type, is_old }: Told): string => (is_old ? type.replace(/\.created$/, '.restored') : type)

export const nameOf = ({ told, object }: Part): Named => ({
  kind: PATHS[object],
  id: told.object_id,
  title: told.title,
})

const showBulk = (row: BulkRow): Step => ({
  id: BULK + row.id,
  seq: row.last_seq ?? RUNNING,
  at: rfc3339(row.finished_at ?? row.created_at),
  records: [],
  count: (row.finished_at === null ? row.total : row.done) - row.failed,
  types: [],
  fields: [],
  merged_into: null,
  bulk: {
    kind: row.object,
    change: { ...JSON.parse(row.change), ...(row.from_id !== null && { from_id: row.from_id }) },
    is_running: row.finished_at === null,
  },
  is_undone: row.undo_started_at !== null,
})
