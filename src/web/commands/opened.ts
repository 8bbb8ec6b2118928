import { signal } from '@preact/signals'
import { type CommandContext, commandContext } from './registry.ts'

// What is open, known before its code is there.

/** What the palette acts on: taken before it opens, since then the focus is in it. */
export const openedPalette = signal<{ context: CommandContext } | null>(null)

export function openPalette(): void {
  openedPalette.value ??= { context: commandContext() }
}

export const isKeysPageOpen = signal(false)

export function openKeysPage(): void {
  isKeysPageOpen.value = true
}
