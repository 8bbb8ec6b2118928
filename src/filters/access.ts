import { isAllowed, type Scope } from '../auth/scopes.ts'
import type { Caller } from '../lib/caller.ts'
import { type ListObject, TABLES } from './catalog.ts'
import { COMPANY } from './conditions.ts'

type Choice = {
  object: ListObject
  /** As it is stored or as it was sent: it is not checked here. */
  filter: unknown
}

/**
 * The scopes of the records that a list is a choice of, and of those that its filter looks at. Whoever could write a
 * filter, count what meets it or see its members without them would learn what is in records that they may not read.
 */
export function scopesOf({ object, filter }: Choice): Scope[] {
  const own: Scope = `rest.crm.${TABLES[object]}.read`
  return namesCompany(filter) ? [own, 'rest.crm.companies.read'] : [own]
}

export const mayCount = (who: Caller, list: Choice): boolean => scopesOf(list).every((scope) => isAllowed(who, scope))

/** JSON of a request is 32 levels deep at most. */
function namesCompany(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  return Object.entries(node).some(([name, value]) =>
    name === 'field' && typeof value === 'string' ? value.startsWith(COMPANY) : namesCompany(value),
  )
}
