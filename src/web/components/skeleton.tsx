import { scaled } from '../lib/scale.ts'
import './skeleton.css'

const WIDTHS = [132, 108, 150, 92, 126, 118]

/** A grey bar in the place of what is loading. `row` varies the widths of bars below each other. */
export function Bar({
  width,
  height,
  row = 0,
  round,
}: {
  width?: number
  height?: number
  row?: number
  round?: boolean
}) {
  const px = (length: number) => `${scaled(length)}px`
  const size = {
    width: px(width ?? (WIDTHS[row % WIDTHS.length] as number)),
    ...(height ? { height: px(height) } : {}),
  }
  return <i class={round ? 'skel round' : 'skel'} style={size} aria-hidden="true" />
}
