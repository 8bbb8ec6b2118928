import { type Drawing, ICONS, type IconName } from './icons.ts'
import './icon.css'

export type { IconName } from './icons.ts'

const SVG = 'http://www.w3.org/2000/svg'
let isSpriteThere = false

/** One symbol for each icon, in the page once. Built by DOM calls: the policy of the page lets no HTML in by strings. */
function addSprite(): void {
  if (isSpriteThere) return
  isSpriteThere = true
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('class', 'sprite')
  svg.setAttribute('aria-hidden', 'true')
  for (const [name, [lines, dots, width]] of Object.entries<Drawing>(ICONS)) {
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
    svg.append(symbol)
  }
  document.body.append(svg)
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
export function Icon({ name, small, class: more, title }: IconProps) {
  addSprite()
  const names = `i${small ? ' s' : ''}${more ? ` ${more}` : ''}`
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
