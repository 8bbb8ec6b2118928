import { signal } from '@preact/signals'
import type { Anchor } from '../../lib/place.ts'
import { type CommandContext, commandContext } from './registry.ts'

// What is open, known before its code is there.

/** What the palette acts on: taken before it opens, since then the focus is in it. */
export const openedPalette = signal<{ context: CommandContext } | null>(null)

export function openPalette(): void {
  openedPalette.value ??= { context: commandContext() }
}

export function closePalette(): void {
  openedPalette.value = null
}

export const isKeysPageOpen = signal(false)

export function openKeysPage(): void {
  isKeysPageOpen.value = true
}

export function closeKeysPage(): void {
  isKeysPageOpen.value = false
}

/** Ids of commands in groups. */
export type MenuOfCommands = {
  anchor: Anchor
  label: string
  ids: readonly (readonly string[])[]
  context: CommandContext
}

export const openedMenu = signal<MenuOfCommands | null>(null)

export function closeMenu(): void {
  openedMenu.value = null
}
