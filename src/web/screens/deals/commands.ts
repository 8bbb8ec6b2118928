import type { Signal } from '@preact/signals'
import { me } from '../../data/boot.ts'
import { whole } from '../../lib/base.ts'
import type { Anchor } from '../../lib/place.ts'
import { openTab } from '../../lib/router/links.ts'
import { navigate } from '../../lib/router.ts'
import { type Command, type CommandContext, provideTargets, register } from '../../shell/commands/registry.ts'
import { copyText } from '../../shell/copy.ts'
import { openPeek } from '../../shell/peek.ts'
import { deleteDeals } from '../../tables/deals/changes.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { hasRoomToPeek } from './actions.ts'
import type { PopupKind } from './board-state.ts'
import type { BoardParts } from './use-board.ts'
import type { Way } from './walk.ts'

/** Registers what can be done with the deals of the board, while it is on the page. */
export function registerBoard({ board, actions }: BoardParts): () => void {
  const off = [
    provideTargets(() => {
      const ids = board.targets()
      return ids.length > 0 ? { kind: 'deals', ids } : null
    }),
    register(commandsOf({ board, actions })),
  ]
  return () => {
    for (const each of off) each()
  }
}

const idsOf = ({ targets }: CommandContext): readonly string[] => (targets?.kind === 'deals' ? targets.ids : [])

function commandsOf({ board, actions }: BoardParts): Command[] {
  const words = () => texts().commands
  const hasDeals = (context: CommandContext) => idsOf(context).length > 0
  const canWrite = (context: CommandContext) => hasDeals(context) && actions.mayWrite()
  const one = (context: CommandContext) => idsOf(context).length === 1

  const step = (id: string, keys: string, way: Way, title: () => string): Command => ({
    id: `deals.${id}`,
    title,
    keys,
    group: 'list',
    isHidden: true,
    run: () => {
      const next = board.step(way)
      if (next !== undefined) actions.focusCard(next)
    },
  })
  const extend = (id: string, keys: string, way: Way, title: () => string): Command => ({
    ...step(id, keys, way, title),
    run: () => {
      const from = board.at.peek()
      if (from !== null && !board.selection.peek().has(from)) board.select(from, true)
      const next = board.step(way)
      if (next === undefined) return
      board.extendTo(next)
      actions.focusCard(next)
    },
  })
  const popup = (kind: PopupKind, id: string, keys: string, icon: string, title: () => string): Command => ({
    id: `deals.${id}`,
    title,
    keys,
    icon,
    group: 'record',
    when: canWrite,
    run: (context) => actions.openPopup(kind, idsOf(context), anchorOf(context)),
  })

  return [
    step('next', 'j', 'down', () => words().next),
    step('previous', 'k', 'up', () => words().previous),
    step('left', 'h', 'left', () => words().left),
    step('right', 'l', 'right', () => words().right),
    extend('extend-down', 'shift+j', 'down', () => words().extendDown),
    extend('extend-up', 'shift+k', 'up', () => words().extendUp),
    {
      id: 'deals.open',
      title: () => texts().openDeal,
      group: 'record',
      icon: 'to',
      when: one,
      run: (context) => navigate(`/deals/${idsOf(context)[0]}`),
    },
    {
      id: 'deals.open-tab',
      title: () => texts().openTab,
      group: 'record',
      icon: 'to',
      when: one,
      run: (context) => openTab(`/deals/${idsOf(context)[0]}`),
    },
    {
      id: 'deals.peek',
      title: () => words().peek,
      group: 'record',
      icon: 'eye',
      when: (context) => one(context) && hasRoomToPeek(),
      run: (context) => openPeek('deals', idsOf(context)[0] as string),
    },
    {
      id: 'deals.select',
      title: () => words().select,
      keys: 'x',
      icon: 'check',
      group: 'list',
      when: hasDeals,
      run: () => {
        const id = board.at.peek()
        if (id !== null) board.toggle(id)
      },
    },
    popup('stage', 'stage', 's', 'deal', () => words().stage),
    popup('owner', 'owner', 'a', 'person', () => words().owner),
    popup('tags', 'tags', 't', 'tag', () => words().tags),
    popup('amount', 'amount', '$', 'pen', () => words().amount),
    popup('date', 'date', 'd', 'cal', () => words().date),
    popup('won', 'won', 'w', 'won', () => words().won),
    popup('lost', 'lost', 'shift+l', 'lost', () => words().lost),
    {
      id: 'deals.note',
      title: () => words().note,
      keys: 'n',
      icon: 'note',
      group: 'record',
      when: (context) => one(context) && actions.mayWrite(),
      run: (context) => navigate(`/deals/${idsOf(context)[0]}?compose=note`),
    },
    {
      id: 'deals.copy-link',
      title: () => texts().copyLink,
      icon: 'link',
      group: 'record',
      when: one,
      run: (context) => copyText(whole(`/deals/${idsOf(context)[0]}`), texts().copied),
    },
    {
      id: 'deals.delete',
      title: () => words().remove,
      keys: 'Backspace',
      icon: 'trash',
      group: 'record',
      isDanger: true,
      when: canWrite,
      run: async (context) => {
        const ids = idsOf(context)
        const next = actions.nextAfter(ids)
        await deleteDeals(ids)
        board.clearSelection()
        actions.focusNext(next)
      },
    },
    {
      id: 'deals.clear',
      title: () => words().clear,
      keys: 'Escape',
      group: 'list',
      isHidden: true,
      when: () => board.selection.peek().size > 0 && board.lift.peek() === null,
      run: board.clearSelection,
    },
  ]
}

/** Opens at the card that the command acts on, also if it was chosen in the palette. */
function anchorOf({ element, targets }: CommandContext): Anchor {
  const card = element?.closest('[data-card]') ?? document.querySelector(`[data-card="${targets?.ids[0] ?? ''}"]`)
  if (card instanceof HTMLElement) return card
  if (element instanceof HTMLElement && element !== document.body) return element
  return { x: innerWidth / 2 - 120, y: innerHeight / 3 }
}

export type ListCommands = {
  filterOpen: Signal<'new' | number | null>
  isMine: () => boolean
  setMine: (isMine: boolean) => unknown
  search: () => void
  openViews: () => void
  setShape: (shape: 'board' | 'table') => unknown
}

/** What can be done with the list of deals, in both shapes. */
export function registerList(list: ListCommands): () => void {
  const words = () => texts().commands
  return register([
    {
      id: 'deals.filter',
      title: () => words().filter,
      keys: 'f',
      icon: 'filter',
      group: 'view',
      run: () => {
        list.filterOpen.value = 'new'
      },
    },
    {
      id: 'deals.mine',
      title: () => words().mine,
      keys: 'm',
      icon: 'person',
      group: 'view',
      words: () => me.value.name,
      run: () => list.setMine(!list.isMine()),
    },
    { id: 'deals.search', title: () => words().search, keys: '/', icon: 'search', group: 'view', run: list.search },
    { id: 'deals.view', title: () => words().view, keys: 'v', icon: 'eye', group: 'view', run: list.openViews },
    { id: 'deals.board', title: () => words().board, icon: 'deal', group: 'view', run: () => list.setShape('board') },
    { id: 'deals.table', title: () => words().table, icon: 'table', group: 'view', run: () => list.setShape('table') },
  ])
}
