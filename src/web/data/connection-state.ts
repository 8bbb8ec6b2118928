import { computed, signal } from '@preact/signals'
import type { Timers } from './timers.ts'

export type Connection =
  | { state: 'live' }
  | {
      state: 'reconnecting' | 'offline'
      since: number
      /** When the data was last complete, in ms; undefined while the stream keeps it so. */
      dataAt: number | undefined
      /** Changes of mine that wait. */
      waiting: number
      /** The status with which something in front of the server answers in its place, 0 for a redirect; else undefined. */
      front: number | undefined
    }

/** A short cut is not worth a word. */
const RECONNECTING_MS = 3000
const OFFLINE_MS = 15_000

/** What is said of the connection: of the stream, which comes and goes, and of requests that something in front answers. */
export function connectionState(timers: Timers, waiting: () => number) {
  const stage = signal<'live' | 'reconnecting' | 'offline'>('live')
  /** Of the stream, and of requests. */
  const streamed = signal<number | undefined>(undefined)
  const asked = signal<number | undefined>(undefined)
  let since: number | undefined
  let dataAt: number | undefined
  let stopTimer: (() => void) | undefined

  function up(): void {
    dataAt = undefined
    streamed.value = undefined
    look()
  }

  /** `heardAt`: until then the data was complete. */
  function down(heardAt: number, front?: number): void {
    dataAt ??= heardAt
    streamed.value = front
    look()
  }

  /** The status of what answers requests in front of the server; undefined once that has ended. */
  function inFront(front: number | undefined): void {
    asked.value = front
    look()
  }

  function look(): void {
    const isWell = dataAt === undefined && asked.peek() === undefined
    if (isWell === (since === undefined)) return
    stopTimer?.()
    since = isWell ? undefined : timers.now()
    if (isWell) stage.value = 'live'
    else
      stopTimer = timers.after(RECONNECTING_MS, () => {
        stage.value = 'reconnecting'
        stopTimer = timers.after(OFFLINE_MS - RECONNECTING_MS, () => {
          stage.value = 'offline'
        })
      })
  }

  const connection = computed((): Connection => {
    const front = streamed.value ?? asked.value
    if (stage.value === 'live') return { state: 'live' }
    return { state: stage.value, since: since ?? timers.now(), dataAt, waiting: waiting(), front }
  })

  return { connection, up, down, inFront }
}
