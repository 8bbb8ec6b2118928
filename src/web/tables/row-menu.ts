import { record } from '../data/records.ts'
import type { Rec } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import type { Anchor } from '../lib/place.ts'
import { anchorOf, openContextMenu } from '../shell/commands/context-menu.tsx'
import type { ListContext } from './list-context.ts'
import { countOf, isSelected } from './table/selection.ts'
import { texts as words } from './table/texts.ts'

// Those of deals are left out where there are none.
const OF_ROW = [
  ['open', 'open-tab', 'peek', 'select'],
  ['edit', 'stage', 'owner', 'tags', 'amount', 'date', 'list', 'enroll', 'note'],
  ['won', 'lost'],
  ['copy-link', 'delete'],
]
const OF_SELECTION = [
  ['clear'],
  ['stage', 'owner', 'tags', 'amount', 'date', 'list', 'enroll'],
  ['won', 'lost'],
  ['delete'],
]

/** The menu of the row under the pointer: it acts on the whole selection if the row is part of it. */
export function openRowMenu(list: ListContext, at: MouseEvent | HTMLElement, id: string): void {
  const { kind, state } = list
  const anchor: Anchor = at instanceof HTMLElement ? at : anchorOf(at)
  const named = (groups: string[][]) => groups.map((group) => group.map((name) => `${kind}.${name}`))
  const selection = state.selection.peek()
  const count = countOf(selection, list.rows.current?.total.peek() ?? 0)
  if (isSelected(selection, id) && count > 1) {
    const label = words().selected(format.peek().number(count))
    openContextMenu(anchor, label, named(OF_SELECTION), { kind, ids: [id] })
    return
  }
  const found = record(kind, id).peek() as Rec | null | undefined
  const label = words().menuOf(String(found?.name ?? found?.title ?? ''))
  openContextMenu(anchor, label, named(OF_ROW), { kind, ids: [id], isAside: true })
}
