import type { Witness } from '../figures/signs-shown.ts'
import type { Context } from '../reading.ts'
import { readPhones } from './phones.ts'

/** So many numbers without a 0, and none with one, show that a spreadsheet has dropped them. */
const ENOUGH = 3
/** Fewer digits are numbers of a town. */
const NATIONAL = 9
/** A column of such is of American numbers, which have no 0. */
const AMERICAN = /^[2-9]\d{2}[2-9]\d{6}$/

/** Collects what the phones of a column show: whether they have kept the 0 in front of them. */
export function phonesShown() {
  let bare = 0
  let isAmerican = true
  let kept: Witness | undefined

  /** Returns whether a text has a number that could mean two things. */
  function add(text: string, row: number): boolean {
    const read = readPhones(text)
    if (!('value' in read)) return false
    const [first] = read.value.map(({ dialled }) => dialled)
    if (first === undefined || first.startsWith('+')) return false
    if (first.startsWith('0')) {
      kept ??= { text, row }
      return false
    }
    if (first.length < NATIONAL) return false
    // Where digits are grouped, no spreadsheet took them for a number.
    if (text.trim() === first) {
      bare++
      isAmerican &&= AMERICAN.test(first)
    }
    return true
  }

  function found(): { is: Context; because?: Witness | undefined } {
    if (kept) return { is: { trunk: 'kept' }, because: kept }
    return { is: bare >= ENOUGH && !isAmerican ? { trunk: 'lost' } : {} }
  }

  return { add, found }
}
