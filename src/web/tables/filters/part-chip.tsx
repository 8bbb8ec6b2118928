import { Chip } from '../../components/chip.tsx'
import { type Condition, type Filter, isCondition, takesNothing, takesSeveral } from './conditions.ts'
import { currencyIn } from './currency.ts'
import { choiceFor, type FilterField, findField } from './filter-field.ts'
import { filterWords, operatorOf, operatorWords, texts, valueWords } from './words.ts'

type PartChipProps = {
  part: Filter
  /** All parts of the bar, and the fields that it offers. */
  among: readonly Filter[]
  fields: readonly FilterField[]
  onOpen: () => void
  onRemove: () => void
}

/** A part of the bar, in words. */
export function PartChip({ part, among, fields, onOpen, onRemove }: PartChipProps) {
  const currency = currencyIn(among, fields)
  const words = filterWords(part, fields, currency)
  const field = isCondition(part) ? findField(fields, part.field) : undefined
  const common = { removeTitle: texts().remove(words), onOpen, onRemove }
  if (field && isCondition(part)) {
    return (
      <Chip {...common} field={field.label} operator={takesNothing(part.op) ? undefined : operatorOf(field, part)}>
        <ChipValue field={field} condition={part} currency={currency} />
      </Chip>
    )
  }
  return (
    <Chip {...common} field={'any' in part ? texts().anyOf : undefined}>
      <span class="cut of-group" dir="auto" title={words}>
        {words}
      </span>
    </Chip>
  )
}

const MOST = 3

/** Several people or firms show as their marks alone; other values in words, the first of them. */
type ChipValueProps = { field: FilterField; condition: Condition; currency: string | undefined }

function ChipValue({ field, condition, currency }: ChipValueProps) {
  const { op, value } = condition
  if (takesNothing(op)) return <>{operatorWords(op, field.kind)}</>
  if (!takesSeveral(op)) return <>{valueWords(field, condition, currency)}</>
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
      <span class="cut" dir="auto" title={names}>
        {choices
          .slice(0, MOST)
          .map(({ label }) => label)
          .join(', ')}
      </span>
      {rest}
    </>
  )
}
