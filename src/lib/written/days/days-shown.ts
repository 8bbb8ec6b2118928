import { plainText } from '../characters.ts'
import type { Witness } from '../figures/signs-shown.ts'
import type { Context, Order } from '../reading.ts'
import { inDigits } from './calendar-days.ts'
import { MAX_LENGTH } from './days.ts'
import { COUNTED } from './moment-parts.ts'
import { splitsOf } from './times-of-day.ts'

// What the cells of a column, or of all columns of days of a file, show about the order of day, month and year.

const MIDNIGHT = /[T ]00:00(?::00(?:\.0+)?)?(?: ?Z| ?(?:UTC|GMT)|\+00(?::?00)?)$/
const DAY_MS = 86_400_000

const UNITS = ['days', 's', 'ms'] as const

export type ShownDays = Pick<Context, 'order' | 'orderOfPoints' | 'counted' | 'isMidnightUtc'>

export function daysShown() {
  const orders = { points: new Map<Order, Witness>(), others: new Map<Order, Witness>() }
  let cells = 0
  let midnights = 0
  const counted = { days: 0, s: 0, ms: 0 }
  const short = { cells: 0, firsts: new Set<string>(), thirds: new Set<string>() }

  /** Returns whether the cell of itself may be several days, or only a number. */
  function add(text: string, row: number): boolean {
    const plain = text.length > MAX_LENGTH ? '' : plainText(text)
    if (plain === '') return false
    cells++
    if (MIDNIGHT.test(plain) || (COUNTED.ms.test(plain) && Number(plain) % DAY_MS === 0)) midnights++
    const unit = UNITS.find((each) => COUNTED[each].test(plain))
    if (unit !== undefined) {
      counted[unit]++
      return true
    }
    const found = digitsIn(plain)
    if (!found) return false
    const { separator, days } = found.digits
    const [first, second] = days
    const isYearInFront = first?.order === 'ymd' && /^\d{4}/.test(found.text)
    const [one = '', , third = ''] = found.text.split(/ ?[./-] ?/)
    if (separator === '-' && one.length < 3 && third.length < 3) {
      short.cells++
      short.firsts.add(one)
      short.thirds.add(third)
    }
    if (second) return separator !== '.' && new Set(days.flatMap(({ dates }) => dates)).size > 1
    if (!first || isYearInFront) return false
    const seen = separator === '.' ? orders.points : orders.others
    if (!seen.has(first.order)) seen.set(first.order, { text, row })
    return false
  }

  /**
   * Several days with hyphens and short years, of which all begin with the same number: that is the year, if it is no month
   * and few people have all their days on the 26th.
   */
  function isYearFirst(): boolean {
    const [first = ''] = short.firsts
    return short.cells > 2 && short.firsts.size === 1 && Number(first) > 12 && short.thirds.size > 1
  }

  /**
   * Nothing where the cells contradict each other. `file`: what all columns show, where the own one shows nothing. A number
   * is a day only in a column that has nothing else.
   */
  function found(file?: { own: () => Orders }): { is: ShownDays; because?: Witness | undefined } {
    const mine = own()
    const all = mine.others === undefined ? file?.own() : undefined
    const order = mine.others ?? all?.others
    const unit = UNITS.find((each) => cells > 1 && counted[each] === cells)
    return {
      is: {
        order: order === 'both' ? undefined : (order?.order ?? (isYearFirst() ? 'ymd' : undefined)),
        orderOfPoints: mine.points === 'both' ? undefined : mine.points?.order,
        counted: unit,
        isMidnightUtc: cells > 1 && midnights === cells,
      },
      because: [order, mine.points].find((each): each is Proof => each !== undefined && each !== 'both')?.because,
    }
  }

  const own = (): Orders => ({ points: only(orders.points), others: only(orders.others) })

  return { add, found, own }
}

type Proof = { order: Order; because: Witness }
type Orders = { points: Proof | 'both' | undefined; others: Proof | 'both' | undefined }

function only(seen: ReadonlyMap<Order, Witness>): Proof | 'both' | undefined {
  if (seen.size > 1) return 'both'
  for (const [order, because] of seen) return { order, because }
  return undefined
}

/** The day in digits of a text, with or without a time of day. */
function digitsIn(plain: string) {
  const alone = inDigits(plain, {})
  if (alone) return { text: plain, digits: alone }
  for (const { day } of splitsOf(plain)) {
    const digits = inDigits(day, {})
    if (digits) return { text: day, digits }
  }
  return undefined
}
