import { TABLES } from '../lib/pure/nouns.ts'
import type { Database } from '../store/sqlite/driver.ts'

// The ids that records have elsewhere. A record shows one of them, as its external_id; imports know of which product each
// is, so that contact 51 of one product and person 51 of another stay two people: docs/decisions/048-whole-accounts.md.

export type Sourced = 'contact' | 'company' | 'deal'
/** Notes and tasks have no external id of their own: what an import has claimed is all there is of it. */
export type Claimed = Sourced | 'note' | 'task'

/** Of a product that is not known. Such an id matches that of any product. */
export const ANY_SOURCE = ''

/**
 * A record that an id stands for. `as` is the record that had it, which may have been merged into this one; `sources` has
 * the products of which it is known to be the id, with the record that had it there. It is empty if no import said so.
 */
export type Holder = { id: string; as: string; sources: ReadonlyMap<string, string> }

/** For an import that knows of which product the id of a record is, and that others with the same one are of other products. */
export type IdFlags = { other_product?: boolean }

export type Claim = { source: string; record_id: string; import_id: string }

const OBJECTS: readonly Sourced[] = ['contact', 'company', 'deal']
const CLAIMED: readonly Claimed[] = [...OBJECTS, 'note', 'task']
/** Merges into merges: far more than people do. */
const MAX_CHAIN = 100

export type ExternalIds = ReturnType<typeof externalIds>

