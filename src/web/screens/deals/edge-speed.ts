/** How fast a list scrolls while a card is held near its edge, in pixels a frame. Negative towards its start. */
export function edgeSpeed(at: number, start: number, end: number): number {
  const zone = Math.min(EDGE, (end - start) / 4)
  if (at < start + zone) return -Math.ceil((MOST_SPEED * Math.min(zone, start + zone - at)) / zone)
  if (at > end - zone) return Math.ceil((MOST_SPEED * Math.min(zone, at - (end - zone))) / zone)
  return 0
}

const EDGE = 56
const MOST_SPEED = 16
