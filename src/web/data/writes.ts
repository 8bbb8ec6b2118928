import { computed } from '@preact/signals'
import { client, clientIfAny } from './current.ts'

// My changes on their way, and those that can be undone.

/** Changes that the server has not confirmed: those on their way, and those that wait for my decision. */
export const writes = computed(() => clientIfAny()?.queue.writes.value ?? [])

/**
 * Those that may have happened: that something in front of the server refuses again and again, while it lets others pass,
 * and those that are too old to be sent again unasked.
 */
export const stuck = computed(() =>
  writes.value.filter(({ parked }) => parked?.why === 'front' || parked?.why === 'old'),
)

/** Sends one of them once more, or drops it. */
export const decideStuck = (key: string, isWanted: boolean): void => client().queue.decideStuck(key, isWanted)

/** All that `run` begins is one step of mine, which is taken back as one. Returns its name. */
export const asStep = (run: () => void): string => client().asStep(run)

/** Goes on with such a step, when what it needs first has been answered. */
export const inStep = (step: string, run: () => void): void => client().inStep(step, run)
