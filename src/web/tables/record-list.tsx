import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { Button, IconButton } from '../components/button.tsx'
import { SourcesContext } from '../components/fields/sources.ts'
import { Icon } from '../components/icon.tsx'
import { TooLong, tooLong } from '../components/typed/too-long.tsx'
import { mayWrite } from '../data/may.ts'
import type { Rec } from '../data/types.ts'
import { format } from '../lib/locale.ts'
import { isPrinting } from '../lib/printing.ts'
import { urlOf } from '../lib/router/create.ts'
import { query as addressQuery, navigate, path } from '../lib/router.ts'
import { isPhone } from '../lib/widths.ts'
import { commandHints } from '../shell/commands/listen.ts'
import { sources } from '../shell/sources.ts'
import { leaveTrail } from '../shell/trail.ts'
import { BulkActions } from './bulk-actions.tsx'
import { CardOf } from './card.tsx'
import { ColumnsButton } from './columns-button.tsx'
import { registerTable } from './commands.ts'
import { isCondition } from './filters/conditions.ts'
import { FilterBar } from './filters/filter-bar.tsx'
import { type ListContext, ListPlace } from './list-context.ts'
import { ListFoot } from './list-foot.tsx'
import { rowQuery } from './list-query.ts'
import { Instead } from './list-states.tsx'
import { openRowMenu } from './row-menu.ts'
import { SaveAsList } from './save-as-list.tsx'
import { Cards } from './table/cards.tsx'
import { placedColumns } from './table/geometry.ts'
import { PrintedTable, useNamesForPrint } from './table/printed.tsx'
import { Table } from './table/table.tsx'
import { texts as tableTexts } from './table/texts.ts'
import { texts } from './texts.ts'
import { useRows } from './use-rows.ts'
import { ViewTabs } from './views/view-tabs.tsx'
import './tables.css'

type RecordListProps = {
  list: ListContext
  /** The top line of the screen; it is given how many match. */
  bar: (total: number | undefined) => ComponentChildren
  /** Makes a record. */
  create?: { run: () => void } | undefined
  /** Without tabs of saved views: the members of a list. */
  hasViews: boolean
  /** In place of "No contacts yet". */
  empty?: ComponentChildren
  /** The filters are made elsewhere, as above the board. */
  hasFilters?: boolean
  /** What can be done with the filters here. */
  tools?: ComponentChildren
}

export const nameOfRec = (record: Rec): string => String(record.name ?? record.title ?? '')

/** A table of records with its views, filters, columns and what can be done with them. */
export function RecordList({ list, bar, create, hasViews, empty, hasFilters = true, tools }: RecordListProps) {
  const { kind, state, columns, layout, address } = list
  const now = address.value
  const query = rowQuery(list.asked.value)
  const rows = useRows(kind, query, list.of && JSON.stringify(list.of.filter.value))
  list.rows.current = rows
  useLayoutEffect(() => registerTable(list), [list])
  useEffect(
    () =>
      leaveTrail(() => {
        rows.revision.value
        const ids = rows.loadedIds()
        const before = Math.max(0, rows.rowOf(ids[0] ?? ''))
        const label = texts()[kind].title
        return { kind, ids, before, total: rows.total.value, href: urlOf(path.value, addressQuery.value), label }
      }),
    [rows],
  )
  const placed = placedColumns(columns.value, layout.value)
  useNamesForPrint(kind, placed, rows)
  const total = rows.total.value
  const instead = <Instead list={list} rows={rows} create={create} empty={empty} />
  const hrefOf = (id: string) => `/${kind}/${id}`
  const common = {
    kind,
    label: texts()[kind].title,
    rows,
    state,
    nameOf: nameOfRec,
    instead,
    canSelect: mayWrite(),
  }
  return (
    <SourcesContext.Provider value={sources}>
      <ListPlace.Provider value={list}>
        {bar(total)}
        {hasViews && !isPhone.value && <Views list={list} />}
        {hasFilters && <Filters list={list} tools={tools} />}
        <div class="table-place fill">
          <Fresh list={list} />
          {isPhone.value ? (
            <Cards {...common} hrefOf={hrefOf} card={(record) => <CardOf kind={kind} record={record} />} />
          ) : (
            <Table
              {...common}
              columns={columns.value}
              layout={layout.value}
              onLayout={list.setLayout}
              sort={now.state.sort}
              onSort={(sort) => void address.peek().change({ sort })}
              onFilterBy={(field) => {
                const at = now.state.conditions.findIndex((each) => isCondition(each) && each.field === field)
                list.filterOpen.value = at >= 0 ? at : 'new'
              }}
              onOpen={(id) => void navigate(hrefOf(id))}
              onMenu={(event, id) => openRowMenu(list, event, id)}
            />
          )}
          <BulkActions total={total ?? 0} />
        </div>
        {isPrinting.value && <PrintedTable kind={kind} label={common.label} columns={placed} ids={rows.loadedIds()} />}
        {(!isPhone.value || isPrinting.value) && <ListFoot list={list} rows={rows} />}
        <FoundStatus list={list} total={total} />
      </ListPlace.Provider>
    </SourcesContext.Provider>
  )
}

