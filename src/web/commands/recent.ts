import { signal } from '@preact/signals'

// The records that were opened last, for the palette. They stay in this browser.

export type Visit = { kind: string; id: string; title: string }

const KEPT = 8
const STORE = 'dealbox.recent'

export const recent = signal<readonly Visit[]>(read())

/** Notes that a record was opened: its screen calls this once it knows the title. */
export function visited(visit: Visit): void {
  const others = recent.peek().filter(({ kind, id }) => kind !== visit.kind || id !== visit.id)
  recent.value = [visit, ...others].slice(0, KEPT)
  try {
    localStorage.setItem(STORE, JSON.stringify(recent.peek()))
  } catch {
    // Without storage the list lasts as long as the page.
  }
}

/** Forgets a record, such as one that was deleted; without an argument all, as on signing out. */
export function forget(gone?: Pick<Visit, 'kind' | 'id'>): void {
  recent.value = gone ? recent.peek().filter(({ kind, id }) => kind !== gone.kind || id !== gone.id) : []
  try {
    localStorage.setItem(STORE, JSON.stringify(recent.peek()))
  } catch {
    // As above.
  }
}

function read(): Visit[] {
  try {
    return JSON.parse(globalThis.localStorage?.getItem(STORE) ?? '[]')
  } catch {
    return []
  }
}
