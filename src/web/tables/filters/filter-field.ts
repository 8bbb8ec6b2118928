import type { Choice, Search } from '../../components/choices.tsx'
import type { IconName } from '../../components/icon.tsx'
import type { FieldKind } from './conditions.ts'

/** A field that the bar offers. A screen makes the list of its own; `boot` has what custom fields there are. */
export type FilterField = {
  /** As in smart lists: `owner_id`, `custom_fields.channel`. */
  name: string
  label: string
  kind: FieldKind
  icon?: IconName | undefined
  /** What can be chosen: a list that is in the browser, or a search on the server. */
  choices?: (() => readonly Choice[]) | undefined
  search?: Search | undefined
  /** The choice behind a value that the list does not have. Reads a signal where it comes later. */
  choiceOf?: ((value: string) => Choice | undefined) | undefined
  /** The word that stands over the field and others like it, such as "Custom fields". */
  group?: string | undefined
}

export const findField = (fields: readonly FilterField[], name: string): FilterField | undefined =>
  fields.find((field) => field.name === name)

/** The choice to show for a value; the value itself where nothing is known of it yet. */
export function choiceFor(field: FilterField, value: unknown): Choice {
  const text = String(value)
  const own = field.choices?.().find((choice) => choice.value === text)
  return own ?? field.choiceOf?.(text) ?? { value: text, label: field.choices || field.choiceOf ? '…' : text }
}
