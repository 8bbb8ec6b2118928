import { signal } from '@preact/signals'
import { hasRole } from '../../../data/may.ts'
import { format } from '../../../lib/locale.ts'
import type { Command } from '../../../shell/commands/registry.ts'
import { type Change, changeMany } from '../../../tables/bulk.ts'
import { extended, NONE, type Selection, toggled } from '../../../tables/table/selection.ts'
import { texts } from './texts.ts'

// Which conversations of the list are chosen, and what is done with all of them.

export const selection = signal<Selection>(NONE)

export const chosenIds = (): readonly string[] => [...selection.value.ids]

export const clear = (): void => {
  selection.value = NONE
}

/** What the list shows anew, once a change of many is done. */
let renew: () => void = () => undefined
export const setRenew = (run: () => void): void => {
  renew = run
}

/** Changes them as one, with one way back. Who closes them has no more use for the selection. */
export async function changeAll(
  ids: readonly string[],
  change: Change,
  said: (count: number, number: string) => string = texts().changed,
): Promise<void> {
  if (change.patch?.status !== undefined) clear()
  await changeMany('conversations', { ids }, change, (count) => said(count, format.peek().number(count)))
  renew()
}

export const closeAll = (ids: readonly string[]): Promise<void> =>
  changeAll(ids, { patch: { status: 'closed' } }, texts().closed)

export const giveByLoad = (ids: readonly string[]): Promise<void> =>
  changeAll(ids, { assign_by_load: true }, texts().given)

export const moveAll = (ids: readonly string[], mailbox_id: string): Promise<void> =>
  changeAll(ids, { mailbox_id }, texts().moved)

export function toggle(id: string, row: number): void {
  selection.value = toggled(selection.peek(), id, row)
}

type List = {
  /** The row that has the focus, or is open. */
  row: () => number
  idAt: (row: number) => string | undefined
  go: (row: number) => void
  total: () => number
}

export function selectCommands({ row, idAt, go, total }: List): Command[] {
  const words = texts
  const can = () => hasRole('member') && idAt(row()) !== undefined
  function extend(by: number): void {
    const from = row()
    const id = idAt(from)
    if (id === undefined) return
    const before = selection.peek()
    const begun = before.ids.has(id) ? { ...before, anchor: before.anchor ?? from } : toggled(before, id, from)
    const next = Math.max(0, Math.min(total() - 1, from + by))
    selection.value = extended(begun, next, idAt)
    go(next)
  }
  const hidden = { group: 'list', isHidden: true, when: can } as const
  return [
    {
      id: 'inbox.select',
      title: () => words().select,
      group: 'list',
      keys: 'x',
      icon: 'check',
      when: can,
      run: () => toggle(idAt(row()) as string, row()),
    },
    { id: 'inbox.extend-down', title: () => words().extendDown, keys: 'shift+j', ...hidden, run: () => extend(1) },
    { id: 'inbox.extend-up', title: () => words().extendUp, keys: 'shift+k', ...hidden, run: () => extend(-1) },
    {
      id: 'inbox.clear',
      title: () => words().clearSelection,
      group: 'list',
      keys: 'Escape',
      isHidden: true,
      when: () => selection.value !== NONE,
      run: clear,
    },
  ]
}
