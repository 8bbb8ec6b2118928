import { boot } from '../data/boot.ts'
import { texts } from './texts.ts'

export type Count = { text: string; isLate: boolean }

/** What is late at a place of the sidebar, in red and in words; else what is for today, or waits for us. */
export function countOf(place: string): Count | undefined {
  const { counts } = boot.value
  const name = { '/inbox': 'inbox', '/tasks': 'tasks' }[place] as 'inbox' | 'tasks'
  const [late, now] = [counts[`${name}_late`], counts[`${name}_now`]]
  if (late > 0) return { text: texts().late(late), isLate: true }
  return now > 0 ? { text: String(now), isLate: false } : undefined
}
