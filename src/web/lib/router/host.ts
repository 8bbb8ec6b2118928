import { base, here } from '../base.ts'
import { moreStyles } from '../more-styles.ts'
import type { Host } from './create.ts'
import { keepScrollOverReload, restoreScroll, saveScroll } from './scroll.ts'

/** The router's view of the browser window. */
export function browserHost(): Host {
  history.scrollRestoration = 'manual'
  const key = (): string | null => (history.state as { key?: string } | null)?.key ?? null
  keepScrollOverReload(key)
  return {
    url: here,
    key,
    push: (url, key) => history.pushState({ key, from: here() }, '', base + url),
    replace: (url, key) =>
      history.replaceState({ ...history.state, key }, '', base + (url === here() ? url + location.hash : url)),
    onPop: (listener) => {
      addEventListener('popstate', listener)
      return () => removeEventListener('popstate', listener)
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    styles: moreStyles,
    saveScroll,
    shown: ({ key, isNewScreen, isReturn }) => {
      // After the frame in which the new screen is in the page.
      requestAnimationFrame(() => {
        if (isNewScreen) focusHeading()
        if (isReturn) restoreScroll(key)
      })
    },
  }
}

/** Whether the entry before this one in the history has the address: then "back" is the way to it. */
export const isBehind = (url: string): boolean => (history.state as { from?: string } | null)?.from === url

/** Moves the focus to the heading of the screen, so that a screen reader says where one is. */
function focusHeading(): void {
  const main = document.querySelector('main')
  if (!main || main.contains(document.activeElement) || document.querySelector('dialog:modal')) return
  const heading = main.querySelector<HTMLElement>('h1') ?? main
  if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}
