import { useEffect, useMemo } from 'preact/hooks'
import { list, type Query } from '../../data/pages.ts'

/** A list of the server as long as it is shown. New rows come at once. */
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