/** Says to readers how many a search or a filter leaves (WCAG 2.2, 4.1.3). */
function FoundStatus({ list, total }: { list: ListContext; total: number | undefined }) {
  return (
    <div class="sr" role="status">
      {list.isNarrowed.value &&
        total !== undefined &&
        tableTexts().all(format.value.number(total), texts()[list.kind].things(total))}
    </div>
  )
}

/** What others do does not move what is read, and what is edited does not vanish under the pointer: it is offered. */
function Fresh({ list }: { list: ListContext }) {
  const { current: rows } = list.rows
  const [fresh, left] = [rows?.fresh.value ?? 0, rows?.left.value.size ?? 0]
  if (!rows || (fresh === 0 && left === 0)) return null
  const said = [fresh > 0 && tableTexts().fresh(fresh), left > 0 && tableTexts().left(left)]
  return (
    <div class="fresh row floats" role="status">
      <span>{said.filter(Boolean).join(' · ')}</span>
      <Button plain class="acc" onClick={() => void rows.reload()}>
        {fresh > 0 ? tableTexts().showFresh : tableTexts().refresh}
      </Button>
    </div>
  )
}

function Views({ list }: { list: ListContext }) {
  const { kind, address } = list
  if (kind === 'deals') return null
  return <ViewTabs object={kind} all={texts()[kind].all} address={address.value} shape="table" />
}

function Filters({ list, tools }: { list: ListContext; tools: ComponentChildren }) {
  const { address, fields, filterOpen } = list
  const { state, change } = address.value
  const isHidden = isPhone.value && state.conditions.length === 0 && filterOpen.value === null
  if (isHidden) return <SearchLine list={list} />
  return (
    <FilterBar
      fields={fields.value}
      conditions={state.conditions}
      onChange={(conditions) => void change({ conditions }, { replace: filterOpen.peek() !== null })}
      open={filterOpen}
      keys={commandHints(`${list.kind}.filter`).keys}
    >
      {tools}
      {state.conditions.length > 0 && mayWrite() && <SaveAsList />}
      <ViewSearch list={list} />
      <ColumnsButton list={list} />
    </FilterBar>
  )
}

const SearchLine = ({ list }: { list: ListContext }) => (
  <div class="filters row strip">
    <ViewSearch list={list} />
    <IconButton
      plain
      icon="filter"
      title={tableTexts().row.filter}
      onClick={() => {
        list.filterOpen.value = 'new'
      }}
    />
  </div>
)

const PAUSE_MS = 150

/** Narrows to what is typed, after a pause in typing. */
function ViewSearch({ list }: { list: ListContext }) {
  const { state } = list.address.value
  const [typed, setTyped] = useState<string | null>(null)
  const timer = useMemo(() => ({ current: undefined as ReturnType<typeof setTimeout> | undefined }), [])
  const put = (text: string, ms: number) => {
    setTyped(text)
    clearTimeout(timer.current)
    if (tooLong(text)) return
    timer.current = setTimeout(() => {
      void list.address.peek().change({ q: text }, { replace: true })
      setTyped(null)
    }, ms)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <>
      <label class="search view-search">
        <Icon name="search" small />
        <input
          type="search"
          dir="auto"
          aria-label={texts().searchView}
          placeholder={texts().searchView}
          value={typed ?? state.q}
          onInput={(event) => put(event.currentTarget.value, PAUSE_MS)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              if (event.currentTarget.value !== '') put('', 0)
              event.currentTarget.blur()
            } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
              event.preventDefault()
              list.state.toFocus.current?.()
            }
            event.stopPropagation()
          }}
        />
      </label>
      <TooLong text={typed ?? ''} />
    </>
  )
}

export const countText = (total: number | undefined): string | undefined =>
  total === undefined ? undefined : format.value.number(total)
