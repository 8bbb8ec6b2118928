import { useLayoutEffect, useState } from 'preact/hooks'

/**
 * How many of the parts, `data-fit`, have room in the line beside the number of the others, `data-more`, which
 * may stay even if all of the parts have room. Measured anew when
 * width or words change.
 */
export function useFitting(ref: { current: HTMLElement | null }, words: string): number {
  // All of them at first: then what is measured is what is there, and the page is laid out once.
  const [fitting, setFitting] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const bar = ref.current
    if (!bar) return
    let measured: number | undefined
    const measure = () => {
      if (bar.clientWidth === measured) return
      measured = bar.clientWidth
      setFitting(fittingIn(bar))
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(bar)
    return () => sizes.disconnect()
  }, [words])
  return fitting
}

function fittingIn(bar: HTMLElement): number {
  const parts = [...bar.querySelectorAll<HTMLElement>('[data-fit]')]
  const button = bar.querySelector<HTMLElement>('[data-more]')
  const room = bar.clientWidth
  const gap = Number.parseFloat(getComputedStyle(bar).columnGap) || 0
  const widths = widthsOf(parts)
  const ends = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, width) => sum + gap + width))
  if (!button || ((ends.at(-1) ?? 0) <= room && button.dataset.more !== 'stays')) return widths.length
  const [width = 0] = widthsOf([button])
  const beyond = ends.findIndex((end) => end + gap + width > room)
  return beyond < 0 ? widths.length - (button.dataset.more === 'stays' ? 0 : 1) : beyond
}

/** The widths that the elements have when they are shown. */
function widthsOf(elements: readonly HTMLElement[]): number[] {
  const hidden = elements.filter((element) => element.hidden)
  for (const element of hidden) element.hidden = false
  const widths = elements.map((element) => element.getBoundingClientRect().width)
  for (const element of hidden) element.hidden = true
  return widths
}
