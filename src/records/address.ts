import type * as v from 'valibot'
import * as f from '../lib/fields.ts'
import { mergeObject } from '../lib/merge.ts'

// The postal address of contacts and companies: an object with all of its members, or null.

const fields = {
  line1: f.nullable(f.line()),
  line2: f.nullable(f.line()),
  city: f.nullable(f.line()),
  region: f.doc(f.nullable(f.line()), 'State, province or county.'),
  postal_code: f.nullable(f.line()),
  country: f.nullable(f.country),
}

export const Address = f.doc(
  f.named('Address', f.object(fields)),
  'Postal address, with all of its members; null if no member has a value.',
)
export type Address = v.InferOutput<typeof Address>

export const AddressPatch = f.doc(
  f.named('AddressInput', f.patchOf(fields)),
  'A PATCH keeps the members that it omits.',
)
export type AddressPatch = v.InferOutput<typeof AddressPatch>

const EMPTY: Address = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }

/** Returns the stored address with the given members, or null if all members are empty. */
export function mergeAddress(stored: Address | null, given: AddressPatch | null): Address | null {
  return mergeObject(EMPTY, stored, given)
}
