import type { MenuGroup } from '../../components/menu-items.ts'
import { showToast } from '../../components/toast.tsx'
import { changeView, mayChange, removeView, type View } from './saved-views.ts'
import { texts } from './texts.ts'
import type { ListAddress } from './use-list-state.ts'

/** What can be done with a saved view whatever it shows now; `first` stand above. */
export function viewActions(
  view: View,
  { choose }: Pick<ListAddress, 'choose'>,
  onRename: () => void,
  first: MenuGroup['items'] = [],
): MenuGroup[] {
  const isMine = mayChange(view)
  const failed = () => showToast({ text: texts().failed(view.name), kind: 'error' })
  const remove = () =>
    removeView(view)
      .then(() => choose(null))
      .then(() => showToast({ text: texts().removed(view.name), icon: 'trash' }), failed)
  return [
    {
      items: [
        ...first,
        ...(isMine ? [{ label: texts().rename, icon: 'pen' as const, onPick: onRename }] : []),
        {
          label: view.is_pinned ? texts().unpin : texts().pin,
          icon: 'pin' as const,
          onPick: () => void changeView(view, { is_pinned: !view.is_pinned }).catch(failed),
        },
      ],
    },
    {
      items: isMine
        ? [{ label: texts().remove, icon: 'trash' as const, danger: true, onPick: () => void remove() }]
        : [],
    },
  ]
}
