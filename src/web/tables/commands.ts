import { mayWrite } from '../data/may.ts'
import { whole } from '../lib/base.ts'
import { openTab } from '../lib/router/links.ts'
import { navigate } from '../lib/router.ts'
import { isPeekWide } from '../lib/widths.ts'
import { type Command, type CommandContext, provideTargets, register } from '../shell/commands/registry.ts'
import { copyText } from '../shell/copy.ts'
import { openPeek } from '../shell/peek.ts'
import { changeMany, targetOf } from './bulk.ts'
import { dealCommands } from './deals/commands.ts'
import { isCondition, ME } from './filters/conditions.ts'
import type { ListContext, ListPopup } from './list-context.ts'
import { openRowMenu } from './row-menu.ts'
import { extended, isSelected, NONE, toggled } from './table/selection.ts'
import { texts as words } from './table/texts.ts'
import { texts } from './texts.ts'

/** Registers what can be done with the rows of a table, while it is on the page. */
export function registerTable(list: ListContext): () => void {
  const { kind, state } = list
  const focusedId = (): string | undefined => list.rows.current?.idAt(state.focus.peek().row)
  const targets = (): string[] => {
    const selection = state.selection.peek()
    const chosen = (list.rows.current?.loadedIds() ?? []).filter((id) => isSelected(selection, id))
    const own = focusedId()
    return chosen.length > 0 ? chosen : own === undefined ? [] : [own]
  }
  const off = [provideTargets(() => ({ kind, ids: targets() })), register(commandsOf(list, focusedId))]
  return () => {
    for (const each of off) each()
  }
}

