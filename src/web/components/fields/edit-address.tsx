import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { format } from '../../lib/locale.ts'
import { Combobox } from '../combobox.tsx'
import { COUNTRIES } from './countries.ts'
import type { Address, EditProps } from './field.ts'
import { fieldTexts } from './texts.ts'

const LINES = [
  ['line1', 'line1'],
  ['line2', 'line2'],
  ['postal_code', 'postalCode'],
  ['city', 'city'],
  ['region', 'region'],
] as const

export function EditAddress({ field, draft, onDraft, id, describedBy, autofocus }: EditProps) {
  const texts = fieldTexts()
  const address = (draft ?? {}) as Address
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (autofocus) box.current?.querySelector('input')?.focus()
  }, [])
  const { countryName } = format.value
  const countries = useMemo(
    () => COUNTRIES.map((code) => ({ value: code, label: countryName(code), words: code })),
    [countryName],
  )
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the label of the field is one
    <div ref={box} class="address" role="group" aria-label={field.label}>
      {LINES.map(([part, name], index) => (
        <span key={part} class={`input ${part}`}>
          <input
            id={index === 0 ? id : undefined}
            class="bare"
            type="text"
            autocomplete="off"
            placeholder={texts[name]}
            aria-label={texts[name]}
            aria-describedby={describedBy}
            value={address[part] ?? ''}
            onInput={(event) => onDraft({ ...address, [part]: event.currentTarget.value })}
          />
        </span>
      ))}
      <span class="input country">
        <Combobox
          label={texts.country}
          placeholder={texts.country}
          clearable
          value={countries.find(({ value }) => value === address.country) ?? null}
          choices={countries}
          onPick={(choice) => onDraft({ ...address, country: choice?.value ?? null })}
        />
      </span>
    </div>
  )
}
