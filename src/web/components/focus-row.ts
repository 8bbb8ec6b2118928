import { useRef, useState } from 'preact/hooks'
import type { WindowedHandle } from './windowed.tsx'

/** One tab stop in a list of rows: arrows, Home, End and the commands j and k move it. */
export function useFocusRow(count: number) {
  const [at, setAt] = useState(0)
  const list = useRef<WindowedHandle>(null)
  const here = Math.max(0, Math.min(at, count - 1))
  const go = (index: number) => {
    if (count === 0) return
    const next = Math.max(0, Math.min(index, count - 1))
    setAt(next)
    list.current?.focus(next)
  }
  return {
    /** The row that has the tab stop. */
    at: here,
    /** For the `ref` of the list. */
    list,
    go,
    move: (step: number) => go(here + step),
    /** For a row that was focused by a press. */
    set: setAt,
    tabIndex: (index: number) => (index === here ? 0 : -1),
    onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }
      const step = steps[event.key]
      if (step !== undefined) go(here + step)
      else if (event.key === 'Home') go(0)
      else if (event.key === 'End') go(count - 1)
      else return
      event.preventDefault()
    },
  }
}
