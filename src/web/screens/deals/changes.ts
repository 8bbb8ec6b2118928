import { effect } from '@preact/signals'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem } from '../../data/api.ts'
import type { BoardRow } from '../../data/board.ts'
import { boot } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { act, patch } from '../../data/records.ts'
import type { Fields } from '../../data/types.ts'
import { texts } from './texts/texts.ts'

// Changes of deals that the board and its commands make. Each shows at once and can be taken back; what the server refuses
// goes back by itself and is said.

export type Outcome = 'won' | 'lost'

/** Writes the same fields to several deals. `before` gives what undo writes. */
function change(
  rows: readonly BoardRow[],
  fields: Fields,
  before: (row: BoardRow) => Fields,
  refused: string,
): () => void {
  for (const row of rows) {
    patch('deals', row.id, fields).catch((error: unknown) => report(error, refused))
  }
  return () => {
    for (const row of rows) patch('deals', row.id, before(row)).catch((error: unknown) => report(error, refused))
  }
}

/** More than these are changed by the server in one step, with its progress and one undo. */
const MANY = 20

type Bulk = { patch?: Fields; add_tag_ids?: string[]; remove_tag_ids?: string[]; close?: { reason_id: string } }

async function changeAll(rows: readonly BoardRow[], bulk: Bulk, done: (count: number) => string, then: () => void) {
  const { changeMany } = await import('../tables/bulk.ts')
  await changeMany('deals', { ids: rows.map(({ id }) => id) }, bulk, done)
  then()
}

/** A conflict is shown at its card; an answer that did not come is sent again. Only a refusal is said. */
function report(error: unknown, refused: string): void {
  if (error instanceof ApiProblem && error.status === 412) return
  const why = error instanceof ApiProblem ? (error.errors[0]?.message ?? error.message) : ''
  showToast({ text: `${refused}. ${why}`.trim(), kind: 'error' })
}

const titleOf = (rows: readonly BoardRow[]): string => rows[0]?.title ?? ''

export function moveDeals(rows: readonly BoardRow[], stage: { id: string; name: string }, then: () => void): void {
  if (rows.length > MANY) {
    void changeAll(rows, { patch: { stage: stage.id } }, (count) => texts().movedMany(count, stage.name), then)
    return
  }
  const undo = change(
    rows,
    { stage: stage.id },
    ({ stage_id }) => ({ stage: stage_id }),
    texts().refusedMove(titleOf(rows)),
  )
  const text = rows.length === 1 ? texts().moved(titleOf(rows), stage.name) : texts().movedMany(rows.length, stage.name)
  offerUndo(text, undo, then)
}

export function assignDeals(
  rows: readonly BoardRow[],
  owner: { id: string; name: string } | null,
  then: () => void,
): void {
  if (rows.length > MANY) {
    void changeAll(rows, { patch: { owner_id: owner?.id ?? null } }, texts().changed, then)
    return
  }
  const undo = change(rows, { owner_id: owner?.id ?? null }, ({ owner_id }) => ({ owner_id }), texts().failed)
  const name = owner?.name ?? texts().noOwner
  offerUndo(rows.length === 1 ? texts().assigned(titleOf(rows), name) : texts().changed(rows.length), undo, then)
}

/** Puts the tag on all of them, or takes it off if all have it. */
export function tagDeals(rows: readonly BoardRow[], tag: string): void {
  const isOnAll = rows.every((row) => row.tag_ids.includes(tag))
  if (rows.length > MANY) {
    const bulk = isOnAll ? { remove_tag_ids: [tag] } : { add_tag_ids: [tag] }
    void changeAll(rows, bulk, texts().changed, () => undefined)
    return
  }
  for (const { id, tag_ids } of rows) {
    const others = tag_ids.filter((each) => each !== tag)
    patch('deals', id, { tag_ids: isOnAll ? others : [...others, tag] }).catch((error: unknown) =>
      report(error, texts().failed),
    )
  }
}

export function dateDeals(rows: readonly BoardRow[], date: string | null, then: () => void): void {
  if (rows.length > MANY) {
    void changeAll(rows, { patch: { expected_close_date: date } }, texts().changed, then)
    return
  }
  const before = ({ expected_close_date }: BoardRow) => ({ expected_close_date })
  offerUndo(texts().changed(rows.length), change(rows, { expected_close_date: date }, before, texts().failed), then)
}

export function priceDeals(
  rows: readonly BoardRow[],
  price: { amount: number | null; currency: string | null },
  then: () => void,
): void {
  if (rows.length > MANY) {
    void changeAll(rows, { patch: price }, texts().changed, then)
    return
  }
  const before = ({ amount, currency }: BoardRow) => ({ amount, currency })
  offerUndo(texts().changed(rows.length), change(rows, price, before, texts().failed), then)
}

/** Closes deals for a reason; they leave the board. Undo opens them again. */
export function closeDeals(rows: readonly BoardRow[], outcome: Outcome, reason: string, then: () => void): void {
  if (rows.length > MANY) {
    const words = (count: number) => texts().closedMany(count, outcome)
    void changeAll(rows, { close: { reason_id: reason } }, words, then)
    return
  }
  const closed = rows.map((row) => {
    const shown = { status: outcome, stage: closingStage(row.stage_id, outcome), close_reason_id: reason }
    const done = act('deals', row.id, 'close', { reason_id: reason }, shown)
    done.catch((error: unknown) => report(error, texts().refusedClose(row.title)))
    return { row, done }
  })
  const undo = () => {
    for (const { row, done } of closed) {
      // It can be opened again once it is closed.
      done.then(() => reopen(row)).catch(() => undefined)
    }
  }
  const text = outcome === 'won' ? texts().closedWon : texts().closedLost
  offerUndo(rows.length === 1 ? text(titleOf(rows)) : texts().closedMany(rows.length, outcome), undo, then)
}

/** The stage of the pipeline in which closed deals are. */
function closingStage(stage: string, outcome: Outcome): string {
  const { stages } = boot.peek()
  const pipeline = stages.find(({ id }) => id === stage)?.pipeline_id
  return stages.find((each) => each.pipeline_id === pipeline && each.outcome === outcome)?.id ?? stage
}

async function reopen(row: BoardRow): Promise<void> {
  try {
    const event_id = await closingOf(row.id)
    await client().api.request('POST', '/app/undo', { body: { event_id } })
    showToast({ text: texts().reopened(row.title), icon: 'undo' })
  } catch (error) {
    report(error, texts().undoFailed)
  }
}

const EVENT_MS = 10_000

/** The event of my closing of the deal, which comes by the stream about when the answer does. */
function closingOf(id: string): Promise<string> {
  const { changes } = client().events
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop()
      reject(new Error(texts().undoFailed))
    }, EVENT_MS)
    const stop = effect(() => {
      const found = changes.value.findLast((change) => change.id === id && change.type === 'deal.closed')
      if (!found) return
      clearTimeout(timer)
      resolve(found.eventId)
      queueMicrotask(() => stop())
    })
  })
}

function offerUndo(text: string, undo: () => void, then: () => void): void {
  showToast({
    text,
    undo: () => {
      undo()
      then()
    },
  })
}
