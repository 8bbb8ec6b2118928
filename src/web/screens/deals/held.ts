import { signal } from '@preact/signals'

type Meanwhile = typeof import('./meanwhile.tsx')

/** What compares the cards in the hand with what they are now; it comes with the first of them. */
export const meanwhile = signal<Meanwhile | null>(null)

export async function loadMeanwhile(): Promise<Meanwhile> {
  meanwhile.value ??= await import('./meanwhile.tsx')
  return meanwhile.value
}