export function externalIds(db: Database) {
  const all = <Statement>(sql: (table: string) => Statement): Record<Sourced, Statement> =>
    Object.fromEntries(OBJECTS.map((object) => [object, sql(TABLES[object])])) as Record<Sourced, Statement>
  const having = all((table) => db.prepare(`SELECT id FROM ${table} WHERE org_id = ? AND external_id = ?`).pluck())
  const existing = Object.fromEntries(
    CLAIMED.map((object) => [
      object,
      db.prepare(`SELECT 1 FROM ${TABLES[object]} WHERE org_id = ? AND id = ?`).pluck(),
    ]),
  )
  const claimed = db.prepare(
    'SELECT source, record_id, import_id FROM external_ids WHERE org_id = ? AND object = ? AND external_id = ?',
  )
  const claimsOf = db.prepare('SELECT source, external_id FROM external_ids WHERE org_id = ? AND record_id = ?')
  const put = db.prepare(
    `INSERT INTO external_ids (org_id, object, external_id, source, record_id, import_id) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (org_id, object, external_id, source) DO UPDATE
     SET record_id = excluded.record_id, import_id = excluded.import_id`,
  )
  const removeOf = db.prepare('DELETE FROM external_ids WHERE org_id = ? AND import_id = ? AND record_id = ?')
  const ofImport = db.prepare('SELECT DISTINCT record_id FROM external_ids WHERE org_id = ? AND import_id = ?').pluck()
  const mergedWith = db
    .prepare(
      `SELECT merged_id FROM merges INDEXED BY merges_external
       WHERE org_id = ? AND object = ? AND undo ->> '$.merged.external_id' = ? AND undone_at IS NULL`,
    )
    .pluck()
  const mergedNamed = db
    .prepare(
      `SELECT kept_id FROM merges INDEXED BY merges_name
       WHERE org_id = ? AND object = ? AND undo ->> '$.merged.name' = ? AND undone_at IS NULL`,
    )
    .pluck()
  const awayOf = db
    .prepare(
      `SELECT kept_id FROM merges INDEXED BY merges_merged
       WHERE org_id = ? AND object = ? AND merged_id = ? AND undone_at IS NULL`,
    )
    .pluck()
  const recordsMerged = db
    .prepare(
      `SELECT undo -> '$.merged' FROM merges INDEXED BY merges_kept
       WHERE org_id = ? AND object = ? AND kept_id = ? AND undone_at IS NULL`,
    )
    .pluck()
  const into = db
    .prepare(
      `SELECT merged_id FROM merges INDEXED BY merges_kept
       WHERE org_id = ? AND object = ? AND kept_id = ? AND undone_at IS NULL`,
    )
    .pluck()

  /** Returns the record, or the one that it was merged into; undefined if that was deleted. */
  function now(org: number, object: Claimed, id: string): string | undefined {
    let found: string | undefined = id
    for (let count = 0; found !== undefined && count < MAX_CHAIN; count++) {
      if (existing[object]?.get(org, found)) return found
      found = awayOf.get(org, object, found) as string | undefined
    }
    return undefined
  }

  /** Returns the record and all that were merged into it. */
  function withMerged(org: number, object: Sourced, id: string): string[] {
    const ids = [id]
    for (const each of ids) {
      if (ids.length > MAX_CHAIN) break
      ids.push(...(into.all(org, object, each) as string[]).filter((merged) => !ids.includes(merged)))
    }
    return ids
  }

  /** Returns the records that have this id, or that one with it was merged into. */
  function holders(org: number, object: Sourced, externalId: string): Holder[] {
    const found = new Map<string, { as: string; sources: Map<string, string> }>()
    const add = (as: string, source: string): void => {
      const id = now(org, object, as)
      if (id === undefined) return
      const holder = found.get(id) ?? { as, sources: new Map() }
      if (source !== ANY_SOURCE) holder.sources.set(source, as)
      found.set(id, holder)
    }
    // Merged ones first: one that stayed may have the id from them.
    for (const id of mergedWith.all(org, object, externalId) as string[]) add(id, ANY_SOURCE)
    for (const { record_id, source } of claimed.all(org, object, externalId) as Claim[]) add(record_id, source)
    for (const id of having[object].all(org, externalId) as string[]) add(id, ANY_SOURCE)
    return [...found].map(([id, holder]) => ({ id, ...holder }))
  }

  /** Returns the records that an id of a product stands for: that of the product, else those of unknown ones. */
  function find(org: number, object: Sourced, externalId: string, source: string): Holder[] {
    const all = holders(org, object, externalId)
    const own = all.filter(({ sources }) => sources.has(source))
    if (source === ANY_SOURCE) return all
    if (own.length === 0) return all.filter(({ sources }) => sources.size === 0)
    return own.map((each) => ({ ...each, as: each.sources.get(source) as string }))
  }

  /** Returns the record that is what remains of one with this name, which was merged into it. */
  function keptOf(org: number, object: Sourced, name: string): string[] {
    const kept = (mergedNamed.all(org, object, name) as string[]).flatMap((id) => now(org, object, id) ?? [])
    return [...new Set(kept)]
  }

  const sourcesOf = (org: number, object: Sourced, externalId: string, id: string): string[] =>
    (claimed.all(org, object, externalId) as Claim[]).flatMap(({ source, record_id }) =>
      record_id === id && source !== ANY_SOURCE ? [source] : [],
    )

  /** Whether two records may have the same external id: each is known to have it of another product. */
  function mayShare(org: number, object: Sourced, externalId: string, one: string, other: string): boolean {
    const [own, theirs] = [one, other].map((id) => sourcesOf(org, object, externalId, id)) as [string[], string[]]
    return own.length > 0 && theirs.length > 0 && !theirs.some((each) => own.includes(each))
  }

  /** Returns another record with this external id, which may not have the same. */
  function otherWith(org: number, object: Sourced, externalId: string, id: string): string | undefined {
    const others = having[object].all(org, externalId) as string[]
    return others.find((other) => other !== id && !mayShare(org, object, externalId, id, other))
  }

  /** Returns what the records that were merged into this one had. */
  function pastOf(org: number, object: Sourced, id: string): Record<string, unknown>[] {
    const past = withMerged(org, object, id).flatMap((each) => recordsMerged.all(org, object, each) as string[])
    return past.map((record) => JSON.parse(record))
  }

  /** Whether a record, or one that was merged into it, has another id of this product. */
  function hasOther(org: number, object: Sourced, id: string, externalId: string, source: string): boolean {
    return withMerged(org, object, id).some((each) =>
      (claimsOf.all(org, each) as { source: string; external_id: string }[]).some(
        (claim) => claim.source === source && claim.external_id !== externalId,
      ),
    )
  }

  /** Keeps that a product has a record under this id. Call it in the transaction of an import. */
  function claim(org: number, object: Claimed, externalId: string, source: string, id: string, importId: string): void {
    const found = (claimed.all(org, object, externalId) as Claim[]).find((each) => each.source === source)
    if (found && now(org, object, found.record_id) === now(org, object, id)) return
    put.run(org, object, externalId, source, id, importId)
  }

  /** Returns the records that an import has claimed an id for, with the product. */
  const claimsNow = (org: number, object: Claimed, externalId: string): { id: string; source: string }[] =>
    (claimed.all(org, object, externalId) as Claim[]).flatMap(({ source, record_id }) => {
      const id = now(org, object, record_id)
      return id === undefined ? [] : [{ id, source }]
    })

  return {
    now,
    claimsNow,
    /** Whether an import has claimed an id for the record. */
    isClaimed: (org: number, id: string): boolean => claimsOf.get(org, id) !== undefined,
    find,
    holders,
    keptOf,
    otherWith,
    mayShare,
    pastOf,
    /** The records for which products have an id, as they were when they were imported: they may be merged by now. */
    claims: (org: number, object: Sourced, externalId: string): Claim[] =>
      claimed.all(org, object, externalId) as Claim[],
    hasOther,
    claim,
    /** The records that an import has claimed ids for. */
    claimedBy: (org: number, importId: string): string[] => ofImport.all(org, importId) as string[],
    unclaim: (org: number, importId: string, id: string): void => void removeOf.run(org, importId, id),
  }
}
