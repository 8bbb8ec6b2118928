import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { ApiProblem, LetGo } from '../../data/api.ts'
import type { BoardRow } from '../../data/board-row.ts'
import { boot } from '../../data/boot.ts'
import { act, patch } from '../../data/records.ts'
import type { Fields } from '../../data/types.ts'
import { asStep } from '../../data/writes.ts'
import { texts } from './texts/texts.ts'

// Changes of deals that the board, the table and their commands make. Each shows at once and is one step that can be taken
// back; what the server refuses goes back by itself and is said.

export type Outcome = 'won' | 'lost'

/** What of a deal has to be known to change it. */
export type Some = Pick<BoardRow, 'id' | 'title' | 'amount' | 'currency' | 'stage_id' | 'tag_ids'>

/** More than these are changed by the server in one step, with its progress. */
const MANY = 20

type Bulk = {
  patch?: Fields
  add_tag_ids?: string[]
  remove_tag_ids?: string[]
  close?: { reason_id: string }
  delete?: true
}
type Words = { text: string; many: (count: number) => string; refused: (row: Some) => string }

/** Changes one by one what are few, and leaves to the server what are many. */
function change(
  rows: readonly Some[],
  bulk: Bulk,
  one: (row: Some) => Promise<unknown>,
  { text, many, refused }: Words,
): void {
  if (rows.length > MANY) return void changeAll(idsOf(rows), bulk, many)
  const step = asStep(() => {
    for (const row of rows) one(row).catch((error: unknown) => report(error, refused(row)))
  })
  showToast({ text, step })
}

async function changeAll(ids: readonly string[], bulk: Bulk, done: (count: number) => string): Promise<void> {
  const { changeMany } = await import('../bulk.ts')
  await changeMany('deals', { ids }, bulk, done)
}

const idsOf = (rows: readonly Some[]): string[] => rows.map(({ id }) => id)

/** Deletes deals: for 30 days they are in the bin. */
export const deleteDeals = (ids: readonly string[]): Promise<void> => changeAll(ids, { delete: true }, texts().deleted)

/** The same fields for all of them, or with `fieldsOf`, those of each where they are few. */
function set(rows: readonly Some[], fields: Fields, words: Partial<Words>, fieldsOf = (_: Some) => fields): void {
  const all = { text: texts().changed(rows.length), many: texts().changed, refused: () => texts().failed, ...words }
  change(rows, { patch: fields }, (row) => patch('deals', row.id, fieldsOf(row)), all)
}

/** A conflict is shown at its card; an answer that did not come is sent again. Only a refusal is said. */
function report(error: unknown, refused: string): void {
  if (error instanceof LetGo || (error instanceof ApiProblem && error.status === 412)) return
  showToast({ text: `${refused}. ${sayWhy(error)}`, kind: 'error' })
}

const titleOf = (rows: readonly Some[]): string => rows[0]?.title ?? ''

export function moveDeals(rows: readonly Some[], { id, name }: { id: string; name: string }): void {
  const words = texts()
  const many = (count: number) => words.movedMany(count, name)
  const text = rows.length === 1 ? words.moved(titleOf(rows), name) : many(rows.length)
  set(rows, { stage: id }, { text, many, refused: ({ title }) => words.refusedMove(title) })
}

export function assignDeals(rows: readonly Some[], owner: { id: string; name: string } | null): void {
  const name = owner?.name ?? texts().noOwner
  const one = rows.length === 1 ? { text: texts().assigned(titleOf(rows), name) } : {}
  set(rows, { owner_id: owner?.id ?? null }, one)
}

/** Puts the tag on all of them, or takes it off if all have it. */
export function tagDeals(rows: readonly Some[], tag: string): void {
  const isOnAll = rows.every((row) => row.tag_ids.includes(tag))
  const bulk = isOnAll ? { remove_tag_ids: [tag] } : { add_tag_ids: [tag] }
  const tagOne = ({ id, tag_ids }: Some) => {
    const others = tag_ids.filter((each) => each !== tag)
    return patch('deals', id, { tag_ids: isOnAll ? others : [...others, tag] })
  }
  const { changed, failed } = texts()
  change(rows, bulk, tagOne, { text: changed(rows.length), many: changed, refused: () => failed })
}

export const dateDeals = (rows: readonly Some[], date: string | null): void =>
  set(rows, { expected_close_date: date }, {})

/** Without a currency, each deal keeps its own; one that has none gets that of the organisation. */
export function priceDeals(
  rows: readonly Some[],
  { amount, currency }: { amount: number | null; currency: string | null },
): void {
  if (amount === null) set(rows, { amount }, {})
  else if (currency !== null) set(rows, { amount, currency }, {})
  else {
    const own = boot.peek().org.currency
    const bare = rows.filter((row) => row.currency === null)
    if (rows.length > MANY && bare.length > 0) {
      // Many are set to the same by the server.
      const priced = rows.filter((row) => row.currency !== null)
      asStep(() => {
        set(bare, { amount, currency: own }, {})
        set(priced, { amount }, {})
      })
    } else set(rows, { amount }, {}, (row) => ({ amount, currency: row.currency ?? own }))
  }
}

/** Closes deals for a reason; they leave the board. */
export function closeDeals(rows: readonly Some[], outcome: Outcome, reason_id: string): void {
  const words = texts()
  const many = (count: number) => words.closedMany(count, outcome)
  const one = outcome === 'won' ? words.closedWon : words.closedLost
  const closeOne = ({ id, stage_id }: Some) => {
    const shown = { status: outcome, stage: closingStage(stage_id, outcome), close_reason_id: reason_id }
    return act('deals', id, 'close', { reason_id }, shown)
  }
  const text = rows.length === 1 ? one(titleOf(rows)) : many(rows.length)
  change(rows, { close: { reason_id } }, closeOne, { text, many, refused: ({ title }) => words.refusedClose(title) })
}

/** The stage of the pipeline in which closed deals are. */
function closingStage(stage: string, outcome: Outcome): string {
  const { stages } = boot.peek()
  const pipeline = stages.find(({ id }) => id === stage)?.pipeline_id
  return stages.find((each) => each.pipeline_id === pipeline && each.outcome === outcome)?.id ?? stage
}
