import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { format } from '../../lib/locale.ts'
import { Combobox } from '../combobox.tsx'
import type { EditProps } from './field.ts'
import { useSources } from './sources.ts'
import { fieldTexts } from './texts.ts'

/** What is typed, and the currency beside it. */
export type MoneyDraft = { text: string; currency: string | null }

export function EditMoney({ field, draft, onDraft, id, describedBy, invalid, where, autofocus }: EditProps) {
  const { text, currency } = draft as MoneyDraft
  const own = useSources().currency()
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (!autofocus) return
    input.current?.focus()
    input.current?.select()
  }, [])
  const chosen = currency ?? own
  const { currencyName } = format.value
  const choices = useMemo(
    () =>
      [own, ...Intl.supportedValuesOf('currency').filter((code) => code !== own)].map((code) => ({
        value: code,
        label: code,
        note: currencyName(code),
      })),
    [own, currencyName],
  )
  return (
    <>
      <span class="code">
        <Combobox
          label={fieldTexts().currency}
          value={choices.find(({ value }) => value === chosen) ?? { value: chosen, label: chosen }}
          choices={choices}
          onPick={(choice) => choice && onDraft({ text, currency: choice.value })}
        />
      </span>
      <input
        ref={input}
        id={id}
        class="bare"
        type="text"
        inputMode="decimal"
        autocomplete="off"
        placeholder={field.example}
        aria-label={where === 'place' ? field.label : undefined}
        aria-invalid={invalid || undefined}
        aria-describedby={describedBy}
        value={text}
        onInput={(event) => onDraft({ text: event.currentTarget.value, currency: chosen })}
      />
    </>
  )
}
