import { useState } from 'preact/hooks'
import type { Anchor } from '../../lib/place.ts'
import { Button } from '../button.tsx'
import type { Choice } from '../choices.tsx'
import { Icon } from '../icon.tsx'
import { Picker } from '../picker.tsx'
import { Popover } from '../popover.tsx'
import { type Condition, OPERATORS_OF, type Operator, takesNothing } from './conditions.ts'
import { conditionOf, type FilterField, findField, withOperator } from './filter-field.ts'
import { ValueEditor } from './value-editor.tsx'
import { operatorWords, texts } from './words.ts'

type FilterPopoverProps = {
  anchor: Anchor
  fields: readonly FilterField[]
  /** The condition to change; undefined for a new one. */
  condition: Condition | undefined
  onChange: (condition: Condition) => void
  onClose: () => void
}

/** First the field, then its condition. What is complete takes effect at once. */
export function FilterPopover({ anchor, fields, condition, onChange, onClose }: FilterPopoverProps) {
  const [draft, setDraft] = useState(condition)
  const field = draft && findField(fields, draft.field)
  const change = (next: Condition) => {
    setDraft(next)
    onChange(next)
  }
  return (
    <Popover
      anchor={anchor}
      onClose={onClose}
      class="menu choices filter-popover"
      role="dialog"
      aria-label={texts().filter}
    >
      {field && draft ? (
        <ConditionEditor
          field={field}
          condition={draft}
          onBack={condition ? undefined : () => setDraft(undefined)}
          onChange={change}
          onDone={onClose}
        />
      ) : (
        <Picker
          autofocus
          label={texts().findField}
          choices={fields.map(fieldChoice)}
          chosen={[]}
          onPick={({ value }) => {
            const found = findField(fields, value)
            if (found) change(conditionOf(found))
          }}
        />
      )}
    </Popover>
  )
}

const fieldChoice = ({ name, label, icon, group }: FilterField): Choice => ({
  value: name,
  label,
  note: group,
  mark: icon && <Icon name={icon} />,
})

type ConditionEditorProps = {
  field: FilterField
  condition: Condition
  onBack: (() => void) | undefined
  onChange: (condition: Condition) => void
  onDone: () => void
}

function ConditionEditor({ field, condition, onBack, onChange, onDone }: ConditionEditorProps) {
  return (
    <div class="condition">
      <header>
        {onBack && (
          <Button plain class="icon" title={texts().back} aria-label={texts().back} onClick={onBack}>
            <Icon name="left" />
          </Button>
        )}
        <b class="cut mid">{field.label}</b>
        <select
          aria-label={texts().operator}
          value={condition.op}
          onChange={(event) => onChange(withOperator(condition, field.kind, event.currentTarget.value as Operator))}
        >
          {OPERATORS_OF[field.kind].map((op) => (
            <option key={op} value={op}>
              {operatorWords(op, field.kind)}
            </option>
          ))}
        </select>
      </header>
      {!takesNothing(condition.op) && (
        <ValueEditor key={condition.op} field={field} condition={condition} onChange={onChange} onDone={onDone} />
      )}
    </div>
  )
}
