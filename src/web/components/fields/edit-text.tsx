import { useLayoutEffect, useRef } from 'preact/hooks'
import type { EditProps } from './field.ts'

type InputType = 'text' | 'url' | 'email' | 'tel' | 'date' | 'datetime-local'

/** A single line. Phones offer the keyboard of the type, and nothing is checked by the browser. */
export const editLine = (type: InputType, inputMode?: 'decimal') =>
  function EditLine({ field, draft, onDraft, id, describedBy, invalid, where, autofocus }: EditProps) {
    const input = useRef<HTMLInputElement>(null)
    const isNative = type === 'date' || type === 'datetime-local'
    useLayoutEffect(() => {
      if (!autofocus) return
      input.current?.focus()
      if (!isNative) input.current?.select()
    }, [])
    // A half typed date has no value: written back, it would empty what was typed.
    const text = String(draft ?? '')
    const value = isNative ? { defaultValue: text } : { value: text }
    return (
      <input
        {...value}
        ref={input}
        id={id}
        class="bare"
        dir={type === 'text' ? 'auto' : undefined}
        type={(type === 'email' ? 'text' : type) as 'text'}
        inputMode={inputMode ?? (type === 'email' ? 'email' : undefined)}
        autocomplete="off"
        spellcheck={type === 'text'}
        placeholder={field.example}
        aria-label={where === 'place' ? field.label : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        required={where === 'form' && field.is_required ? true : undefined}
        onInput={({ currentTarget }) => onDraft(currentTarget.validity.badInput ? HALF : currentTarget.value)}
      />
    )
  }

/** The draft of a date that is not wholly typed. */
export const HALF = '?'

/** Several lines; as high as its text, within bounds. */
export function EditLongText({ field, draft, onDraft, id, describedBy, invalid, where, autofocus }: EditProps) {
  const area = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    if (!autofocus || !area.current) return
    area.current.focus()
    area.current.setSelectionRange(area.current.value.length, area.current.value.length)
  }, [])
  return (
    <textarea
      ref={area}
      id={id}
      class="bare"
      dir="auto"
      rows={3}
      placeholder={field.example}
      aria-label={where === 'place' ? field.label : undefined}
      aria-invalid={invalid || undefined}
      aria-describedby={describedBy}
      value={String(draft ?? '')}
      onInput={(event) => onDraft(event.currentTarget.value)}
    />
  )
}
