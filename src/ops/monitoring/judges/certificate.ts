import { DAY_MS, rfc3339 } from '../../../lib/time.ts'
import type { Passed } from './finding.ts'

/** Programs that renew certificates do so a month before: then something is wrong with them. */
export const SOON_DAYS = 14

/** What whoever is in front of the listeners will refuse. */
export function certificateCheck(until: number, now: number): Passed {
  const days = Math.floor((until - now) / DAY_MS)
  if (until <= now) return { status: 'warn', detail: `The TLS certificate expired at ${rfc3339(until)}. ${HOW}`, days }
  if (days >= SOON_DAYS) return { status: 'pass', days }
  return { status: 'warn', detail: `The TLS certificate ends at ${rfc3339(until)}. ${HOW}`, days }
}

const HOW = 'Renew it; look why that did not happen by itself.'
