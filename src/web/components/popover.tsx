import type { ComponentChildren, HTMLAttributes } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Anchor, keepPlaced, type PlaceOptions } from '../lib/place.ts'
import './popover.css'

type PopoverProps = Omit<HTMLAttributes<HTMLDivElement>, 'ref' | 'class' | 'children'> &
  PlaceOptions & {
    anchor: Anchor
    /** Called when Esc or a press elsewhere closes it: the one who shows it takes it away. */
    onClose: () => void
    /** `hint`: the focus stays where it is, and the one who shows it closes it. */
    kind?: 'auto' | 'manual' | undefined
    class?: string | undefined
    children: ComponentChildren
  }

/**
 * What opens at a control, over everything: there while it is rendered. On a phone it is a sheet from below. Put it inside of
 * the element that it belongs to, so that what opens in it does not close it. The focus returns to where it was.
 */
export function Popover(props: PopoverProps) {
  const { anchor, onClose, kind = 'auto', align, asWide, class: more = '', children, ...rest } = props
  const ref = useRef<HTMLDivElement>(null)
  const isGone = useRef(false)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const before = document.activeElement
    element.showPopover()
    const release = keepPlaced(element, anchor, { align, asWide, alwaysAnchored: kind === 'manual' })
    return () => {
      isGone.current = true
      release()
      const hasFocus = element.contains(document.activeElement)
      if (element.matches(':popover-open')) element.hidePopover()
      if (hasFocus && before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <div
      {...rest}
      ref={ref}
      popover={kind}
      class={`popover floats ${more}`}
      onToggle={(event) => {
        // The event comes later than what it tells of: that of a popover which was taken away says nothing new.
        const isOwn = event.target === event.currentTarget && !isGone.current
        if (isOwn && event.newState === 'closed') onClose()
      }}
    >
      {children}
    </div>
  )
}
