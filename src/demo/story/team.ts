import { CULTURES } from '../words/names.ts'
import { WORDS } from '../words/words.ts'
import type { MemberGiven, TagGiven } from './steps.ts'

const DOMAIN = 'northwind-demo.example'
const OFFICES = ['Europe/Berlin', 'Europe/London', 'Europe/Copenhagen', 'Europe/Warsaw', 'Europe/Madrid']

/**
 * Returns the n-th member: the first six are fixed, the others have names from all cultures; every tenth is a viewer.
 */
export function memberGiven(ref: number): MemberGiven {
  const known = WORDS.team[ref]
  if (known) return { ...known, email: `${known.email}@${DOMAIN}` }
  const culture = CULTURES[ref % CULTURES.length] as (typeof CULTURES)[number]
  const round = Math.floor(ref / CULTURES.length)
  const first = culture.first[round % culture.first.length] as (typeof culture.first)[number]
  const last = culture.last[round % culture.last.length] as (typeof culture.last)[number]
  return {
    name: `${first.text} ${last.text}`,
    email: `${first.plain}.${last.plain}@${DOMAIN}`,
    role: ref % 10 === 5 ? 'viewer' : 'member',
    timezone: OFFICES[ref % OFFICES.length] as string,
  }
}

export function tagGiven(ref: number): TagGiven {
  const { name, color, description } = WORDS.tags[ref] as (typeof WORDS.tags)[number]
  return { name, color, description }
}
