import { builtAt, version } from '../assets.ts'
import { DAY_MS } from '../lib/time.ts'
import type { Options } from './config/options.ts'
import { parseLifetime } from './lifetime.ts'

const USUAL = '365d'

export const ageNotice = {
  ageNotice: {
    type: 'string',
    placeholder: 'TIME',
    default: USUAL,
    help: 'from which age on this version says how old it is, in the log at the start, /readyz and doctor, such as 180d, or never',
  },
} as const satisfies Options

/** The notice that this version is old at a time; undefined while it is not. */
export type AgeNotice = (now: number) => string | undefined

/**
 * Nobody is asked whether there is a newer version: the executable knows when its commit was made. Throws a usage Problem.
 */
export function readAgeNotice(text: string = USUAL, built: number | undefined = builtAt): AgeNotice {
  const least = parseLifetime('--age-notice', text)
  if (built === undefined || least === null) return () => undefined
  return (now) => (now - built < least ? undefined : `${oldText(now - built)} ${WHAT_TO_DO}`)
}

const MONTH_DAYS = 30.44

/** "This version is 14 months old (Dealbox 0.6.0)." */
function oldText(ms: number): string {
  const days = Math.floor(ms / DAY_MS)
  const months = Math.floor(days / MONTH_DAYS)
  const age = months >= 2 ? `${months} months` : days === 1 ? '1 day' : `${days} days`
  return `This version is ${age} old (Dealbox ${version}).`
}

const WHAT_TO_DO =
  'Faults are mended in the newest version only: look whether there is one. "--age-notice never" switches this off.'
