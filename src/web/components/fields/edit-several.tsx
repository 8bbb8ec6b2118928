import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../../lib/texts/texts.ts'
import { Button, IconButton } from '../button.tsx'
import { Icon } from '../icon.tsx'
import type { EditProps, Email, Line, Phone } from './field.ts'
import { fieldTexts } from './texts.ts'

export const linesOf = (items: readonly (Email | Phone)[] | null): Line[] =>
  (items ?? []).map((item) => {
    const text = 'email' in item ? item.email : item.number
    return { text, label: item.label, is_primary: item.is_primary, stored: text }
  })

const LABELS = ['work', 'home', 'other'] as const

/** Addresses or numbers, each with its kind; one of them is the primary one. */
export const editSeveral = (type: 'email' | 'tel') =>
  function EditSeveral({ field, draft, onDraft, id, describedBy, invalid, autofocus }: EditProps) {
    const texts = fieldTexts()
    const given = draft as Line[]
    const lines = given.length > 0 ? given : [{ text: '', label: 'work', is_primary: true }]
    const box = useRef<HTMLDivElement>(null)
    const isAdded = useRef(false)
    useLayoutEffect(() => {
      if (autofocus) box.current?.querySelector('input')?.focus()
    }, [])
    useLayoutEffect(() => {
      if (!isAdded.current) return
      isAdded.current = false
      ;[...(box.current?.querySelectorAll('input') ?? [])].at(-1)?.focus()
    }, [lines.length])
    const add = () => {
      isAdded.current = true
      onDraft([...lines, { text: '', label: 'work', is_primary: false }])
    }
    const change = (index: number, part: Partial<Line>) =>
      onDraft(lines.map((line, at) => (at === index ? { ...line, ...part } : line)))
    const remove = (index: number) => {
      const rest = lines.filter((_, at) => at !== index)
      const hasPrimary = rest.some(({ is_primary }) => is_primary)
      onDraft(rest.map((line, at) => (at === 0 && !hasPrimary ? { ...line, is_primary: true } : line)))
    }
    const name = type === 'email' ? texts.email : texts.phone
    return (
      // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend, and the label of the field is one
      <div ref={box} class="several" role="group" aria-label={field.label}>
        {lines.map((line, index) => (
          <div key={index} class="row">
            <span class="input grow">
              <input
                id={index === 0 ? id : undefined}
                class="bare"
                type="text"
                inputMode={type}
                autocomplete="off"
                placeholder={field.example}
                aria-label={`${name} ${index + 1}`}
                aria-invalid={invalid || undefined}
                aria-describedby={describedBy}
                value={line.text}
                onInput={(event) => change(index, { text: event.currentTarget.value })}
              />
            </span>
            <span class="input kind">
              <select
                class="bare"
                aria-label={`${texts.kind} ${index + 1}`}
                value={line.label}
                onChange={(event) => change(index, { label: event.currentTarget.value })}
              >
                {LABELS.map((label) => (
                  <option key={label} value={label}>
                    {texts[label]}
                  </option>
                ))}
              </select>
              <Icon name="down" small />
            </span>
            {lines.length > 1 && (
              <>
                <IconButton
                  plain
                  icon="star"
                  title={line.is_primary ? texts.primary : texts.makePrimary}
                  class={line.is_primary ? 'acc' : undefined}
                  aria-pressed={line.is_primary}
                  onClick={() => onDraft(lines.map((each, at) => ({ ...each, is_primary: at === index })))}
                />
                <IconButton plain icon="x" title={t().remove(line.text || name)} onClick={() => remove(index)} />
              </>
            )}
          </div>
        ))}
        <Button plain icon="plus" onClick={add}>
          {t().addAnother}
        </Button>
      </div>
    )
  }
