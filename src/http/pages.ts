import type { Changes } from '../store/changes.ts'
import type { Rendered } from './render.ts'

/** All pages together; one of 50 deals takes about 30 KB. */
const MAX_BYTES = 8 * 1_048_576

/**
 * Rendered pages of lists, by what was asked for. Any change in the database, by whomever, forgets all of them: there
 * is nothing to invalidate one by one. It makes the list that every screen polls three times as fast.
 */
export function pages({ byOthers, byUs }: Changes) {
  let kept = new Map<string, Rendered>()
  let bytes = 0
  let others: unknown
  let us: unknown

  function forgetAfterChange(): void {
    const [nowOthers, nowUs] = [byOthers(), byUs()]
    if (nowOthers === others && nowUs === us) return
    others = nowOthers
    us = nowUs
    forget()
  }

  function forget(): void {
    kept = new Map()
    bytes = 0
  }

  /** The page as it was rendered, or renders it and keeps it, unless it follows the clock. */
  function page(question: string, render: () => { answer: Rendered; timeDependent: boolean }): Rendered {
    forgetAfterChange()
    const known = kept.get(question)
    if (known) return known
    const { answer, timeDependent } = render()
    if (timeDependent) return answer
    if (bytes > MAX_BYTES) forget()
    bytes += question.length + answer.body.length
    kept.set(question, answer)
    return answer
  }

  return page
}

export type Pages = ReturnType<typeof pages>
