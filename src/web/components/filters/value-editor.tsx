import { useEffect, useRef, useState } from 'preact/hooks'
import { format } from '../../lib/locale.ts'
import { dateIn, momentOf } from '../../lib/zoned.ts'
import { Picker } from '../picker.tsx'
import { type Condition, takesDays, takesSeveral } from './conditions.ts'
import type { FilterField } from './filter-field.ts'
import { texts } from './words.ts'

type ValueEditorProps = {
  field: FilterField
  condition: Condition
  onChange: (condition: Condition) => void
  /** Enter in an input ends it. */
  onDone: () => void
}

/** Takes the value of a condition, by the kind of its field. */
export function ValueEditor(props: ValueEditorProps) {
  const { field, condition, onChange } = props
  const { op, value } = condition
  if (takesSeveral(op)) {
    const chosen = ((value ?? []) as unknown[]).map(String)
    return (
      <Picker
        autofocus
        multiple
        label={field.label}
        choices={field.choices?.()}
        search={field.search}
        chosen={chosen}
        onPick={(choice) => {
          const isChosen = chosen.includes(choice.value)
          const next = isChosen ? chosen.filter((one) => one !== choice.value) : [...chosen, choice.value]
          onChange({ ...condition, value: next })
        }}
      />
    )
  }
  if (field.kind === 'flag') return <YesNo {...props} />
  if (takesDays(op)) return <DaysInput {...props} />
  const type = field.kind === 'date' || field.kind === 'time' ? 'date' : 'text'
  return <TextInput {...props} type={type} isNumber={field.kind === 'number' || field.kind === 'amount'} />
}

function YesNo({ condition, onChange }: ValueEditorProps) {
  return (
    <div class="yes-no">
      {[true, false].map((each) => (
        <label key={String(each)} class="mi">
          <input
            type="radio"
            name="yes-no"
            checked={condition.value === each}
            onChange={() => onChange({ ...condition, value: each })}
          />
          {each ? texts().yes : texts().no}
        </label>
      ))}
    </div>
  )
}

const DAYS = [7, 30, 60, 90]

function DaysInput({ condition, onChange, onDone }: ValueEditorProps) {
  const value = condition.value as number
  return (
    <div class="value">
      <input
        type="number"
        class="input"
        min={0}
        max={36_500}
        aria-label={texts().daysLabel}
        value={value}
        ref={focusOnce}
        onInput={(event) => {
          const days = event.currentTarget.valueAsNumber
          if (Number.isInteger(days) && days >= 0 && days <= 36_500) onChange({ ...condition, value: days })
        }}
        onKeyDown={(event) => event.key === 'Enter' && onDone()}
      />
      <div class="row">
        {DAYS.map((days) => (
          <button
            key={days}
            type="button"
            class="btn"
            aria-pressed={value === days}
            onClick={() => onChange({ ...condition, value: days })}
          >
            {texts().days(days)}
          </button>
        ))}
      </div>
    </div>
  )
}

const PAUSE_MS = 250

function TextInput({
  field,
  condition,
  onChange,
  onDone,
  type,
  isNumber,
}: ValueEditorProps & { type: 'date' | 'text'; isNumber: boolean }) {
  const [text, setText] = useState(textOf(field, condition.value))
  const [isBad, setBad] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (given: string) => {
    clearTimeout(timer.current)
    const value = isNumber ? numberOf(given) : field.kind === 'time' ? startOf(given) : given.trim()
    setBad(value === undefined && given.trim() !== '')
    if (value !== undefined && value !== '') onChange({ ...condition, value })
  }
  return (
    <div class="value">
      <input
        {...(type === 'date' ? { type: 'date' } : { type: 'text', inputMode: isNumber ? 'decimal' : undefined })}
        class={isBad ? 'input is-bad' : 'input'}
        aria-label={field.label}
        aria-invalid={isBad || undefined}
        value={text}
        ref={focusOnce}
        onInput={(event) => {
          const given = event.currentTarget.value
          setText(given)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => apply(given), PAUSE_MS)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          apply(text)
          if (!isNumber || numberOf(text) !== undefined) onDone()
        }}
      />
      {isBad && <p class="help late">{texts().badNumber}</p>}
    </div>
  )
}

function textOf({ kind }: FilterField, value: unknown): string {
  if (value === undefined || value === null) return ''
  return kind === 'time' ? dateIn(Date.parse(String(value)), format.value.timezone) : String(value)
}

/** The first moment of a day, as the API has times. */
function startOf(date: string): string | undefined {
  const [year, month, day] = date.split('-').map(Number)
  if (!year || !month || !day) return undefined
  const at = momentOf({ year, month, day, hour: 0, minute: 0, second: 0 }, format.value.timezone)
  return new Date(at).toISOString()
}

/** Takes points and commas between thousands, as people copy them: 48,500 and 48.500,00 and 48 500. */
function numberOf(text: string): number | undefined {
  const plain = text.replaceAll(/[\s'’]/g, '')
  const last = Math.max(plain.lastIndexOf(','), plain.lastIndexOf('.'))
  const isDecimal = last >= 0 && !/^[.,]\d{3}$/.test(plain.slice(last))
  const whole = isDecimal ? plain.slice(0, last) : plain
  const value = `${whole.replaceAll(/[.,]/g, '')}${isDecimal ? `.${plain.slice(last + 1)}` : ''}`
  return /^\d+(\.\d*)?$/.test(value) ? Number(value) : undefined
}

const seen = new WeakSet<HTMLElement>()

/** The input has the focus when it comes into the page, and not again. */
function focusOnce(element: HTMLInputElement | null): void {
  if (!element || seen.has(element)) return
  seen.add(element)
  element.focus()
}
