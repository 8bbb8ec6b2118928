import { computed, signal } from '@preact/signals'
import { me } from '../../data/boot.ts'
import { keep, kept } from '../../lib/kept.ts'

// The records that a member opened last, for the palette. They stay in this browser.

export type Visit = { kind: string; id: string; title: string }

const KEPT = 8

const changed = signal<{ by: string; visits: readonly Visit[] } | undefined>(undefined)
const nameOf = (member: string): string => `dealbox.recent.${member}`

export const recent = computed<readonly Visit[]>(() => {
  const { id } = me.value
  return changed.value?.by === id ? changed.value.visits : read(id)
})

/** Notes that a record was opened: its screen calls this once it knows the title. */
export function visited(visit: Visit): void {
  set([visit, ...without(visit)].slice(0, KEPT))
}

/** Forgets a record, such as one that was deleted. */
export function forget(gone: Pick<Visit, 'kind' | 'id'>): void {
  set(without(gone))
}

const without = ({ kind, id }: Pick<Visit, 'kind' | 'id'>): Visit[] =>
  recent.peek().filter((each) => each.kind !== kind || each.id !== id)

function set(visits: readonly Visit[]): void {
  const { id } = me.peek()
  changed.value = { by: id, visits }
  keep(nameOf(id), JSON.stringify(visits))
}

function read(member: string): Visit[] {
  try {
    return JSON.parse(kept(nameOf(member)) ?? '[]')
  } catch {
    return []
  }
}
