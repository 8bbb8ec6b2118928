import { type ReadonlySignal, signal } from '@preact/signals'
import type { Kind } from '../data/types.ts'

/** The record that is open beside a list. */
export type Peeked = { kind: Kind; id: string }

const open = signal<Peeked | null>(null)

export const peeked: ReadonlySignal<Peeked | null> = open

/** Shows a record beside the list, in place of the one before. The panel is that of the record's page. */
export function openPeek(kind: Kind, id: string): void {
  open.value = { kind, id }
}

export function closePeek(): void {
  open.value = null
}
