import { setImmediate as turn } from 'node:timers/promises'
import type { Caller } from '../../lib/caller.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { resourceDeps } from '../../resource-deps.ts'
import { batches, type Pace } from '../../store/batches.ts'
import type { Database } from '../../store/driver.ts'
import { foreignKeys, referrer } from '../../store/foreign-keys.ts'
import type { Store } from '../../store/open.ts'
import { type Alone, inBatch, inBulk, MAX_BATCH, whileRoom } from '../bulk.ts'
import { allWrites, type Given, type Writable } from '../writes.ts'
import { type JournalRow, journal, type RecordRows } from './journal.ts'

/** What taking an import back did: records deleted and put back, and those that stay, each with the reason. */
export type Undone = { id: string; deleted: number; restored: number; kept: Kept[] }
export type Kept = { object: Writable; id: string; reason: string }

type UndoOptions = { org: number; id: string; onProgress?: (records: number) => void; pace?: Pace }

const ABOVE_ALL_IDS = '~'

/**
 * Deletes what an import created and puts back what it changed, in batches of one transaction each. A record that was
 * changed since stays as it is, and so does one that others refer to. Cut off, or with records that had to stay, it goes
 * on when it is called again. Throws Problem 404, and 409 for an import that was taken back already.
 */
export function undoImport(store: Store, options: UndoOptions): Promise<Undone> {
  return inBulk(store, () => run(store, options))
}

async function run(store: Store, { org, id, onProgress, pace }: UndoOptions): Promise<Undone> {
  const kept = journal(store)
  const batch = batches(store, pace)
  const undo = undoer(store, { org, member: null })
  const undone: Undone = { id, deleted: 0, restored: 0, kept: [] }
  if (!kept.find(org, id)) throw new Problem(404, 'no_such_import', `There is no import ${id} in this organisation.`)
  if (!kept.startUndo(org, id)) throw conflict('undone_already', `The import ${id} was taken back already.`)

  function takeBack({ object, id: record, rows }: RecordRows, alone: Alone): Kept | undefined {
    return alone(
      () => {
        undo({ object, id: record, rows })
        kept.setUndone(org, id, record)
        return undefined
      },
      ({ status, message }) => ({ object, id: record, reason: status === 404 ? 'was deleted since' : message }),
    )
  }

  // Updates first: a record that is put back may let go of one that was created.
  for (const phase of ['restored', 'deleted'] as const) {
    let below = ABOVE_ALL_IDS
    for (;;) {
      const records = kept.recordsOf(org, id, below, MAX_BATCH)
      const last = records.at(-1)
      if (!last) break
      let chosen = records.filter((record) => phaseOf(record) === phase)
      while (chosen.length > 0) {
        const done = inBatch(store, batch, (alone, isFull) =>
          whileRoom(chosen, isFull, (record) => ({ left: takeBack(record, alone) })),
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
  // What had to stay can be taken back later, when nothing is in the way any more.
  if (undone.kept.length === 0) store.transaction(() => kept.endUndo(org, id))
  return undone
}

const phaseOf = ({ rows }: RecordRows): 'restored' | 'deleted' =>
  rows.some(({ action }) => action === 'created') ? 'deleted' : 'restored'

/** Takes one record back; throws 404, 409 and 422 for one that has to stay as it is. */
function undoer(store: Store, who: Caller): (record: RecordRows) => void {
  const writes = allWrites(resourceDeps(store))
  const usersOf = usage(store.db)

  return (record) => {
    const { object, id, rows } = record
    const { find, patch, remove } = writes[object]
    const stored = find(who, id)
    if (stored.version !== rows.at(-1)?.version) throw conflict('changed_since', 'was changed since')
    if (phaseOf(record) === 'restored') return void patch(who, stored, beforeAll(rows))
    const users = usersOf(object, who.org, id)
    if (users.length > 0) throw conflict('in_use', `is used by ${users.join(', ')}`)
    remove(who, stored)
  }
}

/** The fields as they were before the first row that changed them; custom fields are fields of their own. */
function beforeAll(rows: readonly JournalRow[]): Given {
  const fields: Given = {}
  for (const { before } of rows.toReversed()) {
    const custom_fields = { ...(fields.custom_fields as Given), ...(before?.custom_fields as Given) }
    Object.assign(fields, before, Object.keys(custom_fields).length > 0 ? { custom_fields } : {})
  }
  return fields
}

const TABLES: Record<Writable, string> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  tag: 'tags',
  meeting: 'meetings',
}

/** The tables whose rows refer to a record. Its own parts, which go with it, are none; but whatever has a tag uses it. */
function usage(db: Database): (object: Writable, org: number, id: string) => string[] {
  const references = foreignKeys(db).flatMap(({ columns, ...key }) =>
    columns.filter(({ from }) => from !== 'org_id').map(({ from }) => ({ ...key, from })),
  )
  const probes = Object.fromEntries(
    Object.entries(TABLES).map(([object, target]) => [
      object,
      references
        .filter((each) => each.target === target && (!each.isCascade || object === 'tag'))
        .map(({ table, from }) => ({
          name: table.replaceAll('_', ' '),
          refers: referrer(db, table, from),
        })),
    ]),
  )
  return (object, org, id) => (probes[object] ?? []).filter(({ refers }) => refers(org, id)).map(({ name }) => name)
}
