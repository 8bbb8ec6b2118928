import { signal } from '@preact/signals'

/** The time that "today" and "2 d late" go by; the page moves it on. */
export const now = signal(Date.now())

/** Moves the clock on each half minute, and when the page is seen again. Returns what stops it. */
export function startClock(): () => void {
  const tick = () => {
    if (document.visibilityState === 'visible') now.value = Date.now()
  }
  const timer = setInterval(tick, 30_000)
  document.addEventListener('visibilitychange', tick)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', tick)
  }
}
