import type { BoardRow } from '../../data/board-row.ts'
import { DAY_MS } from '../../tables/deals/model.ts'
import { nextStep } from '../../tables/deals/next-step.ts'

export const SORTS = ['next', 'close', 'amount', 'stage'] as const
/** Next task first, expected close first, highest amount first, longest in the stage first. */
export type Sort = (typeof SORTS)[number]

/** How the address names them, as the table and the API do, so that it means the same in both shapes. */
const NAMES: Readonly<Record<Sort, string | null>> = {
  next: null,
  close: 'expected_close_date',
  amount: '-amount',
  stage: 'stage_changed_at',
}

export const nameOfSort = (sort: Sort): string | null => NAMES[sort]

/** The board has its usual order for those that only the table has, such as the lowest amount first. */
export const sortNamed = (name: string | null): Sort => SORTS.find((each) => NAMES[each] === name) ?? 'next'

type Around = {
  now: number
  /** The organisation's own currency comes first: amounts of different currencies do not compare. */
  currency: string
  usualDays: (stageId: string) => number | null
}

export type Compare = (one: BoardRow, other: BoardRow) => number

/** Orders the cards of a column. Equal ones stand as they came in, by id, so that the order is the same everywhere. */
export function comparing(sort: Sort, around: Around): Compare {
  const first = FIRST[sort](around)
  return (one, other) => first(one, other) || one.stage_changed_at - other.stage_changed_at || byText(one.id, other.id)
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const FIRST: Record<Sort, (around: Around) => Compare> = {
  next: (around) => {
    const rank = nextRank(around)
    return (one, other) => rank(one) - rank(other)
  },
  close: () => (one, other) => nullsLast(one.expected_close_date, other.expected_close_date, byText),
  amount:
    ({ currency }) =>
    (one, other) => {
      const [mine, its] = [one, other].map((row) => currencyRank(row, currency)) as [string, string]
      return byText(mine, its) || nullsLast(one.amount, other.amount, (a, b) => b - a)
    },
  stage: () => (one, other) => one.stage_changed_at - other.stage_changed_at,
}

/** Tasks by the time when they are due, then those without one, then idle deals, the longest idle first, then the rest. */
const nextRank =
  ({ now, usualDays }: Around) =>
  (row: BoardRow): number => {
    const due = row.next_task?.due_at
    if (due !== null && due !== undefined) return due
    if (row.next_task) return LATER
    const step = nextStep(row, usualDays(row.stage_id), now)
    return step.kind === 'idle' ? LATER + DAY_MS - step.days : LATER + 2 * DAY_MS
  }

/** Later than any date that the API takes. */
const LATER = Date.UTC(10_000, 0)

/** Deals without an amount come last, whatever their currency is. */
function currencyRank({ amount, currency }: BoardRow, own: string): string {
  if (amount === null) return '2'
  return currency === own ? '0' : `1${currency ?? '~'}`
}

function nullsLast<T>(one: T | null, other: T | null, compare: (one: T, other: T) => number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  return compare(one, other)
}

/** Where the row would stand among the others of a sorted column. */
export function placeIn(rows: readonly BoardRow[], row: BoardRow, compare: Compare): number {
  const others = rows.filter(({ id }) => id !== row.id)
  let from = 0
  let to = others.length
  while (from < to) {
    const middle = (from + to) >> 1
    if (compare(others[middle] as BoardRow, row) < 0) from = middle + 1
    else to = middle
  }
  return from
}
