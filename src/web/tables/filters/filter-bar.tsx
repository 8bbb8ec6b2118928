import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { later, laterInFocus } from '../../components/later.tsx'
import { t } from '../../lib/texts/texts.ts'
import type { Filter } from './conditions.ts'
import type { FilterField } from './filter-field.ts'
import './filters.css'

const PartChip = later(() => import('./part-chip.tsx').then((module) => module.PartChip))
const FilterPopover = laterInFocus(() => import('./filter-popover.tsx').then((module) => module.FilterPopover))

type FilterBarProps = {
  fields: readonly FilterField[]
  conditions: readonly Filter[]
  onChange: (conditions: Filter[]) => void
  /** What is open: the choice of a field, or the condition at an index. The key that opens it sets it too. */
  open: Signal<'new' | number | null>
  /** The key of the command that opens it, as it is shown. */
  keys?: string | undefined
  /** At the right end: sort, search, what is shown. */
  children?: ComponentChildren
}

/** The parts that all must hold, as chips, and what adds one. Incomplete ones are never handed on. */
export function FilterBar({ fields, conditions, onChange, open, keys, children }: FilterBarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const at = open.value
  // What is open when the bar comes, as on a phone, has its button to stand at only then.
  const [, setHere] = useState(false)
  useLayoutEffect(() => setHere(true), [])
  // What is open keeps what was typed in it, also while its condition is incomplete and thus not among the others.
  const opening = useRef({ number: 0, at })
  if (opening.current.at === null && at !== null) opening.current.number++
  opening.current.at = at
  const edited = typeof at === 'number' ? conditions[at] : undefined
  const remove = (index: number) => {
    open.value = null
    onChange(conditions.filter((_, each) => each !== index))
    add.current?.focus()
  }
  const chipAt = (index: number) => bar.current?.querySelectorAll<HTMLElement>('.chip')[index]
  const isOpen = at === 'new' || edited !== undefined
  return (
    <div ref={bar} class="filters row strip" role="toolbar" aria-label={t().filters}>
      <div class="chips row">
        {conditions.map((part, index) => (
          <PartChip
            key={'field' in part ? `${part.field}.${part.op}.${index}` : index}
            part={part}
            among={conditions}
            fields={fields}
            onOpen={() => {
              open.value = index
            }}
            onRemove={() => remove(index)}
          />
        ))}
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
          {t().filter}
        </Button>
      </div>
      {children && <div class="right row">{children}</div>}
      {isOpen && add.current && (
        <FilterPopover
          key={opening.current.number}
          anchor={(typeof at === 'number' && chipAt(at)) || add.current}
          fields={fields}
          conditions={conditions}
          at={edited ? (at as number) : undefined}
          onChange={(next, now) => {
            onChange(next)
            open.value = now
          }}
          onRemove={() => typeof at === 'number' && remove(at)}
          onClose={() => {
            open.value = null
          }}
        />
      )}
    </div>
  )
}
