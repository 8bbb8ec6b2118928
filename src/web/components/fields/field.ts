import type { ComponentChildren } from 'preact'
import type { Context } from '../../../lib/written/reading.ts'
import type { Amount } from '../../lib/decimal.ts'
import type { Sources } from './sources.ts'

/** The eleven types of custom fields, and those that only fields of our own have. */
export type FieldType =
  | 'text'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'select'
  | 'multi_select'
  | 'url'
  | 'email'
  | 'phone'
  | 'member'
  | 'long_text'
  | 'money'
  | 'emails'
  | 'phones'
  | 'company'
  | 'contact'
  | 'contacts'
  | 'companies'
  | 'deals'
  | 'tags'
  | 'address'

export type Option = { value: string; label: string; color?: string | null | undefined }

/** What a field is: how it is called, shown, edited and read follows from it. A custom field of the API is one as it is. */
export type Field = {
  key: string
  label: string
  type: FieldType
  options?: readonly Option[] | undefined
  is_required?: boolean | undefined
  /** A text that may be as long as a note, as those of custom fields. */
  isLong?: boolean | undefined
  help_text?: string | null | undefined
  /** An example, shown where nothing is typed. */
  example?: string | undefined
  /** What an empty one reads instead of "Add", where no label stands beside it. */
  add?: string | undefined
  /** Why it cannot be edited. */
  off?: string | undefined
}

export type Money = { amount: Amount | null; currency: string | null }
export type Email = { email: string; label: string; is_primary: boolean }
export type Phone = { number: string; label: string; is_primary: boolean }
export type Address = Partial<Record<'line1' | 'line2' | 'city' | 'region' | 'postal_code' | 'country', string | null>>

/** An address or a number, whichever the list is of, under one name while it is edited. */
export type Line = {
  text: string
  label: string
  is_primary: boolean
  /** The text of what is stored, which is not read again: no editor refuses what came in by another way. */
  stored?: string
}

/** What the other cells of a pasted column have shown, and where the days of a field lie. */
export type Known = Pick<
  Context,
  'decimal' | 'group' | 'order' | 'orderOfPoints' | 'counted' | 'isMidnightUtc' | 'lies'
>

/**
 * What was read from what somebody typed; an error is a sentence for them. `later` is what it will be once the readers are
 * there, where they are still on their way.
 */
export type Parsed = { value: unknown } | { error: string; later?: () => Promise<Parsed> }

/** How a change of a field stands; undefined if there is nothing to say. Of data/lanes.ts. */
export type FieldState =
  | { state: 'saving' | 'saved' | 'waiting' }
  | { state: 'refused'; message: string; mine: unknown }
  | { state: 'conflict'; mine: unknown; theirs: unknown; by: string | null; at: string }
  | undefined

/** What an editor works on, which it hands out as it is typed: a text for what is typed, else the value. */
export type Draft = unknown

export type EditProps = {
  field: Field
  draft: Draft
  onDraft: (draft: Draft) => void
  /** A choice was made: it is to be saved at once where fields save themselves. */
  onDone: (draft: Draft) => void
  id: string
  describedBy?: string | undefined
  invalid?: boolean | undefined
  /** `form`: under a label, in a border. `place`: where it is read. */
  where: 'form' | 'place'
  /** Takes the focus once it is there. */
  autofocus?: boolean | undefined
}

/** How fields of one type are shown, edited and read. */
export type Kind = {
  Show: (props: { value: never; field: Field }) => ComponentChildren
  Edit: (props: EditProps) => ComponentChildren
  /** `line` in one line, `block` in several, `panel` opens beside where it is read. */
  layout: 'line' | 'block' | 'panel'
  /** Numbers stand at the right edge of their column. */
  right?: boolean
  toDraft: (value: never, field: Field) => Draft
  fromDraft: (draft: never, field: Field) => Parsed
  /** For copying into a spreadsheet, and from one. Names of records are looked up. */
  toText: (value: never, field: Field, sources: Sources) => string
  fromText: (text: string, field: Field, sources: Sources, column?: Known) => Parsed | Promise<Parsed>
  /** How what is typed is understood, if that may surprise. */
  readAs?: (draft: never, parsed: { value: unknown }) => string | undefined
}
