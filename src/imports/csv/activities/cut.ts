import { cutBytes } from '../../../lib/mail/parse/text.ts'
import type { Problem } from '../../../lib/problem.ts'
import type { Draft } from '../draft.ts'
import type { Removed } from '../leave-out.ts'

const MAX_BYTES = { note: 262_144, task: 65_536 } as const
/** For the lines above the text of a note. */
const ROOM = 1024

/** Cuts a text that is too long, as those of mails are. Returns undefined if that is not what is wrong. */
export function cutText({ given, activity }: Draft, { errors = [] }: Problem): Removed[] | undefined {
  const error = errors.find(({ pointer, code }) => pointer === '/body' && code === 'too_long')
  if (!error || errors.length > 1 || !activity || typeof given.body !== 'string') return undefined
  given.body = cutBytes(given.body, MAX_BYTES[activity.object] - ROOM)
  return [{ name: 'body', message: `${error.message}; the rest is left out` }]
}
