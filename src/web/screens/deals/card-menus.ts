import { useLayoutEffect } from 'preact/hooks'
import type { Anchor } from '../../lib/place.ts'
import { anchorOf } from '../../shell/commands/context-menu.tsx'
import { isBrowsersMenu } from '../../shell/commands/own-menu.ts'
import { register } from '../../shell/commands/registry.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { takeEarly } from './early-menu.ts'
import { onHold } from './hold-card.ts'
import { useBoard } from './use-board.ts'

/** Opens the menu of a card for the right button, the menu key and a long press of a finger. It acts on the whole selection if the card is part of it. */
export function CardMenus(): null {
  const { board, actions } = useBoard()
  useLayoutEffect(() => {
    const open = (anchor: Anchor, id: string) => {
      board.at.value = id
      actions.openPopup('menu', board.selection.peek().has(id) ? board.selected.peek() : [id], anchor)
    }
    const onMenu = (event: MouseEvent) => {
      const id = cardOf(event.target)
      if (id === undefined) return
      // A finger opens the menu as it leaves: on a card, the browser's would be that of a link.
      const isTouch = (event as PointerEvent).pointerType === 'touch'
      if (!isTouch && isBrowsersMenu(event)) return
      event.preventDefault()
      if (!isTouch) open(anchorOf(event), id)
    }
    document.addEventListener('contextmenu', onMenu)
    const early = takeEarly()
    for (const event of early) if (event.type === 'contextmenu') onMenu(event)
    const stopHolding = onHold(cardOf, (id, at) => open(at, id), early)
    const off = register([
      {
        id: 'deals.menu',
        title: () => texts().commands.menu,
        keys: 'shift+F10',
        group: 'list',
        isHidden: true,
        when: ({ element }) => cardOf(element) !== undefined,
        run: ({ element }) => open(element as HTMLElement, cardOf(element) as string),
      },
    ])
    return () => {
      off()
      stopHolding()
      document.removeEventListener('contextmenu', onMenu)
    }
  }, [board])
  return null
}

const cardOf = (target: EventTarget | null): string | undefined =>
  target instanceof Element && !target.closest('.popover')
    ? target.closest<HTMLElement>('[data-card]')?.dataset.card
    : undefined
