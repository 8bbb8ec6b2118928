import { signal } from '@preact/signals'
import type { ComponentType, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/**
 * A component whose code comes when it is first shown, or when the page has time. Until then nothing is shown. For what
 * opens on demand: the first page is small without it.
 */
export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => VNode | null {
  const loaded = signal<ComponentType<Props> | null>(null)
  let loading: Promise<void> | undefined
  const start = () => {
    if (loading) return
    loading = load().then(
      (component) => {
        loaded.value = component
      },
      () => {
        loading = undefined // the next time tries again
      },
    )
  }
  if (isAsked) whenIdle(start)
  else idle.push(start)
  return function Later(props: Props) {
    const Component = loaded.value
    if (!Component) start()
    return Component && <Component {...props} />
  }
}

const idle: (() => void)[] = []
let isAsked = false

/** Loads what may be opened soon, once the page has nothing else to do; also what screens bring along later. */
export function loadWhenIdle(): void {
  isAsked = true
  whenIdle(() => {
    for (const start of idle.splice(0)) start()
  })
}

export function whenIdle(run: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: 5000 })
  else setTimeout(run, 2000)
}

/** False until the page has time: what is in view comes first, and what is around it after that. */
export function useLater(): boolean {
  const [isLater, setLater] = useState(false)
  useEffect(() => {
    let isGone = false
    whenIdle(() => !isGone && setLater(true))
    return () => {
      isGone = true
    }
  }, [])
  return isLater
}
