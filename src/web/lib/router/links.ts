import { base } from '../base.ts'

/** Paths of the server that are pages or files of their own, not screens of the app. */
const OUTSIDE = [
  '/api/',
  '/app/',
  '/reference',
  '/openapi.json',
  '/unsubscribe/',
  '/rating/',
  '/livez',
  '/readyz',
  '/metrics',
]

export const isOutside = (path: string): boolean =>
  OUTSIDE.some((outside) => path === outside || path.startsWith(outside)) || /\.[a-z0-9]+$/i.test(path)

type Click = Pick<MouseEvent, 'button' | 'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey' | 'defaultPrevented'>

/** Whether the browser itself should follow the link: in a new tab, as a download, to another site. */
export function isPlainClick(click: Click): boolean {
  const isModified = click.metaKey || click.ctrlKey || click.shiftKey || click.altKey
  return click.button === 0 && !isModified && !click.defaultPrevented
}

type Link = Pick<HTMLAnchorElement, 'href' | 'target' | 'hasAttribute'>

/** The address inside the app to which a link leads, null if the browser should follow it. */
export function addressInside(link: Link, here: string): string | null {
  if (link.target !== '' && link.target !== '_self') return null
  if (link.hasAttribute('download')) return null
  const to = new URL(link.href, here)
  const from = new URL(here)
  const path = to.pathname.slice(base.length)
  if (!to.href.startsWith(`${from.origin}${base}/`) || isOutside(path)) return null
  if (to.hash !== '' && to.pathname === from.pathname && to.search === from.search) return null
  return path + to.search + to.hash
}

/** Lets clicks on links inside the app change the screen instead of loading a page. */
export function followLinks(navigate: (to: string) => void): () => void {
  const onClick = (event: MouseEvent) => {
    if (!isPlainClick(event) || !(event.target instanceof Element)) return
    const link = event.target.closest('a[href]')
    if (!(link instanceof HTMLAnchorElement)) return
    const to = addressInside(link, location.href)
    if (to === null) return
    event.preventDefault()
    // Not every browser does it on a press: "back" returns to it.
    link.focus({ preventScroll: true })
    navigate(to)
  }
  document.addEventListener('click', onClick)
  return () => document.removeEventListener('click', onClick)
}

/** As a click with Ctrl does. */
export function openTab(href: string): void {
  open(base + href, '_blank', 'noopener')
}
