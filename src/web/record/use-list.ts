import { useEffect, useMemo } from 'preact/hooks'
import { list, type Query } from '../data/pages.ts'
import { type Rec, record } from '../data/records.ts'

/** A list of the server as long as it is shown. New rows come at once, and those that left it go: see `stillIn`. */
export function useList(kind: 'contacts' | 'deals' | 'tasks', query: Query | null) {
  const key = JSON.stringify(query)
  const made = useMemo(() => (query ? list(kind, query) : null), [kind, key])
  useEffect(() => {
    if (!made) return
    void made.more()
    const stop = made.fresh.subscribe((count) => count > 0 && queueMicrotask(made.showFresh))
    return () => {
      stop()
      made.dispose()
    }
  }, [made])
  return made
}

/** Those of a list that still are what was asked for, such as open or of this company. */
export const stillIn = (kind: 'contacts' | 'deals' | 'tasks', ids: readonly string[], asked: Query): string[] =>
  ids.filter((id) => {
    const now = record(kind, id).value as Rec | null | undefined
    return !now || Object.entries(asked).every(([name, value]) => !(name in now) || now[name] === value)
  })
