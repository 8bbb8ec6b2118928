import { computed } from '@preact/signals'
import { client, clientIfAny } from './current.ts'

// My changes on their way, and those that can be undone.

/** Changes that the server has not confirmed: those on their way, and those that wait for my decision. */
export const writes = computed(() => clientIfAny()?.queue.writes.value ?? [])

/** Those that something in front of the server refuses again and again, while it lets others pass. */
export const stuck = computed(() => writes.value.filter(({ parked }) => parked?.why === 'front'))

/** Sends one of them once more, or drops it. */
export const decideInFront = (key: string, isWanted: boolean): void => client().queue.decideInFront(key, isWanted)

/** My newest change that the server has written; undefined if there is none to undo. */
export const lastChange = computed(() => clientIfAny()?.events.changes.value.at(-1))

/**
 * Undoes my newest change, and returns it; undefined if there is none. Throws ApiProblem: 409 `changed_since` if somebody
 * has changed the same fields since.
 */
export const undo = () => client().undo()
