import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Button } from '../button.tsx'
import { Chip } from '../chip.tsx'
import { later } from '../later.tsx'
import { type Condition, isComplete, takesNothing, takesSeveral } from './conditions.ts'
import { choiceFor, type FilterField, findField } from './filter-field.ts'
import { conditionWords, countOf, operatorWords, texts, valueWords } from './words.ts'
import './filters.css'

const FilterPopover = later(() => import('./filter-popover.tsx').then((module) => module.FilterPopover))

type FilterBarProps = {
  fields: readonly FilterField[]
  conditions: readonly Condition[]
  onChange: (conditions: Condition[]) => void
  /** What is open: the choice of a field, or the condition at an index. The key that opens it sets it too. */
  open: Signal<'new' | number | null>
  /** The key of the command that opens it, as it is shown. */
  keys?: string | undefined
  /** At the right end: sort, search, what is shown. */
  children?: ComponentChildren
}

/** The conditions that all must hold, as chips, and what adds one. Incomplete ones are never handed on. */
export function FilterBar({ fields, conditions, onChange, open, keys, children }: FilterBarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const at = open.value
  // What is open keeps what was typed in it, also while its condition is incomplete and thus not among the others.
  const opening = useRef({ number: 0, at })
  if (opening.current.at === null && at !== null) opening.current.number++
  opening.current.at = at
  const edited = typeof at === 'number' ? conditions[at] : undefined
  const put = (index: number, condition: Condition | null) => {
    const next = [...conditions]
    if (condition) next[index] = condition
    else next.splice(index, 1)
    onChange(next.filter(isComplete))
  }
  const chipAt = (index: number) => bar.current?.querySelectorAll<HTMLElement>('.chip')[index]
  const isOpen = at === 'new' || edited !== undefined
  return (
    <div ref={bar} class="filters" role="toolbar" aria-label={texts().filters}>
      <div class="chips">
        {conditions.map((condition, index) => {
          const field = findField(fields, condition.field)
          return (
            field && (
              <ConditionChip
                key={`${condition.field}.${condition.op}.${index}`}
                field={field}
                condition={condition}
                onOpen={() => {
                  open.value = index
                }}
                onRemove={() => {
                  open.value = null
                  put(index, null)
                  add.current?.focus()
                }}
              />
            )
          )
        })}
        <Button
          plain
          ref={add}
          icon="filter"
          keys={keys}
          class="add-filter"
          aria-haspopup="dialog"
          aria-expanded={at === 'new'}
          onClick={() => {
            open.value = at === 'new' ? null : 'new'
          }}
        >
          {texts().filter}
        </Button>
      </div>
      {children && <div class="right">{children}</div>}
      {isOpen && add.current && (
        <FilterPopover
          key={opening.current.number}
          anchor={(typeof at === 'number' && chipAt(at)) || add.current}
          fields={fields}
          condition={edited}
          onChange={(condition) => {
            const index = typeof at === 'number' ? at : conditions.length
            put(index, condition)
            open.value = isComplete(condition) ? index : 'new'
          }}
          onClose={() => {
            open.value = null
          }}
        />
      )}
    </div>
  )
}

type ConditionChipProps = { field: FilterField; condition: Condition; onOpen: () => void; onRemove: () => void }

function ConditionChip({ field, condition, onOpen, onRemove }: ConditionChipProps) {
  return (
    <Chip
      field={field.label}
      operator={takesNothing(condition.op) ? undefined : operatorWords(condition.op, field.kind, countOf(condition))}
      removeTitle={texts().remove(conditionWords(field, condition))}
      onOpen={onOpen}
      onRemove={onRemove}
    >
      <ChipValue field={field} condition={condition} />
    </Chip>
  )
}

const MOST = 3

/** Several people or firms show as their marks alone; other values in words, the first of them. */
function ChipValue({ field, condition }: { field: FilterField; condition: Condition }) {
  const { op, value } = condition
  if (takesNothing(op)) return <>{operatorWords(op, field.kind)}</>
  if (!takesSeveral(op)) return <>{valueWords(field, condition)}</>
  const choices = (value as unknown[]).map((one) => choiceFor(field, one))
  const rest = choices.length > MOST && <span class="mute">{texts().more(choices.length - MOST)}</span>
  const names = choices.map(({ label }) => label).join(', ')
  if (choices.length > 1 && choices.every(({ mark }) => mark)) {
    return (
      <>
        <span class="marks" title={names}>
          {choices.slice(0, MOST).map((choice) => choice.mark)}
        </span>
        <span class="sr">{names}</span>
        {rest}
      </>
    )
  }
  return (
    <>
      {choices.length === 1 && choices[0]?.mark}
      <span class="cut" title={names}>
        {choices
          .slice(0, MOST)
          .map(({ label }) => label)
          .join(', ')}
      </span>
      {rest}
    </>
  )
}
