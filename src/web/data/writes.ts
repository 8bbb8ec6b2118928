import { computed } from '@preact/signals'
import { client, clientIfAny } from './current.ts'

// My changes on their way, and those that can be undone.

/** Changes that the server has not confirmed: those on their way, and those that wait for my decision. */
export const writes = computed(() => clientIfAny()?.queue.writes.value ?? [])

/** My newest change that the server has written; undefined if there is none to undo. */
export const lastChange = computed(() => clientIfAny()?.events.changes.value.at(-1))

/**
 * Undoes my newest change, and returns it; undefined if there is none. Throws ApiProblem: 409 `changed_since` if somebody
 * has changed the same fields since.
 */
export const undo = () => client().undo()
