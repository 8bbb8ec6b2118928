import { signal } from '@preact/signals'
import type { ComponentType, VNode } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { typeAhead } from '../lib/typed-ahead.ts'

const RETRY_MS = 2000
const LONGEST_RETRY_MS = 60_000

/**
 * A component whose code comes when it is first shown, or ahead of that, when the page has time. Until then nothing is
 * shown. For what opens on demand: the first page is small without it. A file that did not come is asked for again as long as
 * it is to be shown.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { ahead = true, takesFocus = false } = {},
): (props: Props) => VNode | null {
  const loaded = signal<ComponentType<Props> | null>(null)
  const failures = signal(0)
  let loading: Promise<unknown> | undefined
  const start = () => {
    if (loading) return
    const file = load()
    loading = file
    file.then(
      (component) => {
        loaded.value = component
      },
      () => {
        const ms = Math.min(RETRY_MS * 2 ** failures.peek(), LONGEST_RETRY_MS)
        setTimeout(() => {
          loading = undefined
          failures.value++
        }, ms)
      },
    )
  }
  if (!ahead) return Later
  if (isAsked) whenIdle(start)
  else idle.push(start)
  return Later

  function Later(props: Props) {
    failures.value // with each of them it is shown anew
    const Component = loaded.value
    if (!Component) start()
    useLayoutEffect(() => {
      const { onClose } = props as { onClose?: () => void }
      if (takesFocus && loading && !loaded.peek()) typeAhead(loading, onClose)
    }, [])
    return Component && <Component {...props} />
  }
}

/** The same for what takes the focus: what is typed until then is for it, and Esc calls its `onClose`. */
export const laterInFocus = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  later(load, { takesFocus: true })

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
