import { computed } from '@preact/signals'
import { format } from './locale.ts'
import { now } from './now.ts'
import { dateIn } from './zoned.ts'

/** The day of the member who looks, YYYY-MM-DD. */
export const today = computed(() => dateIn(now.value, format.value.timezone))

/** Runs with each new day: "this week" has other records then, without any change. */
export function onNewDay(run: () => void): () => void {
  let seen: string | undefined
  return today.subscribe((day) => {
    const isNew = seen !== undefined && seen !== day
    seen = day
    if (isNew) run()
  })
}
