import { useRef, useState } from 'preact/hooks'
import type { Draft, Field, Parsed } from './field.ts'
import { kindOf, sameValue, valueOfDraft } from './field-types.ts'

/** What an editor in place does with a value, whether it stands in a record or in a cell. */
export type Editing = ReturnType<typeof useEditing>

export function useEditing(field: Field, value: unknown, onSave: (value: unknown) => void) {
  const [draft, setDraft] = useState<Draft | typeof CLOSED>(CLOSED)
  const [error, setError] = useState<string | undefined>(undefined)
  // What is saved may have been typed in the same event, before it is drawn.
  const latest = useRef<Draft>(undefined)
  const refusedDraft = useRef<string>(undefined)
  const [isQuiet, setQuiet] = useState(false)

  const put = (next: Draft) => {
    latest.current = next
    setDraft(next)
    if (error !== undefined) setError(errorIn(valueOfDraft(next, field)))
  }
  /** True if it is closed: what cannot be read keeps it open, with the reason. */
  function save(given: Draft = latest.current): boolean {
    const parsed = valueOfDraft(given, field)
    if ('error' in parsed) {
      setError(parsed.error)
      return false
    }
    setDraft(CLOSED)
    setError(undefined)
    if (!sameValue(parsed.value, value)) onSave(parsed.value)
    return true
  }

  return {
    isOpen: draft !== CLOSED,
    draft,
    error,
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
    },
    /** Opens with a text in place of the value: the key that was pressed on a cell. */
    openWith(text: string) {
      put(kindOf(field.type).toDraft(null as never, field))
      if (typeof latest.current === 'string') put(text)
    },
    save,
    /** Saves, but not what was refused and not changed since: leaving it says nothing new. */
    leave(): boolean {
      return JSON.stringify(latest.current) !== refusedDraft.current && save()
    },
    drop() {
      setDraft(CLOSED)
      setError(undefined)
    },
  }
}

const CLOSED = Symbol('closed')

const errorIn = (parsed: Parsed): string | undefined => ('error' in parsed ? parsed.error : undefined)
