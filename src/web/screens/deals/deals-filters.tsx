import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { commandHints } from '../../commands/listen.ts'
import { Button } from '../../components/button.tsx'
import { FilterBar } from '../../components/filters/filter-bar.tsx'
import { Icon } from '../../components/icon.tsx'
import { later } from '../../components/later.tsx'
import { Menu, MenuButton } from '../../components/menu.tsx'
import { viewsOf } from '../../components/views/saved-views.ts'
import { isPhone } from '../../shell/widths.ts'
import { CARD_FIELDS, cardFields, showField } from './card-fields.ts'
import { address, changeSort, pipeline, shape, sort } from './deals-address.ts'
import { dealFields } from './filter-fields.ts'
import { SORTS, type Sort } from './order.ts'
import { boardOnly } from './table-conditions.ts'
import { texts } from './texts/texts.ts'

const SaveView = later(() => import('../../components/views/save-view.tsx').then((module) => module.SaveView))
const ViewChange = later(() => import('../../components/views/view-change.tsx').then((module) => module.ViewChange))

/** What of the filter bar is open; keys set it, too. */
export const filterOpen = signal<'new' | number | null>(null)
const viewsOpen = signal(false)
export const openViews = (): void => {
  viewsOpen.value = true
}

export const sortWords = (each: Sort): string =>
  ({ next: texts().sortNext, close: texts().sortClose, amount: texts().sortAmount, stage: texts().sortStage })[each]

type DealsFiltersProps = {
  search: Signal<HTMLInputElement | null>
  /** Of the table, in place of the order and fields of cards. */
  tools?: ComponentChildren
}

/** Conditions, search, order and saved views of the deals. */
export function DealsFilters({ search, tools }: DealsFiltersProps) {
  const { state, change } = address.value
  const { keys } = commandHints('deals.filter')
  if (isPhone.value && state.conditions.length === 0 && filterOpen.value === null && state.q === '') return null
  return (
    <FilterBar
      fields={dealFields(pipeline.value?.id ?? '')}
      conditions={state.conditions}
      onChange={(conditions) => void change({ conditions }, { replace: filterOpen.peek() !== null })}
      open={filterOpen}
      keys={keys}
    >
      {tools && boardOnly(state.conditions).length > 0 && (
        <span class="small mute" role="status">
          {texts().boardOnly}
        </span>
      )}
      <SearchInput search={search} />
      {!isPhone.value && (
        <>
          {tools ?? (
            <>
              <SortMenu />
              <FieldsMenu />
            </>
          )}
          <span class="sep" />
          <Views />
        </>
      )}
    </FilterBar>
  )
}

/** Narrows to what is typed, at once. */
function SearchInput({ search }: { search: Signal<HTMLInputElement | null> }) {
  const { state, change } = address.value
  const [isOpen, setOpen] = useState(false)
  const isShown = isOpen || state.q !== ''
  return (
    <label class={isShown ? 'find-in' : 'find-in is-small'}>
      <Icon name="search" small />
      <input
        type="search"
        ref={(element) => {
          search.value = element
        }}
        aria-label={texts().searchView}
        placeholder={texts().searchView}
        value={state.q}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onInput={(event) => void change({ q: event.currentTarget.value }, { replace: true })}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          void change({ q: '' }, { replace: true })
          event.currentTarget.blur()
        }}
      />
    </label>
  )
}

function SortMenu() {
  const chosen = sort.value
  return (
    <MenuButton
      plain
      icon="sort"
      menuLabel={texts().sort}
      align="end"
      groups={() => [
        {
          items: SORTS.map((each) => ({
            label: sortWords(each),
            checked: each === chosen,
            onPick: () => void changeSort(each),
          })),
        },
      ]}
    >
      {sortWords(chosen)}
    </MenuButton>
  )
}

function FieldsMenu() {
  const shown = cardFields.value
  const words = {
    company: texts().fieldCompany,
    days: texts().fieldDays,
    next: texts().fieldNext,
    close: texts().fieldClose,
    tags: texts().fieldTags,
  }
  return (
    <MenuButton
      plain
      icon="eye"
      class="opt"
      menuLabel={texts().showOnCards}
      align="end"
      groups={() => [
        {
          label: texts().showOnCards,
          items: CARD_FIELDS.map((field) => ({
            label: words[field],
            checked: shown[field],
            onPick: () => showField(field, !shown[field]),
          })),
        },
      ]}
    >
      {texts().cardFields}
    </MenuButton>
  )
}

/** The saved views of deals in a menu, and the naming of a new one. */
function Views() {
  const { state, view, choose } = address.value
  const views = viewsOf('deals').value
  const button = useRef<HTMLButtonElement>(null)
  const [isSaving, setSaving] = useState(false)
  const groups = () => [
    {
      items: [
        { label: texts().allDeals, checked: !view, onPick: () => void choose(null) },
        ...views.map((each) => ({
          label: each.name,
          checked: each.id === view?.id,
          onPick: () => void choose(each.id),
        })),
      ],
    },
    { items: [{ label: texts().saveAsView, icon: 'plus' as const, onPick: () => setSaving(true) }] },
  ]
  return (
    <>
      <Button
        plain
        ref={button}
        aria-haspopup={views.length > 0 ? 'menu' : 'dialog'}
        aria-expanded={isSaving || viewsOpen.value}
        onClick={() => (views.length > 0 ? openViews() : setSaving(true))}
      >
        {views.length > 0 ? (
          <>
            {view?.name ?? texts().allDeals}
            <Icon name="down" small />
          </>
        ) : (
          texts().saveAsView
        )}
      </Button>
      {view && <ViewChange object="deals" address={address.value} shape={shape.value} />}
      {viewsOpen.value && button.current && (
        <Menu
          anchor={button.current}
          align="end"
          label={texts().commands.view}
          groups={groups()}
          onClose={() => {
            viewsOpen.value = false
          }}
        />
      )}
      {isSaving && button.current && (
        <SaveView
          anchor={button.current}
          object="deals"
          shape={shape.value}
          state={state}
          onClose={() => setSaving(false)}
          onSaved={({ id }) => void choose(id)}
        />
      )}
    </>
  )
}
