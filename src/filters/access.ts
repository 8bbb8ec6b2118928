import { isAllowed, type Scope } from '../auth/scopes.ts'
import type { Caller } from '../lib/caller.ts'
import { TABLES } from '../lib/pure/nouns.ts'
import type { ListObject } from './catalog.ts'
import { COMPANY } from './conditions.ts'

type Choice = {
  object: ListObject | 'inbox'
  /** As stored or as sent: it is not validated here. */
  filter: unknown
}

/**
 * The scopes for the records of a list, and for those that its filter refers to. Without them, anyone who can write a
 * filter, count its matches or see its members could learn the contents of records that they may not read.
 */
export function scopesOf({ object, filter }: Choice): Scope[] {
  const own: Scope = object === 'inbox' ? 'rest.inbox.conversations.read' : `rest.crm.${TABLES[object]}.read`
  return namesCompany(filter) ? [own, 'rest.crm.companies.read'] : [own]
}

export const mayCount = (who: Caller, list: Choice): boolean => scopesOf(list).every((scope) => isAllowed(who, scope))

/** The JSON of a request is at most 32 levels deep. */
function namesCompany(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  return Object.entries(node).some(([name, value]) =>
    name === 'field' && typeof value === 'string' ? value.startsWith(COMPANY) : namesCompany(value),
  )
}
