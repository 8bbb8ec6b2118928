import { client } from '../../data/current.ts'
import type { Write } from '../../data/write-storage.ts'

/** What a change is about, in the words of its author where there are some. */
export function nameOf({ kind, id, body }: Pick<Write, 'kind' | 'id' | 'body'>): string {
  const record = id === '' ? body : client().store.find(kind, id)?.view.value
  const { title, name, subject, body: text, last_name } = record ?? {}
  const found = [title, name, subject, text, last_name].find((each) => typeof each === 'string' && each.trim() !== '')
  return String(found ?? '').slice(0, 60)
}
