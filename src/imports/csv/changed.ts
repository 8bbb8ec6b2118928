import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import { fold } from '../../lib/pure/fold.ts'
import { seen } from '../../lib/pure/invisible.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import type { Given } from '../writable.ts'

/** Returns the previous values of the fields that an update changed. */
export function changedFields(before: Stored, after: Stored, given: Given): Given {
  const changed = Object.keys(given).filter((name) => !same(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, previous(name, before[name] as Json, given[name])]))
}

/** A patch merges custom fields by key: to undo it, keys that did not exist before are set to null. */
function previous(name: string, before: Json, given: Json | undefined): Json {
  if (name !== 'custom_fields') return before
  const values = before as Given
  return Object.fromEntries(Object.keys(given as Given).map((key) => [key, values[key] ?? null]))
}

/**
 * A text that differs from the stored one only by what nobody sees is that one: files lose spaces at its ends, and an import
 * leaves out signs of no width that the API has taken.
 */
export function asStored<Value extends Json | undefined>(before: Json | undefined, given: Value): Value {
  if (typeof before === 'string' && typeof given === 'string')
    return (seen(before).trim() === given ? before : given) as Value
  if (!isObject(before) || !isObject(given)) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, asStored(before[name], value)]),
  ) as Value
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A patch keeps the members of an address that it omits. Of a place in another town, or another street, what is not given is
 * that of the former one, and goes.
 */
export function withoutFormerPlace(before: Stored, given: Given): Given {
  const [old, now] = [before.address as Given | null, given.address as Given | null | undefined]
  if (!old || !now) return given
  const isOther = (name: string): boolean =>
    typeof old[name] === 'string' && typeof now[name] === 'string' && fold(old[name]) !== fold(now[name])
  const isMoved = ['city', 'postal_code', 'country'].some(isOther)
  const gone = isMoved ? Object.keys(old) : isOther('line1') ? ['line2'] : []
  return { ...given, address: { ...Object.fromEntries(gone.map((name) => [name, null])), ...now } }
}
