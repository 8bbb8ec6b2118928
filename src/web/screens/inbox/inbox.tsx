import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Found } from '../../components/marked.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { Bar as Grey } from '../../components/skeleton.tsx'
import { Windowed, type WindowedHandle } from '../../components/windowed.tsx'
import { hasRole } from '../../data/may.ts'
import { load, record as recordOf } from '../../data/records.ts'
import type { Conversation } from '../../data/types.ts'
import { keepAboveKeyboard } from '../../lib/above-keyboard.ts'
import { format } from '../../lib/locale.ts'
import { query, setQuery } from '../../lib/router.ts'
import { scaled } from '../../lib/scale.ts'
import { t } from '../../lib/texts/texts.ts'
import { isNarrow, isPhone } from '../../lib/widths.ts'
import { provideTargets, register } from '../../shell/commands/registry.ts'
import { FilterBar } from '../../tables/filters/filter-bar.tsx'
import { ViewChange } from '../../tables/views/view-change.tsx'
import { setStatus } from './acts.ts'
import { address, fields, filterOpen, hasSort, hrefHere, rowsNow, SORTS, sortBy, sortNow, viewNow } from './address.ts'
import { Beside } from './beside.tsx'
import { commandsOf } from './commands.ts'
import { NewMailButton, NewMailPane } from './new-mail.tsx'
import { ConversationRow } from './row.tsx'
import { wordsNow } from './search/hits.ts'
import { texts } from './texts.ts'
import { ThreadPane } from './thread.tsx'
import { SelectionBar } from './triage/bar.tsx'
import { clear, selectCommands, selection, setRenew, toggle } from './triage/selecting.ts'
import { useSpam } from './triage/spam.ts'
import { SpamSenders } from './triage/spam-senders.tsx'
import { Troubles } from './troubles.tsx'
import { useConversations } from './use-conversations.ts'
import { useCounts, Views, ViewTitle } from './views.tsx'
import './inbox.css'

const ROW = 72
const ROW_OF_PHONE = 84

/** The shared inbox: what waits and for how long, the conversation, and who it is with. */
export function Screen() {
  return (
    <Found.Provider value={wordsNow.value}>
      <Inbox />
    </Found.Provider>
  )
}

