import { setImmediate as turn } from 'node:timers/promises'
import { resourceDeps } from '../../app/deps.ts'
import { mergeJournal } from '../../cleanup/merges/journal.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { TABLES } from '../../lib/pure/nouns.ts'
import { externalIds } from '../../records/external-ids.ts'
import { batches, type Pace } from '../../store/batches.ts'
import type { CommandStore } from '../../store/open.ts'
import { foreignKeys, referrer } from '../../store/schema/foreign-keys.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { type Alone, inBatch, inBulk, MAX_BATCH, whileRoom } from '../bulk.ts'
import type { Given, Writable } from '../writable.ts'
import { allWrites } from '../writes.ts'
import { type JournalRow, journal, type RecordRows } from './journal.ts'
import { importStates } from './states.ts'

/** The result of an undo: records deleted and restored, and those left unchanged with the reason. */
export type Undone = { id: string; deleted: number; restored: number; kept: Kept[] }
export type Kept = { object: Writable; id: string; reason: string }

type IsAsLeft = (record: { id: string }) => boolean

type UndoOptions = { org: number; id: string; onProgress?: (records: number) => void; pace?: Pace }

const ABOVE_ALL_IDS = '~'

/**
 * Deletes what an import created and restores what it changed, in batches of one transaction each. Records that have
 * changed since, or that others refer to, stay unchanged. If it is interrupted or records stay, it can be called again
 * to continue. Throws Problem 404, and 409 if the import was already undone.
 */
export function undoImport(store: CommandStore, options: UndoOptions): Promise<Undone> {
  return inBulk(store, () => run(store, options))
}

async function run(store: CommandStore, { org, id, onProgress, pace }: UndoOptions): Promise<Undone> {
  const importJournal = journal(store)
  const batch = batches(store, pace)
  const undo = undoer(store, { org, member: null })
  const ids = externalIds(store.db)
  const merges = mergeJournal({ db: store.db, clock: store.clock })
  const undone: Undone = { id, deleted: 0, restored: 0, kept: [] }
  const given = importJournal.find(org, id)
  if (!given) throw new Problem(404, 'no_such_import', `There is no import ${id} in this organisation.`)
  if (!importJournal.startUndo(org, id)) throw conflict('undone_already', `The import ${id} was already undone.`)

  const statesOf = importStates(store.db)

  /** A merge that changes nothing leaves the version: with the record, the other one would be gone. */
  function hasMerged(object: Writable, record: string): boolean {
    if (object !== 'contact' && object !== 'company') return false
    return merges.into(org, object, record).some((merged) => !importJournal.hasCreated(org, id, merged))
  }

  function takeBack({ object, id: record, rows }: RecordRows, isAsLeft: IsAsLeft, alone: Alone): Kept | undefined {
    return alone(
      () => {
        if (phaseOf({ object, id: record, rows }) === 'deleted' && hasMerged(object, record))
          throw conflict('has_merged', 'has another record in it, which was merged into it')
        undo({ object, id: record, rows }, isAsLeft)
        importJournal.setUndone(org, id, record)
        ids.unclaim(org, id, record)
        return undefined
      },
      ({ status, message }) => ({ object, id: record, reason: status === 404 ? 'was deleted since then' : message }),
    )
  }

  // Updates first: a restored record may no longer refer to one that was created.
  for (const phase of ['restored', 'deleted'] as const) {
    let below = ABOVE_ALL_IDS
    for (;;) {
      const records = importJournal.recordsOf(org, id, below, MAX_BATCH)
      const last = records.at(-1)
      if (!last) break
      let chosen = records.filter((record) => phaseOf(record) === phase)
      const isAsLeft = statesOf(org, given, undo.changed(chosen))
      while (chosen.length > 0) {
        const done = inBatch(store, batch, org, (alone, isFull) =>
          whileRoom(chosen, isFull, (record) => ({ left: takeBack(record, isAsLeft, alone) })),
        )
        const left = done.flatMap((each) => each.left ?? [])
        undone.kept.push(...left)
        undone[phase] += done.length - left.length
        onProgress?.(undone.restored + undone.deleted)
        chosen = chosen.slice(done.length)
        await turn()
      }
      below = last.id
    }
  }
  const stayed = new Set(undone.kept.map((kept) => kept.id))
  const claimed = ids.claimedBy(org, id).filter((record) => !stayed.has(record)) // of records that were not changed
  while (claimed.length > 0)
    inBatch(store, batch, org, (_, isFull) =>
      whileRoom(claimed.splice(0, MAX_BATCH), isFull, (record) => ids.unclaim(org, id, record)),
    )
  // Records that stayed can be undone later, when nothing prevents it any more.
  if (undone.kept.length === 0) store.transaction(() => importJournal.endUndo(org, id))
  return undone
}

