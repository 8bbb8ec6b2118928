import { useRef, useState } from 'preact/hooks'
import type { Draft, Field, Parsed } from './field.ts'
import { kindOf, overlong, readAs, sameValue, valueOfDraft } from './field-types.ts'

/** What an editor in place does with a value, whether it stands in a record or in a cell. */
export type Editing = ReturnType<typeof useEditing>

/** `onUnread` hears of a text that could only be read once its editor was gone, and was none; without it, that opens again. */
export function useEditing(
  field: Field,
  value: unknown,
  onSave: (value: unknown) => void,
  onUnread?: (text: string, reason: string) => void,
) {
  const [draft, setDraft] = useState<Draft | typeof CLOSED>(CLOSED)
  const [error, setError] = useState<string | undefined>(undefined)
  // What is saved may have been typed in the same event, before it is drawn.
  const latest = useRef<Draft>(undefined)
  const refusedDraft = useRef<string>(undefined)
  const opened = useRef<string>(undefined)
  /** False from the moment of saving: an editor that goes away is left, too, before its going is drawn. */
  const isEdited = useRef(false)
  const [isQuiet, setQuiet] = useState(false)

  const put = (next: Draft) => {
    isEdited.current = true
    latest.current = next
    setDraft(next)
    setError(error === undefined ? overlong(next, field) : errorIn(valueOfDraft(next, field)))
  }
  const close = () => {
    isEdited.current = false
    setDraft(CLOSED)
  }
  /** True if it is closed: what cannot be read keeps it open, with the reason. */
  function save(given: Draft = latest.current): boolean {
    if (!isEdited.current) return true
    // Nothing was typed: what the editor shows may be less than the value, which others may have changed meanwhile.
    if (JSON.stringify(given) === opened.current) {
      close()
      return true
    }
    const parsed = valueOfDraft(given, field)
    if ('error' in parsed && !parsed.later) {
      setError(parsed.error)
      return false
    }
    close()
    setError(undefined)
    if ('value' in parsed) keep(parsed.value)
    else void parsed.later?.().then((found) => ('value' in found ? keep(found.value) : refuse(given, found.error)))
    return true
  }
  const keep = (next: unknown) => {
    if (!sameValue(next, value)) onSave(next)
  }
  function refuse(typed: Draft, reason: string): void {
    if (onUnread) {
      onUnread(textOfDraft(typed), reason)
      return
    }
    put(typed)
    setError(reason)
    setQuiet(true)
    refusedDraft.current = JSON.stringify(typed)
    opened.current = undefined
  }

  return {
    isOpen: draft !== CLOSED,
    draft,
    error,
    /** How what is typed is understood, if that may surprise. */
    readAs: draft === CLOSED || JSON.stringify(draft) === opened.current ? undefined : readAs(draft, field),
    /** It opened by itself, while the focus was elsewhere. */
    isQuiet,
    put,
    /** Opens with the value, or with what was typed and not taken. */
    open(refused?: { typed: unknown; message: string; isQuiet: boolean }) {
      const shown = refused ? refused.typed : value
      put(kindOf(field.type).toDraft((shown ?? null) as never, field))
      setError(refused?.message)
      setQuiet(refused?.isQuiet === true)
      refusedDraft.current = refused ? JSON.stringify(latest.current) : undefined
      opened.current = refused ? undefined : JSON.stringify(latest.current)
    },
    /** Opens with a text in place of the value: the key that was pressed on a cell. */
    openWith(text: string) {
      put(kindOf(field.type).toDraft(null as never, field))
      opened.current = undefined
      if (typeof latest.current === 'string') put(text)
    },
    save,
    /** Saves, but not what was refused and not changed since: leaving it says nothing new. */
    leave(): boolean {
      return JSON.stringify(latest.current) !== refusedDraft.current && save()
    },
    /** Closes what was opened with a refused text, once that is settled elsewhere. */
    settle(): void {
      if (refusedDraft.current === undefined || JSON.stringify(latest.current) !== refusedDraft.current) return
      refusedDraft.current = undefined
      close()
      setError(undefined)
    },
    /** Returns how it is opened again with what was dropped, if something was typed that takes more than a moment. */
    drop(): (() => void) | undefined {
      const typed = latest.current
      close()
      setError(undefined)
      if (kindOf(field.type).layout === 'line' || JSON.stringify(typed) === opened.current) return undefined
      return () => {
        put(typed)
        setQuiet(false)
        opened.current = undefined
      }
    },
  }
}

const CLOSED = Symbol('closed')

/** What was typed: a text, one beside a currency, or several lines. */
const textOfDraft = (draft: Draft): string =>
  [draft ?? []]
    .flat()
    .map((each) => (typeof each === 'string' ? each : String((each as { text?: unknown }).text ?? '')))
    .join(', ')

const errorIn = (parsed: Parsed): string | undefined => ('error' in parsed ? parsed.error : undefined)