function Inbox() {
  const asked = rowsNow()
  const { rows, isStale, renew, hold } = useConversations(asked)
  const counts = useCounts()
  const spam = useSpam()
  const list = useRef<WindowedHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  // Where there is no room for it, the contact lies over the conversation while it is asked for.
  const [isBeside, setBeside] = useState(false)
  rows.revision.value // the rows that are here
  const total = rows.total.value
  const id = query.value.get('c')
  const newMail = query.value.get('new')
  const at = id === null ? -1 : rows.rowOf(id)
  const record = (id === null ? undefined : recordOf('conversations', id).value) as Conversation | null | undefined
  const view = viewNow()
  const listed = address.value
  const hasFilters = filterOpen.value !== null || listed.state.conditions.length > 0 || listed.view !== undefined

  useEffect(() => {
    if (id !== null) void load('conversations', id).catch(() => undefined)
  }, [id])
  // Beside a list, the first one is open: nobody has to choose it.
  const first = rows.idAt(0)
  useEffect(() => {
    if (id === null && newMail === null && first !== undefined && !isPhone.peek() && listed.state.q === '') show(first)
  }, [id === null, newMail, first])

  const show = (next: string | undefined) => void setQuery({ c: next ?? null, new: null }, { replace: !isPhone.peek() })

  function go(row: number): void {
    const next = rows.idAt(row)
    if (next === undefined) return
    show(next)
    if (document.activeElement?.closest('.il')) list.current?.focus(row)
    else list.current?.show(row)
  }

  /** What stood beside the open one, should it leave the list. */
  const beside = useRef<{ id: string | null; above?: string | undefined; below?: string | undefined }>({ id: null })
  if (at >= 0) beside.current = { id, above: rows.idAt(at - 1), below: rows.idAt(at + 1) }

  /** The row that has the focus, else the open one. */
  const rowNow = () => (focused !== null && document.activeElement?.closest('.il') ? rows.rowOf(focused) : at)
  function step(by: number): void {
    let from = rowNow()
    if (from < 0 && beside.current.id === id) {
      const [above, below] = [beside.current.above, beside.current.below].map((each) => rows.rowOf(each ?? '')) as [
        number,
        number,
      ]
      from = below >= 0 ? below - (by > 0 ? 1 : 0) : above + (by > 0 ? 0 : 1)
    }
    go(Math.max(0, Math.min((total ?? 1) - 1, from + by)))
  }

  function closeNext(closed: string): void {
    const row = rows.rowOf(closed)
    const next = row < 0 ? undefined : (rows.idAt(row + 1) ?? rows.idAt(row - 1))
    setStatus(closed, 'closed')
    if (view !== 'closed') show(next)
  }

  useEffect(() => (isPhone.value ? keepAboveKeyboard() : undefined), [isPhone.value])

  // Another view is another list.
  useEffect(() => clear, [JSON.stringify(asked)])
  useEffect(() => setRenew(renew), [renew])

  const latest = useRef({ record, step, closeNext, rows, rowNow, go })
  latest.current = { record, step, closeNext, rows, rowNow, go }
  useLayoutEffect(
    () =>
      register([
        ...selectCommands({
          row: () => latest.current.rowNow(),
          idAt: (row) => latest.current.rows.idAt(row),
          go: (row) => latest.current.go(row),
          total: () => latest.current.rows.total.peek() ?? 0,
        }),
        ...commandsOf({
          current: () => latest.current.record ?? undefined,
          step: (by) => latest.current.step(by),
          closeNext: (closed) => latest.current.closeNext(closed),
          focusThread: () => document.querySelector<HTMLElement>('.th')?.focus(),
          search: () => search.current?.focus(),
          contact: () => setBeside((isOpen) => !isOpen),
        }),
      ]),
    [],
  )
  useLayoutEffect(() => provideTargets(() => (id === null ? null : { kind: 'conversations', ids: [id] })), [id])

  const keys = keysOf(rows, total ?? 0)
  const isAlone = isPhone.value && (id !== null || newMail !== null)
  return (
    <div class={isAlone ? 'ix is-open' : 'ix'}>
      {!isNarrow.value && <Views counts={counts} />}
      <section
        class="il"
        aria-label={texts().list}
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
        onFocusIn={() => hold(true)}
        onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && hold(false)}
      >
        <header class="lh">
          <ViewTitle counts={counts} />
          <span class="mute">{total === undefined ? '' : format.value.number(total)}</span>
          <span class="grow" />
          {hasSort() && !isPhone.value && (
            <Segmented
              label={texts().list}
              value={sortNow()}
              choices={SORTS.map((value) => ({ value, label: texts().sorts[value] }))}
              onChange={sortBy}
            />
          )}
        </header>
        <div class="find-line">
          <input
            ref={search}
            class="bare"
            type="search"
            dir="auto"
            aria-label={texts().search}
            placeholder={texts().search}
            value={listed.state.q}
            onInput={({ currentTarget }) => void listed.change({ q: currentTarget.value }, { replace: true })}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return
              event.currentTarget.blur()
              void listed.change({ q: '' }, { replace: true })
            }}
          />
          <IconButton
            plain
            icon="filter"
            title={t().filter}
            aria-expanded={hasFilters}
            onClick={() => {
              filterOpen.value = 'new'
            }}
          />
          {hasRole('member') && <NewMailButton />}
        </div>
        {hasFilters && (
          <FilterBar
            fields={fields.value}
            conditions={listed.state.conditions}
            onChange={(conditions) => void listed.change({ conditions }, { replace: true })}
            open={filterOpen}
          >
            <ViewChange object="conversations" address={listed} shape="table" />
          </FilterBar>
        )}
        <Troubles />
        {view === 'spam' && <SpamSenders asked={spam} />}
        {isStale && (
          <Button plain class="il-news" icon="up" onClick={renew}>
            {texts().fresh(Math.max(1, rows.fresh.value))}
          </Button>
        )}
        <div class={selection.value.ids.size > 0 ? 'ls is-choosing' : 'ls'} data-scroller data-scroll="inbox">
          {total === undefined && [0, 1, 2, 3, 4].map((row) => <Grey key={row} row={row} />)}
          {total === 0 && <Nothing />}
          {total !== undefined && total > 0 && (
            <Windowed
              ref={list}
              keys={keys}
              rowHeight={scaled(isPhone.value ? ROW_OF_PHONE : ROW)}
              label={texts().list}
              total={total}
              onEnd={(last) => rows.ensure(Math.max(0, last - 30), last + 20)}
              render={(index, row) => {
                const each = rows.idAt(index)
                if (each === undefined) rows.ensure(index, index)
                return (
                  <ConversationRow
                    key={each ?? `row ${index}`}
                    id={each}
                    row={row}
                    href={hrefHere(each ?? '')}
                    isHere={each === id}
                    hasTabStop={at < 0 ? index === 0 : index === at}
                    onFocus={() => setFocused(each ?? null)}
                    onChoose={hasRole('member') ? (each) => toggle(each, index) : undefined}
                  />
                )
              }}
            />
          )}
        </div>
      </section>
      {isAlone && <IconButton plain icon="left" title={texts().back} class="to-list" onClick={() => show(undefined)} />}
      {newMail !== null ? (
        <>
          <NewMailPane key={newMail} id={newMail} onDone={show} />
          <div class="ib" />
        </>
      ) : record ? (
        <>
          <ThreadPane record={record} onClose={() => closeNext(record.id)} onContact={() => setBeside(true)} />
          <Beside record={record} isOpen={isBeside} onClose={() => setBeside(false)} />
        </>
      ) : (
        <section class="th">
          {id === null && total !== 0 && <Empty title={texts().choose}>{texts().chooseBody}</Empty>}
        </section>
      )}
      <SelectionBar onClear={() => list.current?.focus(Math.max(0, at))} />
    </div>
  )
}

function keysOf(rows: { idAt: (row: number) => string | undefined }, total: number): string[] {
  return Array.from({ length: total }, (_, row) => rows.idAt(row) ?? `row ${row}`)
}

function Nothing() {
  const { q, conditions } = address.value.state
  const isSearch = q !== '' || conditions.length > 0
  if (!isSearch && viewNow() === 'drafts')
    return (
      <Empty icon="note" title={texts().nothingBegun}>
        {texts().nothingBegunBody}
      </Empty>
    )
  return (
    <Empty icon={isSearch ? 'search' : 'check'} title={isSearch ? texts().nothingFound : texts().nothing}>
      {isSearch ? texts().nothingFoundBody : texts().nothingBody}
    </Empty>
  )
}
