import { page } from '../../data/boot.ts'
import type { Me } from '../../data/types.ts'

/** What the page knows about me, after a change of mine. */
export function noteMe(changes: Partial<Me>): void {
  const now = page.peek()
  if (now?.signed_in) page.value = { ...now, me: { ...now.me, ...changes } }
}
