import { useState } from 'preact/hooks'
import { Button, IconButton } from '../../components/button.tsx'
import type { Choice } from '../../components/choices.tsx'
import { Icon } from '../../components/icon.tsx'
import { Picker } from '../../components/picker.tsx'
import { boot } from '../../data/boot.ts'
import { ConditionEditor } from './condition-editor.tsx'
import { type Condition, type Filter, isComplete } from './conditions.ts'
import { currencyIn, withCurrency } from './currency.ts'
import { type FilterField, findField } from './filter-field.ts'
import { conditionOf, offered } from './operators.ts'
import { texts } from './words.ts'

type PartEditorProps = {
  fields: readonly FilterField[]
  /** What must hold together with it: an amount has its currency there. */
  among: readonly Filter[]
  /** Where it stands there; undefined for a new one. */
  at: number | undefined
  /** Of a new amount. */
  usualCurrency?: string | undefined
  /** Takes all that are complete, and where this one stands among them. */
  onChange: (parts: Filter[], at: number | 'new') => void
  /** Out of it; without it, a new condition leads back to the fields only. */
  onBack?: (() => void) | undefined
  onDone: () => void
  /** Begins a group, with this condition as the first alternative if there is one. */
  onGroup?: ((of: Condition | undefined) => void) | undefined
}

/** First the field, then its condition. What is complete takes effect at once. */
export function PartEditor(props: PartEditorProps) {
  const { fields, among, at, usualCurrency = boot.value.org.currency, onChange, onBack, onDone, onGroup } = props
  const isNew = at === undefined
  const [draft, setDraft] = useState(() => begun(fields, among, at))
  const field = draft && findField(fields, draft.field)
  const selected = currencyIn(among, fields)
  // A new amount is meant in one currency, unless one is selected already.
  const [currency, setCurrency] = useState(isNew && selected === '' ? usualCurrency : selected)
  const change = (next: Condition, inCurrency = currency) => {
    setDraft(next)
    setCurrency(inCurrency)
    const all = among.toSpliced(at ?? among.length, 1, next).filter(isComplete)
    const isPriced = inCurrency !== undefined && isComplete(next) && findField(fields, next.field)?.kind === 'amount'
    const changed = isPriced ? withCurrency(all, inCurrency) : all
    const now = changed.indexOf(next)
    onChange(changed, now < 0 ? 'new' : now)
  }
  if (field && draft) {
    return (
      <ConditionEditor
        field={field}
        condition={draft}
        currency={currency}
        back={
          isNew
            ? { title: texts().back, run: () => setDraft(undefined) }
            : onBack && { title: texts().backToGroup, run: onBack }
        }
        onOr={onGroup && !isNew && isComplete(draft) ? () => onGroup(draft) : undefined}
        onChange={change}
        onDone={onDone}
      />
    )
  }
  return (
    <>
      {onBack && (
        <div class="condition">
          <header class="row">
            <IconButton plain icon="left" title={texts().backToGroup} onClick={onBack} />
            <b>{texts().anyOf}</b>
          </header>
        </div>
      )}
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
      {onGroup && (
        <div class="condition">
          <div class="value">
            <Button plain icon="plus" onClick={() => onGroup(undefined)}>
              {texts().newGroup}
            </Button>
          </div>
        </div>
      )}
    </>
  )
}

function begun(fields: readonly FilterField[], among: readonly Filter[], at: number | undefined) {
  const part = at === undefined ? undefined : among[at]
  return part && offered(part, fields)
}

const fieldChoice = ({ name, label, icon, group }: FilterField): Choice => ({
  value: name,
  label,
  note: group,
  mark: icon && <Icon name={icon} />,
})
