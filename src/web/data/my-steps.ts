import { batch, signal } from '@preact/signals'
import { pathWith } from './api.ts'
import type { Client } from './client.ts'
import type { Step } from './take-back.ts'

// What I did, newest first, as a list that stays current: also while I go on in another tab or on another device.

type Page = { data: Step[]; next_cursor: string | null }
type Parts = Pick<Client, 'api' | 'events' | 'refreshers' | 'timers' | 'member'>

const LIMIT = 25
/** After a change of mine, which may have many events. */
const CHECK_MS = 300
/** That a change of many records is done has no event. */
const RUNNING_MS = 1000

export type MySteps = ReturnType<typeof mySteps>

export function mySteps({ api, events, refreshers, timers, member }: Parts) {
  const steps = signal<readonly Step[]>([])
  const isDone = signal(false)
  const isLoading = signal(false)
  const error = signal<unknown>(undefined)
  let cursor: string | null = null
  let round = 0
  let stopTimer: (() => void) | undefined

  const pageAfter = (after: string | null, limit: number): Promise<Page> =>
    api.get<Page>(pathWith('/app/steps', { limit, cursor: after ?? undefined }))

  /** Never rejects: see `error`. */
  async function load(limit: number, isAnew: boolean): Promise<void> {
    const mine = ++round
    isLoading.value = true
    error.value = undefined
    try {
      const page = await pageAfter(isAnew ? null : cursor, limit)
      if (mine !== round) return
      batch(() => {
        const ids = new Set(page.data.map(({ id }) => id))
        steps.value = isAnew ? page.data : [...steps.peek().filter(({ id }) => !ids.has(id)), ...page.data]
        cursor = page.next_cursor
        isDone.value = cursor === null
      })
      if (steps.peek().some(({ bulk }) => bulk?.is_running)) checkSoon(RUNNING_MS)
    } catch (reason) {
      if (mine === round) error.value = reason
    } finally {
      if (mine === round) isLoading.value = false
    }
  }

  const more = (): Promise<void> => load(LIMIT, false)
  /** As many as are shown. */
  const reload = (): Promise<void> => load(Math.min(100, Math.max(LIMIT, steps.peek().length)), true)

  function checkSoon(ms = CHECK_MS): void {
    stopTimer ??= timers.after(ms, () => {
      stopTimer = undefined
      void reload()
    })
  }

  const stopListening = events.onEvent(({ actor }) => {
    if (actor.id === member) checkSoon()
  })
  refreshers.add(reload)

  function dispose(): void {
    round++
    stopTimer?.()
    stopListening()
    refreshers.delete(reload)
  }

  return { steps, isDone, isLoading, error, more, reload, dispose }
}
