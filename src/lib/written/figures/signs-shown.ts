import type { Context, Sign } from '../reading.ts'
import type { Shown } from './figures.ts'

// What the cells of a column show about its signs. One to three digits, one sign and three digits, such as 25.000, are two
// numbers: only the other cells of the same column decide which.

/** A cell that shows something. */
export type Witness = { text: string; row: number }

const OTHER: Record<Sign, Sign> = { '.': ',', ',': '.' }

export function signsShown() {
  const seen: { [role in 'groups' | 'decimal' | 'thirds']: Map<Sign, Witness> } = {
    groups: new Map(),
    decimal: new Map(),
    thirds: new Map(),
  }
  let isApart = false

  function add(shown: Shown, witness: Witness): void {
    for (const role of ['groups', 'decimal', 'thirds'] as const) {
      const sign = shown[role]
      if (sign !== undefined && !seen[role].has(sign)) seen[role].set(sign, witness)
    }
    isApart ||= shown.isApart === true
  }

  /**
   * Nothing if the cells contradict each other. A sign that groups makes the other one the decimal sign. A decimal sign in
   * front of three digits, or beside such a group, is one in front of three digits elsewhere too; in front of two it says
   * only that the other sign groups, unless thousands are apart by spaces: 14.50 above 18.000 may be of two hands.
   */
  function found(): { is: Pick<Context, 'decimal' | 'group'>; because?: Witness } {
    const { groups, decimal, thirds } = seen
    const isBoth = [...groups.keys()].some((sign) => decimal.has(sign))
    if (isBoth || groups.size > 1 || decimal.size > 1) return { is: {} }
    for (const [sign, because] of groups) return { is: { decimal: OTHER[sign] }, because }
    for (const [sign, because] of thirds) return { is: { decimal: sign }, because }
    if (isApart) return { is: {} }
    for (const [sign, because] of decimal) return { is: { group: OTHER[sign] }, because }
    return { is: {} }
  }

  return { add, found }
}
