import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { conflict, type FieldError } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys } from '../../store/settings/changes.ts'
import { key, type Outcome, outcome } from '../../store/settings/fields.ts'
import { settingsTable } from '../../store/settings/table.ts'
import { type CloseReasonRow, rowColumns } from './close-reasons.ts'

export const CloseReasonSettings = f.object({ key, name: f.title, outcome, is_active: f.optional(f.flag) })
export type CloseReasonSettings = v.InferOutput<typeof CloseReasonSettings>

export const checkCloseReasons = (given: readonly CloseReasonSettings[]): FieldError[] =>
  repeatedKeys(
    '/close_reasons',
    given.map((reason) => reason.key),
  )

const FIELDS = ['name', 'outcome', 'position', 'is_active']

/** Call `apply` in a transaction. */
export function closeReasonSettings(store: Pick<Store, 'db' | 'clock'>) {
  const { all, create, save, removeUnused } = settingsTable(store, 'close_reasons', rowColumns, 'position')
  const isUsed = store.db.prepare('SELECT 1 FROM deals WHERE org_id = ? AND close_reason_id = ? LIMIT 1').pluck()

  function show(org: number): CloseReasonSettings[] {
    return all(org).map(({ key, name, outcome, is_active }) => ({ key, name, outcome, is_active }))
  }

  function apply(org: number, given: readonly CloseReasonSettings[]): Change[] {
    const before = new Map(all(org).map((reason) => [reason.key, reason]))
    const changes: Change[] = []
    for (const [position, { is_active = true, ...rest }] of given.entries()) {
      const existing = before.get(rest.key)
      before.delete(rest.key)
      const wanted = { ...rest, position, is_active }
      if (existing && existing.outcome !== wanted.outcome) checkUnused(org, existing, wanted.outcome)
      const after = existing ? save(org, existing, wanted) : create(org, wanted)
      changes.push(...changesOf('close_reasons', rest.key, existing, after, FIELDS))
    }
    let position = given.length // removed but used reasons come after the others
    for (const removed of before.values()) {
      const after = removeUnused(org, removed.id)
        ? undefined
        : save(org, removed, { is_active: false, position: position++ })
      changes.push(...changesOf('close_reasons', removed.key, removed, after, FIELDS))
    }
    return changes
  }

  function checkUnused(org: number, { id, key, outcome }: CloseReasonRow, wanted: Outcome): void {
    if (!isUsed.get(org, id)) return
    throw conflict(
      'close_reason_in_use',
      `The close reason "${key}" cannot change from ${outcome} to ${wanted} because deals were closed with it. Add a new reason, and set is_active of this one to false.`,
    )
  }

  return { show, apply }
}
