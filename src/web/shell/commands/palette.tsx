import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useEarlyEnter } from '../../components/choices.tsx'
import { Icon } from '../../components/icon.tsx'
import { Kbd } from '../../components/kbd.tsx'
import { useLater } from '../../components/later.tsx'
import { mayWrite } from '../../data/may.ts'
import { isAboutPeople } from '../../lib/about-people.ts'
import { isMac } from '../../lib/keyboard.ts'
import { openTab } from '../../lib/router/links.ts'
import { loadEntries, navigate } from '../../lib/router.ts'
import { askForPeople } from '../pasted-people.ts'
import './call-command.ts'
import { run } from './listen.ts'
import { wordsOf } from './match.ts'
import { openedPalette } from './opened.ts'
import { Option } from './palette-option.tsx'
import { CommandRow, HitRow, VisitRow } from './palette-rows.tsx'
import {
  commandsFor,
  type FoundCommand,
  type Hit,
  hrefOf,
  joined,
  type Scope,
  SEARCHED,
  SHOWN,
  SHOWN_IN_SCOPE,
  searchRecords,
} from './palette-search.ts'
import { useServer } from './palette-server.ts'
import { recordsAtHand } from './palette-sources.ts'
import { paletteTexts } from './palette-texts.ts'
import { recent, type Visit } from './recent.ts'
import { type CommandContext, commands } from './registry.ts'
import './palette.css'

/** The place of the palette, in the app once. */
export function Palette({ onClose }: { onClose: () => void }) {
  return openedPalette.value && <OpenPalette context={openedPalette.value.context} close={onClose} />
}

/** As many as are seen when it opens: the others are drawn once the page has time. */
const ROWS_AT_ONCE = 20

const SCOPES: readonly Scope[] = ['all', ...SEARCHED, 'commands']

type Row =
  | { key: string; kind: 'hit'; hit: Hit }
  | { key: string; kind: 'visit'; visit: Visit }
  | { key: string; kind: 'command'; command: FoundCommand }

type Group = { id: string; label: string; note?: string | undefined; rows: Row[] }

function OpenPalette({ context, close }: { context: CommandContext; close: () => void }) {
  const [typed, setTyped] = useState('')
  const [scope, setScope] = useState<Scope>('all')
  const [at, setAt] = useState(0)
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(loadEntries, [])
  const server = useServer(typed, scope)
  const groups = useGroups(typed, scope, server.hits, context)
  const rows = groups.flatMap((group) => group.rows)
  const current = rows[Math.min(at, rows.length - 1)]
  const isWhole = useLater() || at >= ROWS_AT_ONCE
  // Who types faster than the server answers looks for something: nothing is made of it before that is known.
  const early = useEarlyEnter(
    { state: server.isAsking ? 'searching' : server.hasFailed ? 'failed' : 'ready' },
    typed,
    () => {
      if (current) pick(current, false)
    },
  )
  const drawn = new Set(isWhole ? rows : rows.slice(0, ROWS_AT_ONCE))

  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  useLayoutEffect(() => {
    dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [current?.key])

  function pick(row: Row, isNewTab: boolean): void {
    close()
    if (row.kind === 'command') {
      // The dialog gives the focus back before the command may move it.
      queueMicrotask(() => run(row.command, context))
      return
    }
    const href = addressOf(row) as string
    if (isNewTab) openTab(href)
    else void navigate(href)
  }

  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key !== 'Enter') early.forget()
    const last = rows.length - 1
    const moves: Record<string, number> = { ArrowDown: at >= last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1 }
    if (event.key === 'PageDown') moves.PageDown = Math.min(last, at + 8)
    if (event.key === 'PageUp') moves.PageUp = Math.max(0, at - 8)
    const move = moves[event.key]
    if (move !== undefined) {
      event.preventDefault()
      setAt(Math.max(0, move))
    } else if (event.key === 'Enter' && current && event.target instanceof HTMLInputElement) {
      event.preventDefault()
      const isOffer = current.kind === 'command' && current.command.isOffer
      if (!(isOffer && at === 0 && early.isEarly())) pick(current, isMac ? event.metaKey : event.ctrlKey)
    } else if (event.key.toLowerCase() === 'k' && (isMac ? event.metaKey : event.ctrlKey)) {
      event.preventDefault()
      close()
    }
  }

  return (
    <dialog
      ref={dialog}
      class="pal"
      aria-label={paletteTexts().palette}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onKeyDown={onKeyDown}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="in row holds strip">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          autofocus
          autocomplete="off"
          spellcheck={false}
          enterkeyhint="go"
          aria-label={paletteTexts().palette}
          aria-expanded={rows.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current && `${id}-${current.key}`}
          placeholder={paletteTexts().placeholder}
          value={typed}
          onPaste={(event) => {
            // An input would make one line of several people.
            const text = event.clipboardData?.getData('text/plain').trim() ?? ''
            if (!mayWrite() || !/[\n\t]/.test(text) || !isAboutPeople(text)) return
            event.preventDefault()
            close()
            askForPeople(text)
          }}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setAt(0)
          }}
        />
        <select
          aria-label={paletteTexts().scope}
          value={scope}
          onChange={(event) => {
            setScope(event.currentTarget.value as Scope)
            setAt(0)
          }}
        >
          {SCOPES.map((each) => (
            <option key={each} value={each}>
              {paletteTexts().scopes[each]}
            </option>
          ))}
        </select>
      </div>
      <div class="fill">
        <div id={`${id}-list`} role="listbox" aria-label={paletteTexts().palette}>
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of a listbox is no fieldset
            <div key={group.id} role="group" aria-labelledby={`${id}-${group.id}`}>
              <h3 class="caption" id={`${id}-${group.id}`} role="presentation">
                <span>{group.label}</span>
                {group.note && <span>{group.note}</span>}
              </h3>
              {group.rows
                .filter((row) => drawn.has(row))
                .map((row) => (
                  <Option
                    key={row.key}
                    id={`${id}-${row.key}`}
                    href={addressOf(row)}
                    isCurrent={row === current}
                    onPoint={() => setAt(rows.indexOf(row))}
                    onPick={() => pick(row, false)}
                  >
                    <RowContent row={row} words={wordsOf(typed)} />
                  </Option>
                ))}
            </div>
          ))}
        </div>
        {rows.length === 0 && !server.isAsking && (
          <div class="none">
            {paletteTexts().nothing(typed.trim())}
            <p>{paletteTexts().nothingBody}</p>
          </div>
        )}
        {server.hasFailed && <p class="none small mute">{paletteTexts().searchFailed}</p>}
      </div>
      <div class="sr" role="status">
        {typed.trim() !== '' && !server.isAsking ? paletteTexts().count(rows.length) : ''}
      </div>
      <footer class="row" aria-hidden="true">
        <span>
          <Kbd keys="↑" />
          <Kbd keys="↓" /> {paletteTexts().choose}
        </span>
        <span>
          <Kbd keys="Enter" /> {paletteTexts().open}
        </span>
        <span>
          <Kbd keys={isMac ? '⌘Enter' : 'Ctrl Enter'} /> {paletteTexts().newTab}
        </span>
        <span class="end">
          <Kbd keys="Esc" /> {paletteTexts().close}
        </span>
      </footer>
    </dialog>
  )
}

