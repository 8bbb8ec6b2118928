import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { MenuButton } from '../../components/menu.tsx'
import { isPhone } from '../../lib/widths.ts'
import { commandHints } from '../../shell/commands/listen.ts'
import { isOfBoardShape } from '../../tables/deals/fields.ts'
import { dealFields } from '../../tables/deals/filter-fields.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { FilterBar } from '../../tables/filters/filter-bar.tsx'
import { CARD_FIELDS, cardFields, showField } from './card-fields.ts'
import { address, changeSort, pipeline, sort } from './deals-address.ts'
import { SORTS, type Sort } from './order.ts'

/** What of the filter bar is open; keys set it, too. */
export const filterOpen = signal<'new' | number | null>(null)

export const sortWords = (each: Sort): string =>
  ({ next: texts().sortNext, close: texts().sortClose, amount: texts().sortAmount, stage: texts().sortStage })[each]

type DealsFiltersProps = {
  search: Signal<HTMLInputElement | null>
  /** Of the table, in place of the order and fields of cards. */
  tools?: ComponentChildren
}

/** Conditions, search and order of the deals. */
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
      {tools && state.conditions.some(isOfBoardShape) && (
        <span class="small mute" role="status">
          {texts().boardOnly}
        </span>
      )}
      <SearchInput search={search} />
      {!isPhone.value &&
        (tools ?? (
          <>
            <SortMenu />
            <FieldsMenu />
          </>
        ))}
    </FilterBar>
  )
}

/** Narrows to what is typed, at once. */
function SearchInput({ search }: { search: Signal<HTMLInputElement | null> }) {
  const { state, change } = address.value
  const [isOpen, setOpen] = useState(false)
  const isShown = isOpen || state.q !== ''
  return (
    <label class={isShown ? 'search find-in' : 'search find-in is-small'}>
      <Icon name="search" small />
      <input
        type="search"
        dir="auto"
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
