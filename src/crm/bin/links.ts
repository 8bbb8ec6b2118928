import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { Problem } from '../../lib/problem.ts'
import type { referringRecords } from '../merges/referring.ts'
import type { LinkedRecords } from '../records/links.ts'
import type { LeftOut } from './references.ts'

type Person = { contact_id: string | null }

/** Gives the records that referred to a restored one their reference back, each as by a caller, with its event. */
export function linksBack(records: ReturnType<typeof referringRecords>) {
  return function giveBack(who: Caller, id: string, all: readonly LinkedRecords[]): LeftOut[] {
    return all.flatMap(({ object, field, records: linked }) =>
      linked.flatMap(([record, before]): LeftOut[] => {
        const reason = giveOne(who, object, field, record, id, before)
        return reason ? [{ object, id: record, field, reason }] : []
      }),
    )
  }

  function giveOne(
    who: Caller,
    object: LinkedRecords['object'],
    field: string,
    record: string,
    id: string,
    before: unknown[] | undefined,
  ): string | undefined {
    const { columns, find, patch } = records[object]
    try {
      const stored = columns.present(find(who, record)) as Stored
      const value = givenBack(stored[field], id, before)
      if (value === undefined) return 'changed'
      patch(who, stored as never, { [field]: value } as never)
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error.status === 404 ? 'deleted' : error.code
    }
  }
}

/** The value with the reference again; undefined if it was changed since. */
function givenBack(now: unknown, id: string, before: unknown[] | undefined): unknown {
  if (before) {
    const cleared = (before as Person[]).map((each) => (each.contact_id === id ? { ...each, contact_id: null } : each))
    return same(now, cleared) ? before : undefined
  }
  if (Array.isArray(now)) return now.includes(id) ? now : [...now, id]
  return now === null ? id : undefined
}
