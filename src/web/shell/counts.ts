import { boot } from '../data/boot.ts'
import { texts } from './texts.ts'

export type Count = { text: string; isLate: boolean }

/** What is late at a place of the sidebar, in red and in words; else what is for today. */
export function countOf(place: string): Count | undefined {
  const { tasks_late: late, tasks_today: today } = boot.value.counts
  if (place !== '/tasks') return undefined
  if (late > 0) return { text: texts().late(late), isLate: true }
  return today > 0 ? { text: String(today), isLate: false } : undefined
}