function commandsOf(list: ListContext, focusedId: () => string | undefined): Command[] {
  const { kind, state } = list
  const row = () => words().row
  const { focus, selection } = state
  const total = () => list.rows.current?.total.peek() ?? 0
  const go = (step: number) => {
    focus.value = { ...focus.peek(), row: Math.max(0, Math.min(total() - 1, focus.peek().row + step)) }
    state.toFocus.current?.()
  }
  const extend = (step: number) => {
    const { rows } = list
    const from = focus.peek().row
    const own = focusedId()
    if (own === undefined || !rows.current) return
    if (!isSelected(selection.peek(), own)) selection.value = toggled(selection.peek(), own, from)
    else if (selection.peek().anchor === undefined) selection.value = { ...selection.peek(), anchor: from }
    go(step)
    selection.value = extended(selection.peek(), focus.peek().row, rows.current.idAt)
  }
  const hasRow = () => focusedId() !== undefined
  const canWrite = () => hasRow() && mayWrite()
  /** The row that is meant instead of the selection: there is none, or the menu of another row was opened. */
  const aside = ({ targets }: CommandContext): readonly string[] | undefined => {
    if (targets?.isAside) return targets.ids
    if (selection.peek().isAll || selection.peek().ids.size > 0) return undefined
    const own = focusedId()
    return own === undefined ? [] : [own]
  }
  const hidden = { group: 'list', isHidden: true } as const
  const popup = (name: ListPopup['name']) => (context: CommandContext) => {
    list.popup.value = { name, ids: aside(context) }
  }
  return [
    {
      id: `${kind}.first`,
      title: () => row().first,
      keys: 'Home',
      ...hidden,
      when: isOutsidePanel,
      run: () => go(-total()),
    },
    {
      id: `${kind}.last`,
      title: () => row().last,
      keys: 'End',
      ...hidden,
      when: isOutsidePanel,
      run: () => go(total()),
    },
    {
      id: `${kind}.menu`,
      title: () => row().menu,
      keys: 'shift+F10',
      ...hidden,
      when: (context) => hasRow() && isInCell(context),
      run: ({ element }) => openRowMenu(list, element as HTMLElement, focusedId() as string),
    },
    { id: `${kind}.next`, title: () => row().next, keys: 'j', ...hidden, run: () => go(1) },
    { id: `${kind}.previous`, title: () => row().previous, keys: 'k', ...hidden, run: () => go(-1) },
    {
      id: `${kind}.extend-down`,
      title: () => row().extendDown,
      keys: 'shift+j',
      ...hidden,
      when: canWrite,
      run: () => extend(1),
    },
    {
      id: `${kind}.extend-up`,
      title: () => row().extendUp,
      keys: 'shift+k',
      ...hidden,
      when: canWrite,
      run: () => extend(-1),
    },
    {
      id: `${kind}.select`,
      title: () => row().select,
      keys: 'x',
      icon: 'check',
      group: 'list',
      when: canWrite,
      run: () => {
        const own = focusedId()
        if (own !== undefined) selection.value = toggled(selection.peek(), own, focus.peek().row)
      },
    },
    {
      id: `${kind}.clear`,
      title: () => row().clear,
      keys: 'Escape',
      ...hidden,
      when: () => selection.value !== NONE,
      run: () => {
        selection.value = NONE
      },
    },
    {
      id: `${kind}.open`,
      title: () => row().open,
      icon: 'to',
      group: 'record',
      when: hasRow,
      run: () => navigate(`/${kind}/${focusedId()}`),
    },
    {
      id: `${kind}.open-tab`,
      title: () => row().openTab,
      icon: 'to',
      group: 'record',
      when: hasRow,
      run: () => openTab(`/${kind}/${focusedId()}`),
    },
    {
      id: `${kind}.peek`,
      title: () => row().peek,
      keys: 'Space',
      icon: 'eye',
      group: 'record',
      when: () => hasRow() && isPeekWide.value,
      run: () => openPeek(kind, focusedId() as string),
    },
    {
      id: `${kind}.edit`,
      title: () => row().edit,
      keys: 'e',
      icon: 'pen',
      group: 'list',
      when: (context) => canWrite() && isInCell(context),
      run: () => {
        const { row: at, column } = focus.peek()
        state.editing.value = { row: at, column }
      },
    },
    {
      id: `${kind}.owner`,
      title: () => row().owner,
      keys: 'a',
      icon: 'person',
      group: 'record',
      when: canWrite,
      run: popup('owner'),
    },
    {
      id: `${kind}.tags`,
      title: () => row().tags,
      keys: 't',
      icon: 'tag',
      group: 'record',
      when: canWrite,
      run: popup('tags'),
    },
    ...(kind === 'deals' ? dealCommands(popup, canWrite) : []),
    {
      id: `${kind}.list`,
      title: () => texts().bulk.list,
      icon: 'list',
      group: 'record',
      when: canWrite,
      run: popup('list'),
    },
    {
      id: `${kind}.note`,
      title: () => texts().commands.note,
      keys: 'n',
      icon: 'note',
      group: 'record',
      when: canWrite,
      run: () => navigate(`/${kind}/${focusedId()}?compose=note`),
    },
    {
      id: `${kind}.copy-link`,
      title: () => row().copyLink,
      icon: 'link',
      group: 'record',
      when: hasRow,
      run: () => copyText(whole(`/${kind}/${focusedId()}`), row().linkCopied),
    },
    {
      id: `${kind}.delete`,
      title: () => row().remove,
      keys: 'Backspace',
      icon: 'trash',
      group: 'record',
      isDanger: true,
      when: canWrite,
      run: async (context) => {
        const ids = aside(context)
        const wanted = ids ? { ids } : targetOf(selection.peek(), list.asked.peek(), total())
        if (!ids) selection.value = NONE
        await changeMany(kind, wanted, { delete: true }, texts()[kind].deleted)
      },
    },
    ...(list.isPart ? [] : viewCommands(list)),
    {
      id: `${kind}.columns`,
      title: () => row().columns,
      icon: 'col',
      group: 'view',
      run: () => {
        list.popup.value = { name: 'columns' }
      },
    },
  ]
}

/** What can be done with the view. */
function viewCommands(list: ListContext): Command[] {
  const { kind } = list
  const row = () => words().row
  return [
    {
      id: `${kind}.filter`,
      title: () => row().filter,
      keys: 'f',
      icon: 'filter',
      group: 'view',
      run: () => {
        list.filterOpen.value = 'new'
      },
    },
    {
      id: `${kind}.mine`,
      title: () => texts().commands.mine,
      keys: 'm',
      icon: 'person',
      group: 'view',
      run: () => {
        const { state: now, change } = list.address.peek()
        const others = now.conditions.filter((part) => !isCondition(part) || part.field !== 'owner_id')
        const isMine = others.length !== now.conditions.length
        return change({
          conditions: isMine ? others : [{ field: 'owner_id', op: 'in', value: [ME] }, ...others],
        })
      },
    },
    {
      id: `${kind}.search`,
      title: () => row().search,
      keys: '/',
      icon: 'search',
      group: 'view',
      run: () => document.querySelector<HTMLInputElement>('.view-search input')?.focus(),
    },
    {
      id: `${kind}.view`,
      title: () => texts().commands.views,
      keys: 'v',
      icon: 'eye',
      group: 'view',
      run: () => document.querySelector<HTMLElement>('.views .tabs a')?.focus(),
    },
  ]
}

/** A record beside the list scrolls by these keys itself. */
const isOutsidePanel = ({ element }: CommandContext): boolean => element?.closest('.side-panel') == null

const isInCell = ({ element }: CommandContext): boolean => element?.closest('.tbl') != null
