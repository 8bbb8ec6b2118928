import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { fold } from '../lib/fold.ts'
import { matching } from '../lib/match.ts'
import { t } from '../lib/texts/texts.ts'
import { Icon } from './icon.tsx'

export type Choice = {
  value: string
  label: string
  /** What tells apart two of one name: the company of a contact. */
  note?: string | undefined
  /** Before the label: an avatar, a tag's square. */
  mark?: ComponentChildren
  /** Further words that find it. */
  words?: string | undefined
}

/** Finds choices on the server for a typed text. The signal says that nobody waits any more. */
export type Search = (typed: string, signal: AbortSignal) => Promise<Choice[]>

/** Where choices come from: a list that is there, or a search. */
export type ChoiceSource = { choices?: readonly Choice[] | undefined; search?: Search | undefined }

const PAUSE_MS = 120
const MOST = 50

export type Found = { choices: Choice[]; state: 'ready' | 'searching' | 'failed' }

/** The choices for what is typed: at once from a list, after a pause in typing from a search. */
export function useChoices({ choices, search }: ChoiceSource, typed: string): Found {
  const [found, setFound] = useState<Found & { typed?: string }>({ choices: [], state: 'searching' })
  const latest = useRef(search)
  latest.current = search
  const hasSearch = search !== undefined
  useEffect(() => {
    if (!hasSearch) return
    const abort = new AbortController()
    const timer = setTimeout(
      async () => {
        try {
          const answer = (await latest.current?.(typed, abort.signal)) ?? []
          if (!abort.signal.aborted) setFound({ choices: answer.slice(0, MOST), state: 'ready', typed })
        } catch {
          if (!abort.signal.aborted) setFound({ choices: [], state: 'failed', typed })
        }
      },
      typed === '' ? 0 : PAUSE_MS,
    )
    return () => {
      abort.abort()
      clearTimeout(timer)
    }
  }, [typed, hasSearch])
  if (hasSearch) return found.typed === typed ? found : { choices: found.choices, state: 'searching' }
  const all = choices ?? []
  return { choices: matching(typed, all, nameOf).slice(0, MOST), state: 'ready' }
}

/**
 * Enter of whoever types faster than the search answers: what stands there is of an earlier text, so the first of what is
 * found for this one is picked once it is there. Returns what Enter does first: true if it has to wait.
 */
export function useEarlyEnter({ state }: Pick<Found, 'state'>, typed: string, pickFirst: () => void) {
  const awaited = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const isDue = awaited.current === typed
    if (isDue && state === 'searching') return
    awaited.current = undefined
    if (isDue && state === 'ready') pickFirst()
  }, [state, typed])
  return {
    isEarly: (): boolean => {
      if (state !== 'searching' || typed.trim() === '') return false
      awaited.current = typed
      return true
    },
    forget: () => void (awaited.current = undefined),
  }
}

/** What was found, and a row that makes what is typed if nothing has that name. */
export function rowsOf({ choices, state }: Found, typed: string, canCreate: boolean): Row[] {
  const rows: Row[] = choices.map((choice) => ({ kind: 'choice', choice }))
  const text = typed.trim()
  if (!canCreate || text === '' || state === 'searching') return rows
  const exists = choices.some(({ label }) => fold(label) === fold(text))
  return exists ? rows : [...rows, { kind: 'create', text }]
}

const nameOf = ({ label, note, words }: Choice): string => `${label} ${note ?? ''} ${words ?? ''}`

type ChoiceListProps = {
  id: string
  label: string
  rows: Row[]
  at: number
  chosen: (value: string) => boolean
  state: Found['state']
  multiple?: boolean | undefined
  onAt: (index: number) => void
  onPick: (row: Row) => void
}

export type Row = { kind: 'choice'; choice: Choice } | { kind: 'create'; text: string }

/** The rows of what was found, the last of which may create what is typed. The focus stays in the input. */
export function ChoiceList({ id, label, rows, at, chosen, state, multiple, onAt, onPick }: ChoiceListProps) {
  const texts = t()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('.is-at')?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const count = rows.filter(({ kind }) => kind === 'choice').length
  const told = state === 'searching' ? texts.searching : state === 'failed' ? texts.searchFailed : texts.noMatch
  return (
    <>
      <div ref={list} id={id} role="listbox" aria-label={label} aria-multiselectable={multiple}>
        {rows.map((row, index) => {
          const isChosen = row.kind === 'choice' && chosen(row.choice.value)
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the row it is at
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
            <div
              key={row.kind === 'choice' ? row.choice.value : '+'}
              id={`${id}-${index}`}
              role="option"
              aria-selected={isChosen}
              class={`mi${index === at ? ' is-at' : ''}${row.kind === 'create' && index > 0 ? ' last' : ''}`}
              onPointerMove={(event) => event.pointerType === 'mouse' && index !== at && onAt(index)}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onPick(row)}
            >
              {row.kind === 'create' ? (
                <CreateRow text={row.text} />
              ) : (
                <ChoiceRow choice={row.choice} isChosen={isChosen} />
              )}
            </div>
          )
        })}
      </div>
      {count === 0 && !(state === 'ready' && rows.length > 0) && <p class="cap">{told}</p>}
      <div class="sr" role="status">
        {state === 'ready' ? texts.results(count) : told}
      </div>
    </>
  )
}

function CreateRow({ text }: { text: string }) {
  return (
    <>
      <Icon name="plus" />
      <span class="cut" dir="auto">
        {t().create(text)}
      </span>
    </>
  )
}

function ChoiceRow({ choice, isChosen }: { choice: Choice; isChosen: boolean }) {
  return (
    <>
      {choice.mark}
      <span class="cut" dir="auto">
        {choice.label}
      </span>
      {choice.note && (
        <span class="cut mute small" dir="auto">
          {choice.note}
        </span>
      )}
      {isChosen && <Icon name="check" class="end" />}
    </>
  )
}
