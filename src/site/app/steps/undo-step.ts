import { type Deps, once } from '../../../deps.ts'
import type { Caller } from '../../../lib/caller.ts'
import { conflict, Problem } from '../../../lib/problem.ts'
import type { Store } from '../../../store/open.ts'
import { bulkStore } from '../bulk/bulk.ts'
import { doEach, MAX_BATCH } from '../bulk/each.ts'
import { toldEvents } from '../undo/events.ts'
import { undoStore } from '../undo/undo.ts'
import { undoKey } from './keys.ts'
import { BULK, type Named, nameOf, type Part, type Step, stepStore } from './steps.ts'

/** What was left as it is, and why: `by` has changed the `fields` since. */
export type LeftOut = { record: Named; code: string; detail: string; fields: string[]; by: string | null }

/** `rest`: so many are still to be taken back, since there are more than fit into one request. */
export type StepUndone = {
  step: Step
  undone: number
  left: LeftOut[]
  rest: number
  /** Of a change of many records, which goes on by itself: `GET /app/bulk/{id}` says how far. */
  bulk_id: string | null
  /** The newest event after it. */
  seq: number
}

type Saved = Pick<Store, 'savepoint' | 'changes'>

/** Takes back a whole step, or does it anew. Each record counts for itself: what a colleague has changed since stays. */
export const stepUndo = once((deps: Deps) => {
  const { find, partsOf, show, mergeOf, undoMerge, bulkStep } = stepStore(deps)
  const { undoEvent } = undoStore(deps)
  const events = toldEvents(deps.db)

  /** Throws 404, and what refuses it if nothing of the step can be taken back. Call this in a transaction. */
  function undo(store: Saved, who: Caller, id: string, isAgain: boolean): StepUndone {
    if (id.startsWith(BULK)) return undoBulk(who, id, isAgain)
    const found = find(who, id)
    const all = partsOf(who, found)
    const asked = all.filter(({ isUndone }) => isUndone === isAgain)
    // What came first is there again before what refers to it.
    if (isAgain) asked.reverse()
    if (asked.length === 0)
      throw conflict('undone_already', isAgain ? 'This stands as it is.' : 'This was taken back already.')
    const refusals = new Map<Part, Problem>()
    const done = doEach(store, asked.slice(0, MAX_BATCH), (part) => {
      try {
        undoOne(who, part, isAgain)
      } catch (error) {
        if (error instanceof Problem) refusals.set(part, error)
        throw error
      }
    })
    const left = done.flatMap(({ item, error }) => (error === null ? [] : leftOut(item, refusals.get(item) as Problem)))
    const rest = asked.length - done.length
    const [first] = refusals.values()
    if (first && left.length === done.length && rest === 0) throw refusedWhole(first, left)
    return {
      step: show(who, found, all) as Step,
      undone: done.length - left.length,
      left,
      rest,
      bulk_id: null,
      seq: events.lastSeq(who.org),
    }
  }

  function undoOne(who: Caller, part: Part, isAgain: boolean): void {
    const merge = mergeOf(who.org, part)
    if (merge && isAgain) throw conflict('cannot_undo', 'Two records are merged anew by hand.')
    if (merge) undoMerge({ ...who, key: undoKey(part.tail) }, merge.id)
    else undoEvent(who, events.find(who.org, { seq: part.tail }))
  }

  function undoBulk(who: Caller, id: string, isAgain: boolean): StepUndone {
    if (isAgain) throw conflict('cannot_undo', 'This change of many records is made anew by hand.')
    const bulk = bulkStore(deps)
    const bulk_id = id.slice(BULK.length)
    bulk.undo(who, bulk_id)
    return { step: bulkStep(who, bulk_id), undone: 0, left: [], rest: 0, bulk_id, seq: events.lastSeq(who.org) }
  }

  return { undo }
})

function leftOut(part: Part, { code, message, more }: Problem): LeftOut {
  const { fields = [], by = null } = (more ?? {}) as Partial<LeftOut>
  return { record: nameOf(part), code, detail: message, fields, by }
}

const refusedWhole = ({ status, code, message, errors, more }: Problem, left: LeftOut[]): Problem =>
  new Problem(status, code, message, { ...(errors ? { errors } : {}), more: { ...more, left } })