const addressOf = (row: Row): string | undefined =>
  row.kind === 'hit'
    ? hrefOf(row.hit.kind, row.hit.record.id)
    : row.kind === 'visit'
      ? hrefOf(row.visit.kind, row.visit.id)
      : undefined

function RowContent({ row, words }: { row: Row; words: readonly string[] }) {
  if (row.kind === 'hit') return <HitRow hit={row.hit} words={words} />
  if (row.kind === 'visit') return <VisitRow visit={row.visit} />
  return <CommandRow command={row.command} words={words} />
}

function useGroups(typed: string, scope: Scope, remote: readonly Hit[], context: CommandContext): Group[] {
  const registered = commands.value
  const visits = recent.value
  return useMemo(() => {
    const most = scope === 'all' ? SHOWN : SHOWN_IN_SCOPE
    const groups: Group[] = []
    const isEmpty = wordsOf(typed).length === 0
    if (isEmpty && scope !== 'commands') {
      const rows = visits
        .filter(({ kind }) => scope === 'all' || kind === scope)
        .map((visit): Row => ({ key: `visit-${visit.kind}-${visit.id}`, kind: 'visit', visit }))
      if (rows.length > 0) groups.push({ id: 'recent', label: paletteTexts().recent, rows })
    }
    const hits = isEmpty ? [] : joined(searchRecords(recordsAtHand(), typed, scope), remote)
    if (!isEmpty) {
      const rows = hits
        .slice(0, most)
        .map((hit): Row => ({ key: `hit-${hit.kind}-${hit.record.id}`, kind: 'hit', hit }))
      const note = hits.length > most ? paletteTexts().shownOf(most, String(hits.length)) : undefined
      if (rows.length > 0) groups.push({ id: 'records', label: paletteTexts().records, note, rows })
    }
    if (scope === 'all' || scope === 'commands') {
      const found = commandsFor(registered, typed, context, hits)
      const rows = found
        .slice(0, isEmpty || scope === 'commands' ? found.length : SHOWN)
        .map((command): Row => ({ key: `command-${command.id}`, kind: 'command', command }))
      if (rows.length > 0) groups.push({ id: 'do', label: paletteTexts().do, rows })
    }
    return groups
  }, [typed, scope, remote, registered, visits, context])
}
