import { useEffect, useRef, useState } from 'preact/hooks'
import { reading } from '../../components/fields/figure-kinds.ts'
import { fieldTexts } from '../../components/fields/texts.ts'
import { Picker } from '../../components/picker.tsx'
import { format } from '../../lib/locale.ts'
import { isPeriod } from '../../lib/periods.ts'
import { type Condition, takesDays, takesSeveral } from './conditions.ts'
import { dayOfBound } from './day-bounds.ts'
import type { FilterField } from './filter-field.ts'
import { PeriodButtons } from './period-buttons.tsx'
import { readValue } from './read-value.ts'
import { texts } from './words.ts'

type ValueEditorProps = {
  field: FilterField
  condition: Condition
  /** Of an amount, where there is one to choose; empty for any. */
  currency?: string | undefined
  /** Is told how to take the condition with what is being typed. */
  typed: { current: () => Condition }
  onChange: (condition: Condition, currency?: string) => void
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
  if (field.kind === 'date' || field.kind === 'time') return <DayInput {...props} />
  return <TextInput {...props} type="text" isNumber={field.kind === 'number' || field.kind === 'amount'} />
}

/** A period, or a day. A moment equals no day, so that only periods are offered there. */
function DayInput(props: ValueEditorProps) {
  const { field, condition, onChange } = props
  const { op } = condition
  /** A new input with each period: what was being typed is not written over it. */
  const [picked, setPicked] = useState(0)
  const hasDays = field.kind === 'date' || (op !== 'eq' && op !== 'ne')
  return (
    <>
      <div class="value">
        <PeriodButtons
          condition={condition}
          onChange={(next) => {
            setPicked(picked + 1)
            onChange(next)
          }}
        />
      </div>
      {hasDays && (
        <>
          <p class="help mute">{texts().orDay}</p>
          <TextInput key={picked} {...props} isQuiet={picked > 0} type="date" isNumber={false} />
        </>
      )}
    </>
  )
}

function YesNo({ condition, onChange }: ValueEditorProps) {
  return (
    <div>
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
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault() // it would press what has the focus next
          onDone()
        }}
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
      {(condition.op === 'in_last_days' || condition.op === 'in_next_days') && (
        <PeriodButtons condition={condition} onChange={onChange} />
      )}
    </div>
  )
}

const PAUSE_MS = 250

function TextInput({
  field,
  condition,
  currency,
  typed,
  onChange,
  onDone,
  type,
  isNumber,
  isQuiet,
}: ValueEditorProps & { type: 'date' | 'text'; isNumber: boolean; isQuiet?: boolean }) {
  const [first] = useState(() => textOf(field, condition.value))
  const [text, setText] = useState(first)
  const [error, setError] = useState<string | undefined>(undefined)
  /** The text that the filter has now. */
  const applied = useRef(first)
  /** The text that stands in the input, also before it is drawn. */
  const latest = useRef(first)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const found = readValue(field, condition.op, text, reading())
  /** True if the text is a value. */
  const apply = (given: string): boolean => {
    clearTimeout(timer.current)
    const parsed = readValue(field, condition.op, given, reading())
    setError('error' in parsed ? parsed.error : undefined)
    if ('error' in parsed) return false
    applied.current = given
    if (parsed.value !== null) {
      const typed = currency === undefined ? undefined : parsed.currency
      onChange({ ...condition, value: parsed.value }, ...(typed ? [typed] : []))
    }
    return true
  }
  typed.current = () => {
    const parsed = readValue(field, condition.op, latest.current, reading())
    const isNew = latest.current !== applied.current && 'value' in parsed && parsed.value !== null
    // It is on its way: the input that leaves with its operator must not put that back.
    clearTimeout(timer.current)
    applied.current = latest.current
    return isNew ? { ...condition, value: parsed.value } : condition
  }
  const isSure = !isNumber || text === first || /^-?\d*$/.test(text.trim())
  return (
    <div class="value">
      <input
        {...(type === 'date' ? { type: 'date' } : { type: 'text', inputMode: isNumber ? 'decimal' : undefined })}
        class={error ? 'input is-bad' : 'input'}
        aria-label={field.label}
        aria-invalid={error !== undefined || undefined}
        value={text}
        ref={isQuiet ? null : focusOnce}
        onInput={(event) => {
          const given = event.currentTarget.value
          latest.current = given
          setText(given)
          clearTimeout(timer.current)
          timer.current = setTimeout(() => apply(given), PAUSE_MS)
        }}
        onBlur={() => latest.current !== applied.current && apply(latest.current)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          if (text === applied.current || apply(text)) onDone()
        }}
      />
      {error && <p class="help late">{error}</p>}
      {!error && !isSure && 'value' in found && typeof found.value === 'number' && (
        <p class="help" role="status">
          {fieldTexts().readAs(
            field.kind === 'amount'
              ? format.value.money(found.value, found.currency ?? currency ?? '')
              : format.value.number(found.value),
          )}
        </p>
      )}
    </div>
  )
}

function textOf({ kind }: FilterField, value: unknown): string {
  if (value === undefined || value === null || ((kind === 'date' || kind === 'time') && isPeriod(value))) return ''
  if (kind === 'number' || kind === 'amount') return format.value.number(value as number)
  return kind === 'time' ? dayOfBound(String(value)) : String(value)
}

const seen = new WeakSet<HTMLElement>()

/** The input has the focus when it comes into the page, and not again. */
function focusOnce(element: HTMLInputElement | null): void {
  if (!element || seen.has(element)) return
  seen.add(element)
  element.focus()
}
