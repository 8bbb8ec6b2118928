import { computed, type ReadonlySignal } from '@preact/signals'
import { page } from './boot.ts'
import type { Connection } from './connection-state.ts'
import { clientIfAny } from './current.ts'

export type { Connection } from './connection-state.ts'

const LIVE: Connection = { state: 'live' }

export const connection: ReadonlySignal<Connection> = computed(() => clientIfAny()?.connection.value ?? LIVE)

/** Whether the session has ended: what was typed stays where it is until somebody has signed in again. */
export const isSignedOut: ReadonlySignal<boolean> = computed(() => clientIfAny()?.isSignedOut.value ?? false)

/** Whether the server has a newer version of the app than this page, and nothing waits here: then a reload is offered. */
export const newBuild: ReadonlySignal<boolean> = computed(() => {
  const client = clientIfAny()
  const now = client?.build.value
  return now !== undefined && now !== page.value?.build && client?.queue.writes.value.length === 0
})
