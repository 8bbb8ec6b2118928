import type { Changes } from '../store/sqlite/changes.ts'
import { sizeOf } from './answer.ts'
import type { Rendered } from './render.ts'

/** The size of all pages together; one of 50 deals takes about 30 KB. */
const MAX_BYTES = 8 * 1_048_576

/**
 * Caches rendered pages of lists by their query. Any change in the database, by any process, clears the cache: nothing
 * is invalidated one by one. Makes the list that every screen polls three times as fast.
 */
export function pages({ byOthers, byUs }: Pick<Changes, 'byOthers' | 'byUs'>) {
  let cached = new Map<string, Rendered>()
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
    cached = new Map()
    bytes = 0
  }

  /** Returns the cached page, or renders and caches it; time-dependent pages are not cached. */
  function page(question: string, render: () => { answer: Rendered; timeDependent: boolean }): Rendered {
    forgetAfterChange()
    const hit = cached.get(question)
    if (hit) return hit
    const { answer, timeDependent } = render()
    if (timeDependent) return answer
    if (bytes > MAX_BYTES) forget()
    bytes += question.length + sizeOf(answer.body)
    cached.set(question, answer)
    return answer
  }

  return page
}

export type Pages = ReturnType<typeof pages>
