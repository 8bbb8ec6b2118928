import { type FieldError, field } from '../lib/problem.ts'
import { fold } from '../lib/pure/fold.ts'
import { COMMON_PASSWORDS, COMMON_WORDS } from './common-passwords.ts'
import { normalForm } from './passwords.ts'

const SHORTEST = 12
const LONGEST = 128
/** A shorter name is part of too many words. */
const SHORTEST_NAME = 4

/** What somebody who guesses knows about a member. */
export type About = { org: string; email: string }

/**
 * Returns what is wrong with a new password, or undefined. Length protects, so no mix of characters is asked for; what
 * everybody would try first is refused.
 */
export function passwordFault(pointer: string, password: string, { org, email }: About): FieldError | undefined {
  const text = normalForm(password)
  const length = [...text].length
  if (!text.isWellFormed() || text.includes('\0')) return field(pointer, 'invalid_text', 'must be text')
  if (length < SHORTEST) return field(pointer, 'too_short', `must have at least ${SHORTEST} characters`)
  if (length > LONGEST) return field(pointer, 'too_long', `must have at most ${LONGEST} characters`)
  const folded = lettersOf(text)
  const [local = ''] = email.split('@')
  const [firstWord = ''] = org.split(/\s+/)
  if (COMMON.has(folded) || isCommonWord(folded) || isMonotonous(text))
    return field(pointer, 'too_common', 'is one of the passwords that are tried first; choose another one')
  const names = [org, firstWord, local].map(lettersOf).filter((name) => name.length >= SHORTEST_NAME)
  if (names.every((name) => !folded.includes(name)) && folded !== lettersOf(email)) return undefined
  return field(pointer, 'too_personal', 'must not contain the name of the organisation or of the email address')
}

const lettersOf = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]/gu, '')

const COMMON = new Set(COMMON_PASSWORDS)

const WORDS = new Set(COMMON_WORDS.map(lettersOf))

/** A common word with only digits around it, or several times: Welcome2026!! */
function isCommonWord(folded: string): boolean {
  const [, piece = ''] = /^\d*?(.+?)\1*\d*$/.exec(folded) ?? []
  return WORDS.has(piece) || WORDS.has(folded.replace(/^\d+|\d+$/g, ''))
}

/** Few different characters, such as aaaaaaaaaaaa or 121212121212, or one piece again and again. */
function isMonotonous(text: string): boolean {
  const lower = text.toLowerCase()
  return new Set(lower).size < 4 || /^(.{1,6})\1+$/.test(lower)
}
