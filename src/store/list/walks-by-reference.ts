import type { Statement } from '../sqlite/driver.ts'
import {
  partOf,
  type ReferenceSort,
  type Referred,
  readReferredKey,
  type references,
  referredKey,
} from './by-reference.ts'
import type { Group } from './condition-sql.ts'
import type { ListQuery, Position, Sort } from './query.ts'
import type { Lead, Take, Walk } from './walk.ts'

// Reads a list that is sorted by a reference: one walk for each record that its rows refer to, or, where few rows fit, a
// single one that sorts them.

type Parts = {
  table: string
  references: ReturnType<typeof references>
  prepare: (text: string) => Statement
  checkPosition: (sort: Sort, position: Position) => void
}

/** How the list reads the rows of one value. */
type Walks = {
  leadOf: (org: number, ask: ListQuery) => Lead
  walkOf: (org: number, ask: ListQuery, lead: Lead, nulls: boolean) => Walk
  skipped: (org: number, ask: ListQuery, lead: Lead, skip: number) => Position | undefined
  /** The condition that few rows meet. */
  narrowIn: (org: number, ask: ListQuery) => Group | undefined
}

export function walksByReference({ table, references, prepare, checkPosition }: Parts, walks: Walks) {
  const { leadOf, walkOf, skipped, narrowIn } = walks

  function read(org: number, asked: ListQuery, take: Take): { ask: ListQuery; count: number } {
    if (asked.after) checkPosition(asked.sort, asked.after)
    const narrow = narrowIn(org, asked)
    const ask = asked.skip ? behindSkipped(org, asked, narrow) : asked
    let count = 0
    if (!ask) return { ask: asked, count }
    const { after, limit } = ask
    const isFull = (part: ListQuery): boolean => {
      count = take(walkOf(org, part, leadOf(org, part), false), limit + 1 - count)
      return count > limit
    }
    const begun = after && readReferredKey(after.key)
    const isInNone = after !== undefined && !begun
    if (narrow && !isInNone) count = take(references.few(org, ask, narrow), limit + 1)
    if (!narrow && begun && isFull(partOf(ask, begun.id, after))) return { ask, count }
    for (const { id } of narrow || isInNone ? [] : references.next(org, ask, begun))
      if (isFull(partOf(ask, id, undefined))) return { ask, count }
    if (ask.sort.nullable && count <= limit) isFull(partOf(ask, null, isInNone ? after : undefined))
    return { ask, count }
  }

  /** The query from its first record on; undefined if it skips all of them. */
  function behindSkipped(org: number, ask: ListQuery, narrow: Group | undefined): ListQuery | undefined {
    const after = positionBehind(org, ask, narrow, ask.skip as number)
    return after && { ...ask, after, skip: undefined }
  }

  function positionBehind(org: number, ask: ListQuery, narrow: Group | undefined, skip: number): Position | undefined {
    if (!narrow) {
      const found = references.at(org, ask, skip)
      return found
        ? lastOf(org, ask, found.referred, skip - found.before)
        : lastOf(org, ask, null, skip - references.count(org, ask))
    }
    const { sql, values } = references.few(org, ask, narrow)
    const row = prepare(`SELECT ${table}.id ${sql} LIMIT 1 OFFSET ?`).get(...values, skip - 1) as [string] | undefined
    if (row) return { key: references.keyAt(org, ask.sort as ReferenceSort, row[0]), id: row[0] }
    const [count] = prepare(`SELECT count(*) FROM (SELECT 1 ${sql})`).get(...values) as [number]
    return lastOf(org, ask, null, skip - count)
  }

  /** The position of the last row that is skipped, of those that refer to one record or to none. */
  function lastOf(org: number, ask: ListQuery, of: Referred | null, skip: number): Position | undefined {
    if (!of && !ask.sort.nullable) return undefined
    const part = partOf(ask, of?.id ?? null, undefined)
    const last = skipped(org, part, leadOf(org, part), skip)
    return last && { key: of ? referredKey(of) : null, id: last.id }
  }

  return { read, keyAt: references.keyAt }
}
