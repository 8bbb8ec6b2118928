import { signal } from '@preact/signals'
import type { Client } from './client.ts'

// The data of this page. It is there from the start of a signed-in page on (see boot.ts), and tests of components may set
// their own.

const current = signal<Client | undefined>(undefined)

export function setClient(client: Client | undefined): void {
  current.value = client
}

/** Throws before the page has its data: nobody is signed in. */
export function client(): Client {
  const found = current.peek()
  if (!found) throw new Error('Nobody is signed in on this page.')
  return found
}

/** The same for what is shown on pages without a session too. */
export const clientIfAny = (): Client | undefined => current.value
