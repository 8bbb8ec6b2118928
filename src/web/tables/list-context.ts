import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { PageKind } from '../components/kinds.ts'
import { me } from '../data/boot.ts'
import { searchFor } from '../lib/emoji.ts'
import { keep, kept } from '../lib/kept.ts'
import { columnsOf, usualLayout } from './columns.tsx'
import { filterFieldsOf } from './filter-fields.ts'
import { type Filter, sameConditions } from './filters/conditions.ts'
import type { FilterField } from './filters/filter-field.ts'
import type { TableColumn } from './table/column.ts'
import { type Layout, layoutText, readLayout } from './table/layout.ts'
import type { Rows } from './table/rows.ts'
import { type TableState, tableState } from './table/table-state.ts'
import type { ListState, Reading } from './views/list-state.ts'
import { type ListAddress, listAddress, shownAt } from './views/use-list-state.ts'

/** What the parts of a list of records share. */
export type ListContext = {
  kind: PageKind
  /** Only the members of this list, or what its filter becomes here. */
  of: ShownList | undefined
  state: TableState
  columns: ReadonlySignal<TableColumn[]>
  fields: ReadonlySignal<FilterField[]>
  address: ReadonlySignal<ListAddress>
  /** What the address says, and what always holds here: the open stages of a pipeline. */
  asked: ReadonlySignal<Asked>
  /** What the server is asked for when the address says this. */
  askFor: (state: Pick<ListState, 'conditions' | 'q' | 'sort'>) => Asked
  /** Whether less is shown than all there is here. */
  isNarrowed: ReadonlySignal<boolean>
  layout: ReadonlySignal<Layout>
  setLayout: (layout: Layout | null) => void
  filterOpen: Signal<'new' | number | null>
  popup: Signal<ListPopup | null>
  rows: { current: Rows | undefined }
  /** Its bar, filters and their commands are those of the screen around it. */
  isPart: boolean
}

/** What only deals have. */
export const DEAL_POPUPS = ['stage', 'amount', 'date', 'won', 'lost'] as const
export type DealPopup = (typeof DEAL_POPUPS)[number]

/** What is open at the selection or, with `ids`, at the focused row. */
export type ListPopup = { name: 'owner' | 'tags' | 'list' | 'columns' | DealPopup; ids?: readonly string[] | undefined }

/** Parameters of the address that belong to a table besides filters and sort. */
const MORE = ['columns']

/** A question to the server. `listId`: only the members of that list. */
export type Asked = Pick<ListState, 'conditions' | 'q' | 'sort'> & { listId?: string | undefined }

export type ShownList = {
  id: string
  isStatic: boolean
  /** The filter of a smart list, as the server has it. */
  filter: ReadonlySignal<readonly Filter[]>
}

/** A view that is shown in other shapes, too: its address and its filters. */
export type SharedView = Pick<ListContext, 'address' | 'fields' | 'filterOpen'> & {
  /** What the server is asked for when the address has these conditions. */
  ask: (conditions: readonly Filter[]) => readonly Filter[]
}

type Narrowing = { list?: ShownList; view?: SharedView }

export function listContext(kind: PageKind, { list, view }: Narrowing = {}): ListContext {
  const columns = computed(() => columnsOf(kind))
  const fields = view?.fields ?? computed(() => filterFieldsOf(kind))
  const reading = computed(() => readingOf(fields.value))
  const address = view?.address ?? computed(() => listAddress(kind, reading.value, list?.filter.value))
  const ask = view?.ask ?? ((conditions: readonly Filter[]) => conditions)
  const isOwn = (conditions: readonly Filter[]) =>
    list !== undefined && !list.isStatic && sameConditions(conditions, list.filter.value)
  // The filter of a smart list that is unchanged may be longer than a question can be.
  const askFor: ListContext['askFor'] = ({ conditions, q, sort }) =>
    isOwn(conditions)
      ? withEmoji(kind, { conditions: [], q, sort, listId: list?.id })
      : withEmoji(kind, { conditions: ask(conditions), q, sort, listId: list?.isStatic ? list.id : undefined })
  const asked = computed(() => {
    const { state } = address.value
    return askFor({ ...state, sort: knownSort(state.sort, columns.value) })
  })
  const isNarrowed = computed(() => {
    const { conditions, q } = address.value.state
    return (conditions.length > 0 && !isOwn(conditions)) || q.trim() !== ''
  })
  const stored = signal(kept(nameOfLayout(kind)))
  const layout = computed((): Layout => {
    const text = address.value.state.more.columns ?? stored.value
    return text ? readLayout(text) : usualLayout(kind)
  })
  return {
    kind,
    of: list,
    state: tableState(),
    columns,
    fields,
    address,
    asked,
    askFor,
    isNarrowed,
    layout,
    setLayout: (next) => {
      const { columns: _, ...more } = address.peek().state.more
      const text = next && layoutText(next)
      // Without a view, the columns are those of this browser; a view keeps its own.
      if (!address.peek().view) {
        stored.value = text
        keep(nameOfLayout(kind), text || null)
      }
      void address.peek().change({ more: text ? { ...more, columns: text } : more }, { replace: true })
    },
    filterOpen: view?.filterOpen ?? signal(null),
    popup: signal(null),
    rows: { current: undefined },
    isPart: view !== undefined,
  }
}

function withEmoji(kind: PageKind, asked: Asked): Asked {
  const { q, parts } = searchFor(kind, asked.q)
  return { ...asked, q, conditions: [...asked.conditions, ...parts] }
}

function readingOf(fields: readonly FilterField[]): Reading {
  const kinds = new Map(fields.map((field) => [field.name, field.kind]))
  return { kindOf: (field) => kinds.get(field), more: MORE }
}

function knownSort(sort: string | null, columns: readonly TableColumn[]): string | null {
  const by = sort?.replace(/^-/, '')
  return columns.some((column) => 'by' in column.sort && column.sort.by === by) ? sort : null
}

/** What an address asks for, before the list is there. */
export function askedAt(kind: 'contacts' | 'companies', address: URLSearchParams): Asked {
  const { conditions, q, sort } = shownAt(address, kind, readingOf(filterFieldsOf(kind))).state
  return withEmoji(kind, { conditions, q, sort: knownSort(sort, columnsOf(kind)) })
}

const nameOfLayout = (kind: PageKind): string => `dealbox.columns.${me.peek().id}.${kind}`

export const ListPlace = createContext<ListContext | null>(null)
/** Throws outside of a list. */
export function useList(): ListContext {
  const found = useContext(ListPlace)
  if (!found) throw new Error('This belongs into a list of records.')
  return found
}
