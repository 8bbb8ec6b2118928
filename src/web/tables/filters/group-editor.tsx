import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from '../../components/button.tsx'
import { type Filter, fromFilter, type Group, toFilter } from './conditions.ts'
import type { FilterField } from './filter-field.ts'
import { mainOf } from './group.ts'
import { PartEditor } from './part-editor.tsx'
import { filterWords, texts } from './words.ts'

type GroupEditorProps = {
  group: Group
  fields: readonly FilterField[]
  /** What the bar selects around it. */
  currency: string | undefined
  /** A person has just begun it: the next alternative is asked for at once. */
  isBegun: boolean
  /** Takes the alternatives that are complete. */
  onChange: (group: Group) => void
}

/** The alternative that is being changed: its parts, between those that stay. */
type Edit = { before: Filter[]; parts: Filter[]; at: number | undefined; after: Filter[] }

/** Alternatives, one of which must hold: each is made and changed like a condition of the bar. */
export function GroupEditor({ group, fields, currency, isBegun, onChange }: GroupEditorProps) {
  const newOne = (): Edit => ({ before: group.any, parts: [], at: undefined, after: [] })
  const [edit, setEdit] = useState<Edit | null>(isBegun ? newOne : null)
  const [number, setNumber] = useState(0)
  const open = (next: Edit) => {
    setNumber(number + 1)
    setEdit(next)
  }
  const leave = () => setEdit(null)
  if (!edit) {
    return (
      <Alternatives
        group={group}
        fields={fields}
        currency={currency}
        onAdd={() => open(newOne())}
        onOpen={(index, at) =>
          open({
            before: group.any.slice(0, index),
            parts: fromFilter(group.any[index] as Filter),
            at,
            after: group.any.slice(index + 1),
          })
        }
        onRemove={(index) => onChange({ any: group.any.toSpliced(index, 1) })}
      />
    )
  }
  return (
    <PartEditor
      key={number}
      fields={fields}
      among={edit.parts}
      at={edit.at}
      // Where the bar selects one already, an alternative needs none.
      usualCurrency={currency ? '' : undefined}
      onChange={(parts, at) => {
        const own = toFilter(parts)
        setEdit({ ...edit, parts, at: at === 'new' ? undefined : at })
        onChange({ any: [...edit.before, ...(own ? [own] : []), ...edit.after] })
      }}
      onBack={leave}
      onDone={leave}
    />
  )
}

type AlternativesProps = Pick<GroupEditorProps, 'group' | 'fields' | 'currency'> & {
  onAdd: () => void
  onOpen: (index: number, at: number) => void
  onRemove: (index: number) => void
}

function Alternatives({ group, fields, currency, onAdd, onOpen, onRemove }: AlternativesProps) {
  const add = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => add.current?.focus(), [])
  const places = group.any.map((each) => mainOf(each, fields))
  return (
    <div class="condition">
      <header class="row">
        <b>{texts().anyOf}</b>
      </header>
      <ul class="alternatives">
        {group.any.map((alternative, index) => {
          const at = places[index]
          const words = filterWords(alternative, fields, currency)
          return (
            <li key={`${index} ${words}`}>
              {index > 0 && <span class="mute">{texts().or}</span>}
              {at === undefined ? (
                <span class="words" dir="auto">
                  {words}
                </span>
              ) : (
                <button type="button" class="words" dir="auto" onClick={() => onOpen(index, at)}>
                  {words}
                </button>
              )}
              <IconButton
                plain
                icon="x"
                title={texts().remove(words)}
                onClick={() => {
                  onRemove(index)
                  add.current?.focus()
                }}
              />
            </li>
          )
        })}
      </ul>
      {places.includes(undefined) && <p class="help">{texts().keptAlternative}</p>}
      <div class="value">
        <Button ref={add} plain icon="plus" onClick={onAdd}>
          {texts().addAlternative}
        </Button>
      </div>
    </div>
  )
}
