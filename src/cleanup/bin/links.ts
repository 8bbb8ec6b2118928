import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { Problem } from '../../lib/problem.ts'
import { type Noun, TABLES } from '../../lib/pure/nouns.ts'
import { LINKS, type Link, type LinkedRecords } from '../../records/links.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { referringRecords } from '../merges/referring.ts'
import type { LeftOut } from './references.ts'

type Person = { contact_id: string | null }

/** Of records, by object. */
export type Counts = Record<string, number>

/** Gives the records that referred to a restored one their reference back, each as by a caller, with its event. */
export function linksBack(db: Database, records: ReturnType<typeof referringRecords>) {
  const free = new Map(
    Object.values(LINKS)
      .flat()
      .map((link) => [`${link.object} ${link.field}`, db.prepare(freeOnes(link)).pluck()]),
  )

  /** `brought` counts the records that have their reference again. */
  function giveBack(who: Caller, id: string, all: readonly LinkedRecords[]): { left: LeftOut[]; brought: Counts } {
    const left: LeftOut[] = []
    const brought: Counts = {}
    for (const { object, field, records: linked } of all)
      for (const [record, before] of linked) {
        const reason = giveOne(who, object, field, record, id, before)
        if (reason) left.push({ object, id: record, field, reason })
        else brought[object] = (brought[object] ?? 0) + 1
      }
    return { left, brought }
  }

  /** How many of the records are there and have no other reference since. */
  function count(org: number, all: readonly LinkedRecords[]): Counts {
    const counts: Counts = {}
    for (const { object, field, records: linked } of all) {
      const ids = JSON.stringify(linked.map(([id]) => id))
      const statement = free.get(`${object} ${field}`)
      const found = (statement?.get(org, ids) as number | undefined) ?? 0
      if (found > 0) counts[object] = (counts[object] ?? 0) + found
    }
    return counts
  }

  return { giveBack, count }

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
      const stored = columns.present(find(who, record))
      const value = givenBack(stored[field], id, before)
      if (value === undefined) return 'changed'
      patch(who, stored, { [field]: value })
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error.status === 404 ? 'deleted' : error.code
    }
  }
}

/** Counts those of a JSON array of ids that could take a reference. Those with several can take any. */
function freeOnes({ object, table, key, column }: Link): string {
  const [from, isFree] = key === 'id' ? [table, ` AND ${column} IS NULL`] : [TABLES[object as Noun], '']
  return `SELECT count(*) FROM ${from} WHERE org_id = ? AND id IN (SELECT value FROM json_each(?))${isFree}`
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
