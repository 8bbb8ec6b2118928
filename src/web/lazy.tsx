import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'

/** A component whose file comes when it is first shown; nothing stands there until then. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const found = signal<{ Component: ComponentType<Props> } | null>(null)
  let isAsked = false
  return function Lazy(props: Props) {
    if (!isAsked) {
      isAsked = true
      void load().then((Component) => {
        found.value = { Component }
      })
    }
    const { Component } = found.value ?? {}
    return Component ? <Component {...props} /> : null
  }
}
