import { seen } from '../../../lib/pure/invisible.ts'
import { namesOf } from '../../../lib/written/people/name-fields.ts'
import { readNames } from '../../../lib/written/people/name-order.ts'
import { JOB } from '../../../lib/written/people/name-words.ts'
import type { WrittenName } from '../../../lib/written/people/names.ts'
import type { Context } from '../../../lib/written/reading.ts'
import { quoted, refused } from './figures.ts'

// Converts the text of a cell to the name of a person. There are fields for a first and a last name only: a title stays with the
// one, a suffix with the other, and a note keeps whatever else the text has.

export type Person = {
  first_name?: string
  last_name?: string
  company?: string
  job_title?: string
  /** Whether the text has something that is in no field. */
  hasMore?: boolean
  /** Why the text is kept in another way than it may be meant. */
  unsure?: string
}

/** Throws Problem 422 for what is not the name of one person, or of a company. */
export function personIn(given: string, context: Context): Person {
  const text = seen(given).replace(/\s+/g, ' ').trim()
  const reading = readNames(text, context)
  if ('value' in reading) return personOf(reading.value)
  if ('unread' in reading) {
    const isOne = reading.unread.why === 'not_one'
    throw refused(
      'invalid_name',
      `must be the name of one person, not ${isOne ? quoted(text) : `several: ${quoted(text)}`}`,
    )
  }
  const [one, other] = reading.either
  const { company, ...person } = personOf(one)
  if (one.given === other.given && one.family === other.family) {
    const what = company ?? other.company ?? ''
    const unsure = `has ${quoted(what)}, which may be a company or a remark; a note has all of it`
    return { ...person, hasMore: true, unsure }
  }
  const meanings = reading.either.map(
    (each) => `first name ${quoted(each.given ?? '')}, last name ${quoted(each.family ?? '')}`,
  )
  return { last_name: text, unsure: `is kept whole as the last name, since it is ambiguous: ${meanings.join(' or ')}` }
}

function personOf({ nickname, company, rest, ...name }: WrittenName): Person {
  if (name.given === undefined && name.family === undefined) return { last_name: company ?? '' }
  const isJob = rest !== undefined && JOB.test(rest)
  return {
    ...namesOf(name),
    ...(company === undefined ? {} : { company }),
    ...(isJob ? { job_title: rest } : {}),
    ...(nickname !== undefined || (rest !== undefined && !isJob) ? { hasMore: true } : {}),
  }
}
