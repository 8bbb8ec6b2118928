import type { Field } from './field.ts'
import { isEmpty, kindOf } from './field-types.ts'

/** A value as it is read, wherever it stands. Nothing is "—". */
export function Value({ value, field }: { value: unknown; field: Field }) {
  if (isEmpty(value)) return <span class="mute">—</span>
  const { Show } = kindOf(field.type)
  return <Show value={value as never} field={field} />
}
