import type { Caller } from '../../lib/caller.ts'
import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import { fold } from '../../lib/pure/fold.ts'
import { type NameSource, nameOf } from '../../records/contact-methods.ts'
import type { recordLookups } from '../../records/record-lookups.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import type { AllWrites, Given, RecordObject } from '../writable.ts'
import type { Draft } from './cells/draft.ts'
import { joined } from './cells/draft-values.ts'

/**
 * Finds the records that a row without the value to match by may have become before: those of the same name that have
 * everything the row has. It would be made again at each import. Nothing is overwritten, so a namesake loses nothing.
 */
export function twinFinder(
  find: ReturnType<typeof recordLookups>,
  who: Caller,
  object: RecordObject,
  writes: AllWrites[RecordObject],
  country: string | undefined,
) {
  const candidates = {
    contact: (given: Given) => find.contactsNamed(who.org, fold(nameOf({ ...NAMELESS, ...given } as NameSource))),
    company: ({ name }: Given) => find.companiesNamed(who.org, fold(String(name))),
    deal: ({ title }: Given) => find.dealsTitled(who.org, fold(String(title))),
  }

  /** `given` is the body of the new record. */
  return function twinsOf(given: Given, { added }: Draft): Stored[] {
    const whole = writes.check(given, true)
    return candidates[object](whole)
      .map(({ id }) => writes.find(who, id))
      .filter((record) =>
        Object.entries(whole).every(([name, value]) => has(record[name] as Json, value, added.has(name), country)),
      )
  }
}

const NAMELESS = { first_name: null, last_name: null, emails: [], phones: [] }

function has(stored: Json, given: Json, isAdded: boolean, country: string | undefined): boolean {
  if (isAdded)
    return joined((stored ?? []) as Json[], given as Json[], country).length === ((stored ?? []) as Json[]).length
  if (given === null || Array.isArray(given) || typeof given !== 'object') return same(stored, given)
  const members = (stored ?? {}) as Given
  return Object.entries(given).every(([member, value]) => same(members[member] ?? null, value))
}
