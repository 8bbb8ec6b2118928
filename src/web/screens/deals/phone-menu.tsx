import { useRef, useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { laterInFocus } from '../../components/later.tsx'
import { MenuButton } from '../../components/menu.tsx'
import type { MenuGroup } from '../../components/menu-items.ts'
import { showToast } from '../../components/toast.tsx'
import { openedTexts } from '../../tables/deals/texts/opened.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { savedQuery } from '../../tables/views/list-state.ts'
import { changeView, mayChange, viewsOf } from '../../tables/views/saved-views.ts'
import { texts as viewTexts } from '../../tables/views/texts.ts'
import { viewActions } from '../../tables/views/view-actions.ts'
import { address, changeShape, changeSort, shape, sort } from './deals-address.ts'
import { sortWords } from './deals-filters.tsx'
import { SORTS } from './order.ts'

const SaveView = laterInFocus(() => import('../../tables/views/save-view.tsx').then((module) => module.SaveView))

/** On a phone: shape, order and saved views, for which the bar has no room. */
export function PhoneMenu() {
  const place = useRef<HTMLSpanElement>(null)
  const [saving, setSaving] = useState<'new' | 'edit' | null>(null)
  const { state, view } = address.value
  return (
    <span ref={place}>
      <MenuButton
        plain
        class="icon"
        menuLabel={openedTexts().moreOfView}
        aria-label={openedTexts().moreOfView}
        title={openedTexts().moreOfView}
        align="end"
        groups={() => groups(setSaving)}
      >
        <Icon name="dots" />
      </MenuButton>
      {saving && place.current && (
        <SaveView
          anchor={place.current}
          object="deals"
          shape={shape.value}
          state={state}
          view={saving === 'edit' ? view : undefined}
          onClose={() => setSaving(null)}
          onSaved={({ id }) => void address.peek().choose(id)}
        />
      )}
    </span>
  )
}

function groups(save: (what: 'new' | 'edit') => void): MenuGroup[] {
  const { view, choose } = address.peek()
  return [
    {
      label: texts().shape,
      items: (['board', 'table'] as const).map((each) => ({
        label: texts()[each],
        checked: each === shape.peek(),
        onPick: () => void changeShape(each),
      })),
    },
    ...(shape.peek() === 'board' ? [sortGroup()] : []),
    {
      label: viewTexts().views,
      items: [
        { label: texts().allDeals, checked: !view, onPick: () => void choose(null) },
        ...viewsOf('deals')
          .peek()
          .map(({ id, name }) => ({ label: name, checked: id === view?.id, onPick: () => void choose(id) })),
      ],
    },
    {
      label: view && address.peek().isChanged ? viewTexts().changed : undefined,
      items: changeItems(() => save('new')),
    },
    ...(view ? viewActions(view, { choose }, () => save('edit')) : []),
  ]
}

const sortGroup = (): MenuGroup => ({
  label: texts().sort,
  items: SORTS.map((each) => ({
    label: sortWords(each),
    checked: each === sort.peek(),
    onPick: () => void changeSort(each),
  })),
})

function changeItems(saveAs: () => void): MenuGroup['items'] {
  const { view, isChanged, reset, choose, state } = address.peek()
  const another = { label: texts().saveAsView, icon: 'plus' as const, onPick: saveAs }
  if (!view || !isChanged) return [another]
  const save = () =>
    changeView(view, { query: savedQuery(state), shape: shape.peek() })
      .then(() => choose(view.id))
      .then(
        () => showToast({ text: viewTexts().saved(view.name) }),
        () => showToast({ text: viewTexts().failed(view.name), kind: 'error' }),
      )
  return [
    { label: viewTexts().reset, icon: 'undo' as const, onPick: () => void reset() },
    ...(mayChange(view) ? [{ label: viewTexts().save, icon: 'save' as const, onPick: () => void save() }] : []),
    another,
  ]
}
