import { useEffect } from 'preact/hooks'
import type { View } from '../data/types.ts'
import { above } from './above.ts'

/** Has views counted, as long as they are shown. */
export function useCounted(views: readonly View[]): void {
  const name = views.map(({ id, version }) => `${id} ${version}`).join()
  useEffect(() => {
    if (views.length === 0) return
    let isOver = false
    let stop: (() => void) | undefined
    above
      .counts()
      .then(({ countViews }) => {
        if (!isOver) stop = countViews(views)
      })
      .catch(() => undefined) // without its file there are no counts, until the views change or are shown again
    return () => {
      isOver = true
      stop?.()
    }
  }, [name])
}
