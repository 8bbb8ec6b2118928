import type { ComponentType } from 'preact'
import type { Kind } from '../data/records.ts'
import type { View } from '../data/types.ts'
import type { ScreenEntry } from '../lib/router/types.ts'

/** What the frame shows of what stands above it. It loads with its first use. */
export type Above = {
  screens: readonly ScreenEntry[]
  /** A record beside a list. */
  Panel: ComponentType<{ kind: Kind; id: string }>
  /** Asks for the password again. */
  SignedOut: ComponentType
  people: () => Promise<{ openPeople: (text: string) => void }>
  counts: () => Promise<{ countViews: (views: readonly View[]) => () => void }>
}

/** Given at the start, before the frame is shown. */
export let above: Above

export function giveAbove(given: Above): void {
  above = given
}
