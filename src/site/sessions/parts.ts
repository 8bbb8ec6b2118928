import type { ScreenParts } from '../parts.ts'
import { type Counters, counters } from './counters.ts'
import { refusedSignIns } from './refusals.ts'

/** What the ways to sign in share: how often each account was tried, whichever way. */
export type SignInParts = ScreenParts & { counters: Counters; refused: ReturnType<typeof refusedSignIns> }

export const signInParts = (parts: ScreenParts): SignInParts => ({
  ...parts,
  counters: counters(parts.store),
  refused: refusedSignIns(parts),
})
