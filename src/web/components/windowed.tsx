import type { ComponentChildren, CSSProperties, Ref } from 'preact'
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { heightsOf, rowsInView } from '../lib/heights.ts'
import { useLater } from './later.tsx'
import './windowed.css'

/** What a row has to spread on its element. */
export type RowProps = {
  'data-row': number
  'aria-setsize': number
  'aria-posinset': number
  style: CSSProperties
}

export type WindowedHandle = {
  /** Scrolls as far as needed to see the row. */
  show: (index: number) => void
  /** The same, and gives it the focus: to its first element that can have it. Not if it is no longer `isWanted` then. */
  focus: (index: number, isWanted?: () => boolean) => void
  /** Where the row begins, from the top of the list. */
  offsetOf: (index: number) => number
}

type WindowedProps = {
  /** Of each row, in their order. The same array while nothing changes. */
  keys: readonly string[]
  /** In pixels. Fixed rows have it; others until they are measured. */
  rowHeight: number
  /** Rows differ in height, and are measured once they are mounted. */
  measured?: boolean | undefined
  /** Between rows that are measured. */
  gap?: number | undefined
  /** The element that scrolls; else the nearest ancestor with the attribute `data-scroller`. */
  scroller?: HTMLElement | null | undefined
  overscan?: number | undefined
  /** Of the view, as far as it is known before it is there: then its rows are drawn and laid out once. */
  viewHeight?: number | undefined
  /** How many there are in all, if more than are loaded. */
  total?: number | undefined
  role?: 'list' | 'listbox' | 'rowgroup' | 'presentation' | undefined
  label?: string | undefined
  /** Called with the last row that is mounted: for loading more. */
  onEnd?: ((index: number) => void) | undefined
  render: (index: number, props: RowProps) => ComponentChildren
  ref?: Ref<WindowedHandle>
}

const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), [tabindex]'

/** A list of any length that mounts only the rows in view, the one with the focus and the one that it goes to, so that keys never lose it. */
export function Windowed(props: WindowedProps) {
  const { keys, rowHeight, measured, gap = 0, overscan = 4, total, role = 'list', label, onEnd, render, ref } = props
  const box = useRef<HTMLDivElement>(null)
  const heights = useMemo(() => heightsOf(rowHeight + gap), [rowHeight, gap])
  heights.setKeys(keys)
  const [view, setView] = useState({ top: 0, height: props.viewHeight ?? 0 })
  const [, redraw] = useState(0)
  const focused = useRef<string | undefined>(undefined)
  // The row that the focus is on its way to: both stay in the page until it is there, or a key pressed meanwhile meets nothing.
  const wanted = useRef<string | undefined>(undefined)
  const drawn = useRef(keys)
  drawn.current = keys
  const count = keys.length
  const isPainted = useLater()
  const { first, last } = rowsInView(heights, count, view, isPainted ? overscan : 0)

  useLayoutEffect(() => {
    const scroller = scrollerOf(box.current, props.scroller)
    if (!scroller || !box.current) return
    const look = () => {
      const above = box.current ? box.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top : 0
      const next = { top: Math.max(0, -above), height: scroller.clientHeight }
      setView((before) => (before.top === next.top && before.height === next.height ? before : next))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(scroller)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [props.scroller])

  // Rows above the view that turn out higher must not push down what is read.
  useLayoutEffect(() => {
    if (!measured || !box.current) return
    const anchor = heights.indexAt(view.top)
    const before = heights.offsetOf(anchor)
    let isChanged = false
    for (const row of box.current.querySelectorAll<HTMLElement>(':scope > [data-row]')) {
      const key = keys[Number(row.dataset.row)]
      if (key !== undefined && heights.setHeight(key, row.offsetHeight + gap)) isChanged = true
    }
    if (!isChanged) return
    heights.build()
    const moved = heights.offsetOf(anchor) - before
    const scroller = scrollerOf(box.current, props.scroller)
    if (moved !== 0 && scroller) scroller.scrollTop += moved
    redraw((number) => number + 1)
  })

  useLayoutEffect(() => {
    if (count > 0) onEnd?.(last)
  }, [last, count])

  useImperativeHandle(ref ?? null, () => ({ show, focus, offsetOf: heights.offsetOf }), [heights, count])

  function show(index: number): void {
    const scroller = scrollerOf(box.current, props.scroller)
    if (!scroller || !box.current) return
    const start = box.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
    const [top, bottom] = [start + heights.offsetOf(index), start + heights.offsetOf(index + 1)]
    const sticky = Number.parseFloat(getComputedStyle(scroller).scrollPaddingTop) || 0
    if (top < scroller.scrollTop + sticky) scroller.scrollTop = top - sticky
    else if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight
  }

  function focus(index: number, isWanted = () => true): void {
    const key = drawn.current[index]
    if (key === undefined) return
    wanted.current = key
    show(index)
    redraw((number) => number + 1)
    // The row is in the page once this is drawn. Another row may have its place by then.
    requestAnimationFrame(() => {
      if (wanted.current !== key) return
      if (isWanted()) {
        const now = drawn.current.indexOf(key)
        const row = box.current?.querySelector<HTMLElement>(`:scope > [data-row="${now}"]`)
        const target = row?.matches(FOCUSABLE) ? row : row?.querySelector<HTMLElement>(FOCUSABLE)
        target?.focus({ preventScroll: true })
      }
      wanted.current = undefined
    })
  }

  const kept = [focused.current, wanted.current].map((key) => (key === undefined ? -1 : keys.indexOf(key)))
  const mounted: number[] = [...new Set(kept)].filter((index) => index >= 0 && (index < first || index > last))
  for (let index = first; index <= last; index += 1) mounted.push(index)
  mounted.sort((one, other) => one - other)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles supports a label
    <div
      ref={box}
      class="windowed"
      role={role}
      aria-label={label}
      style={{ height: `${Math.max(0, heights.total() - gap)}px` }}
      onFocusIn={(event) => {
        const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
        focused.current = row ? keys[Number(row.dataset.row)] : undefined
      }}
      onFocusOut={(event) => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) focused.current = undefined
      }}
    >
      {mounted.map((index) =>
        render(index, {
          'data-row': index,
          'aria-setsize': total ?? count,
          'aria-posinset': index + 1,
          style: {
            transform: `translateY(${heights.offsetOf(index)}px)`,
            ...(measured ? {} : { height: `${rowHeight}px` }),
          },
        }),
      )}
    </div>
  )
}

function scrollerOf(box: HTMLElement | null, given: HTMLElement | null | undefined): HTMLElement | null {
  return given ?? box?.closest<HTMLElement>('[data-scroller]') ?? null
}
