import { type Drawing, ICONS } from './icons.ts'
import type { MORE_ICONS } from './more-icons.ts'
import './icon.css'

export type IconName = keyof typeof ICONS | keyof typeof MORE_ICONS

const SVG = 'http://www.w3.org/2000/svg'
let sprite: SVGElement | undefined
let more: Promise<unknown> | undefined

/** What draws an icon shows it as soon as it is in the page: those that the first page does not use may come later. */
function addIcon(name: IconName): void {
  if (!sprite) addSprite(ICONS)
  if (name in ICONS || more) return
  more = import('./more-icons.ts').then(
    ({ MORE_ICONS }) => addSprite(MORE_ICONS),
    () => {
      more = undefined
    },
  )
}

/** One symbol for each icon, in the page once. Built by DOM calls: the policy of the page lets no HTML in by strings. */
function addSprite(icons: Record<string, Drawing>): void {
  if (!sprite) {
    sprite = document.createElementNS(SVG, 'svg')
    sprite.setAttribute('class', 'sprite')
    sprite.setAttribute('aria-hidden', 'true')
    document.body.append(sprite)
  }
  for (const [name, [lines, dots, width]] of Object.entries(icons)) {
    const symbol = document.createElementNS(SVG, 'symbol')
    symbol.id = `i-${name}`
    symbol.setAttribute('viewBox', '0 0 16 16')
    for (const [path, stroke] of [[lines], [dots, width]] as const) {
      if (!path) continue
      const element = document.createElementNS(SVG, 'path')
      element.setAttribute('d', path)
      if (stroke) element.setAttribute('stroke-width', String(stroke))
      symbol.append(element)
    }
    sprite.append(symbol)
  }
}

type IconProps = {
  name: IconName
  /** 14 px, for use in lines of text. */
  small?: boolean | undefined
  class?: string | undefined
  /** The word of an icon that stands without one. */
  title?: string | undefined
}

/** An icon beside a word is silent for screen readers; one with a title is read. */
export function Icon({ name, small, class: more = '', title }: IconProps) {
  addIcon(name)
  const names = `i${small ? ' s' : ''} ${more}`
  const use = <use href={`#i-${name}`} />
  if (title === undefined) {
    return (
      <svg class={names} aria-hidden="true">
        {use}
      </svg>
    )
  }
  return (
    <svg class={names} role="img" aria-label={title}>
      <title>{title}</title>
      {use}
    </svg>
  )
}
