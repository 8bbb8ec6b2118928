import { page } from '../data/boot.ts'
import type { List } from '../data/types.ts'

type Known = Pick<List, 'id' | 'name' | 'object' | 'kind'>

/** Keeps the lists that are offered everywhere up to date after a change of one. */
export function noteList({ id, name, object, kind }: Known): void {
  const now = page.peek()
  if (!now?.signed_in) return
  page.value = { ...now, lists: [...now.lists.filter((each) => each.id !== id), { id, name, object, kind }] }
}

export function forgetList(id: string): void {
  const now = page.peek()
  if (now?.signed_in) page.value = { ...now, lists: now.lists.filter((each) => each.id !== id) }
}
