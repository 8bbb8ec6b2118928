import { useRef } from 'preact/hooks'
import { Button, IconButton } from '../../components/button.tsx'
import { boot } from '../../data/boot.ts'
import { type Condition, OPERATORS_OF, type Operator, takesNothing } from './conditions.ts'
import type { FilterField } from './filter-field.ts'
import { withOperator } from './operators.ts'
import { ValueEditor } from './value-editor.tsx'
import { operatorName, texts } from './words.ts'

type ConditionEditorProps = {
  field: FilterField
  condition: Condition
  /** Of an amount, where there is one to choose; empty for any. */
  currency: string | undefined
  back: { title: string; run: () => void } | undefined
  /** Adds an alternative to it. */
  onOr: (() => void) | undefined
  onChange: (condition: Condition, currency?: string) => void
  onDone: () => void
}

export function ConditionEditor({ field, condition, currency, back, onOr, onChange, onDone }: ConditionEditorProps) {
  /** The condition with what is being typed, which the filter has after a pause only. */
  const typed = useRef<() => Condition>(() => condition)
  typed.current = () => condition
  return (
    <div class="condition">
      <header class="row">
        {back && <IconButton plain icon="left" title={back.title} onClick={back.run} />}
        <b class="cut mid" dir="auto">
          {field.label}
        </b>
        <select
          aria-label={texts().operator}
          value={condition.op}
          onChange={(event) =>
            onChange(withOperator(typed.current(), field.kind, event.currentTarget.value as Operator))
          }
        >
          {OPERATORS_OF[field.kind].map((op) => (
            <option key={op} value={op}>
              {operatorName(op, field.kind)}
            </option>
          ))}
        </select>
      </header>
      {!takesNothing(condition.op) && (
        <ValueEditor
          key={condition.op}
          field={field}
          condition={condition}
          currency={currency}
          typed={typed}
          onChange={onChange}
          onDone={onDone}
        />
      )}
      {field.kind === 'amount' && currency !== undefined && !takesNothing(condition.op) && (
        <CurrencyChoice currency={currency} onChange={(code) => onChange(typed.current(), code)} />
      )}
      {onOr && (
        <div class="value">
          <Button plain icon="plus" onClick={onOr}>
            {texts().orElse}
          </Button>
        </div>
      )}
    </div>
  )
}

function CurrencyChoice({ currency, onChange }: { currency: string; onChange: (code: string) => void }) {
  const own = boot.value.org.currency
  const codes = [...new Set([own, ...(currency ? [currency] : []), ...Intl.supportedValuesOf('currency')])]
  return (
    <div class="value">
      <select
        class="input"
        aria-label={texts().currency}
        value={currency}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value="">{texts().anyCurrency}</option>
        {codes.map((code) => (
          <option key={code} value={code}>
            {code}
          </option>
        ))}
      </select>
    </div>
  )
}
