import { computed, signal } from '@preact/signals'
import type { Timers } from './timers.ts'

export type Connection =
  | { state: 'live' }
  | { state: 'reconnecting'; since: number }
  | {
      state: 'offline'
      since: number
      /** When the data was last complete, in ms. */
      dataAt: number
      /** Changes of mine that wait. */
      waiting: number
    }

/** A short cut is not worth a word. */
const RECONNECTING_MS = 3000
const OFFLINE_MS = 15_000

/** What is said of the connection while the stream comes and goes. */
export function connectionState(timers: Timers, waiting: () => number) {
  const stage = signal<'live' | 'reconnecting' | 'offline'>('live')
  let since: number | undefined
  let dataAt = timers.now()
  let stopTimer: (() => void) | undefined

  function up(): void {
    since = undefined
    stopTimer?.()
    stopTimer = undefined
    stage.value = 'live'
  }

  /** `heardAt`: until then the data was complete. */
  function down(heardAt: number): void {
    if (since !== undefined) return
    dataAt = heardAt
    since = timers.now()
    stopTimer = timers.after(RECONNECTING_MS, () => {
      stage.value = 'reconnecting'
      stopTimer = timers.after(OFFLINE_MS - RECONNECTING_MS, () => {
        stage.value = 'offline'
      })
    })
  }

  const connection = computed((): Connection => {
    if (stage.value === 'live') return { state: 'live' }
    const at = since ?? timers.now()
    return stage.value === 'reconnecting'
      ? { state: 'reconnecting', since: at }
      : { state: 'offline', since: at, dataAt, waiting: waiting() }
  })

  return { connection, up, down }
}
