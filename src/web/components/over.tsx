import { signal } from '@preact/signals'
import type { VNode } from 'preact'

/** What opens over whatever screen there is, in the order in which it was opened. The shell shows it. */
export const over = signal<readonly VNode[]>([])

/** Shows a dialog whose code comes with its first use. */
export function showOver(make: (close: () => void) => VNode): void {
  const node = make(() => {
    over.value = over.peek().filter((each) => each !== node)
  })
  over.value = [...over.peek(), node]
}