const phaseOf = ({ rows }: RecordRows): 'restored' | 'deleted' =>
  rows.some(({ action }) => action === 'created') ? 'deleted' : 'restored'

/** Returns a function that undoes one record; it throws 404, 409 or 422 if the record has to stay. */
function undoer(store: CommandStore, who: Caller) {
  const writes = allWrites(resourceDeps(store))
  const usersOf = usage(store.db)

  const undo = (record: RecordRows, isAsLeft: IsAsLeft): void => {
    const { object, id, rows } = record
    const { find, patch, remove, reopen } = writes[object]
    let stored = find(who, id)
    if (stored.version !== rows.at(-1)?.version && !isAsLeft(stored))
      throw conflict('changed_since', 'was changed since then')
    if (phaseOf(record) === 'restored') {
      const { stage, ...fields } = beforeAll(rows)
      const isClosed = stage !== undefined && stored.status !== 'open'
      if (isClosed && reopen) stored = reopen(who, stored, stage as string)
      return void patch(who, stored, stage === undefined || isClosed ? fields : { ...fields, stage })
    }
    const users = usersOf(object, who.org, id)
    if (users.length > 0) throw conflict('in_use', `is used by ${users.join(', ')}`)
    remove(who, stored)
  }

  /** The records that have another version than the import left, with that one. */
  function changed(records: readonly RecordRows[]): Map<string, number> {
    const left = records.map(({ id, rows }): [string, number] => [id, rows.at(-1)?.version ?? 0])
    return new Map(left.filter(([id, version], index) => versionOf(records[index] as RecordRows, id) !== version))
  }

  function versionOf({ object }: RecordRows, id: string): number | undefined {
    try {
      return writes[object].find(who, id).version
    } catch {
      return undefined // deleted since
    }
  }

  return Object.assign(undo, { changed })
}

/** Returns the fields as they were before the first row that changed them; custom fields are merged by key. */
function beforeAll(rows: readonly JournalRow[]): Given {
  const fields: Given = {}
  for (const { before } of rows.toReversed()) {
    const custom_fields = { ...(fields.custom_fields as Given), ...(before?.custom_fields as Given) }
    Object.assign(fields, before, Object.keys(custom_fields).length > 0 ? { custom_fields } : {})
  }
  return fields
}

/** A pipeline is always used by its stages, which are removed with it unless deals are in them. */
const USED: readonly Exclude<Writable, 'pipeline'>[] = [
  'contact',
  'company',
  'deal',
  'tag',
  'note',
  'task',
  'meeting',
  'stage',
  'custom_field',
]

/**
 * Returns the tables that refer to a record. Its own parts, deleted with it, do not count; but any record with a tag
 * uses the tag.
 */
function usage(db: Database): (object: Writable, org: number, id: string) => string[] {
  const references = foreignKeys(db).flatMap(({ columns, ...key }) =>
    columns.filter(({ from }) => from !== 'org_id').map(({ from }) => ({ ...key, from })),
  )
  const probes = Object.fromEntries(
    USED.map((object) => [
      object,
      references
        .filter((each) => each.target === TABLES[object] && (!each.isCascade || object === 'tag'))
        .map(({ table, from }) => ({
          // The newest rows of a table may be in one of their own.
          name: table.replace(/_pending$/, '').replaceAll('_', ' '),
          refers: referrer(db, table, from),
        })),
    ]),
  )
  return (object, org, id) => {
    const names = (probes[object] ?? []).filter(({ refers }) => refers(org, id)).map(({ name }) => name)
    return [...new Set(names)]
  }
}
