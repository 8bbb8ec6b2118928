import { useEffect, useLayoutEffect } from 'preact/hooks'
import { path } from '../lib/router.ts'
import { isPeekWide } from '../lib/widths.ts'
import { above } from './above.ts'
import { commandContext, register } from './commands/registry.ts'
import { closePeek, openPeek, peeked } from './peek.ts'
import { texts } from './texts.ts'

/** The record beside a list. It follows the row that has the focus, and leaves with the list. */
export function PeekPlace() {
  const open = peeked.value
  const here = path.value
  useEffect(() => closePeek, [here])
  const isOpen = open !== null && isPeekWide.value
  useLayoutEffect(() => {
    if (!isOpen) return
    const follow = ({ target }: FocusEvent) => {
      if (!(target instanceof Element) || target.closest('.side-panel, dialog, .popover')) return
      const { targets } = commandContext(target)
      const now = peeked.peek()
      const [id] = targets?.ids ?? []
      if (now && targets?.kind === now.kind && targets.ids.length === 1 && id !== undefined && id !== now.id)
        openPeek(now.kind, id)
    }
    document.addEventListener('focusin', follow)
    const off = register([
      {
        id: 'peek.close',
        title: () => texts().closePeek,
        keys: 'Escape',
        where: 'panel',
        group: 'view',
        isHidden: true,
        run: closePeek,
      },
    ])
    return () => {
      document.removeEventListener('focusin', follow)
      off()
    }
  }, [isOpen])
  return isOpen ? <above.Panel kind={open.kind} id={open.id} /> : null
}
