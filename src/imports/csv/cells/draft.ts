import type { Json } from '../../../lib/json.ts'
import type { ActivityObject } from '../../writable.ts'
import type { Kind } from '../columns/field.ts'
import type { AddressCell } from './addresses.ts'

/** Texts that refer to records, such as a company name, to be looked up; `ids` are those of another product. */
export type Link = {
  kind: Kind
  texts: string[]
  ids?: readonly string[]
  /** Whether the texts are single names; at first, those of tags are whole cells. */
  isDivided?: boolean
}

/**
 * A row before its references are resolved. `added`: members whose values are appended to those of an existing record.
 */
export type Draft = {
  given: Record<string, Json>
  links: Map<string, Link>
  added: Set<string>
  /** Whether it may have an email that another record has. */
  isShared?: boolean
  /** What is kept as it is written since it could mean two things, by column. */
  unsure?: { column: string; reason: string }[]
  /** The cells with parts of addresses. */
  places?: AddressCell[]
  /** Of notes and tasks: the row by its id, or by what it says. */
  key?: { id?: string; hash?: string }
  activity?: Activity
}

/** `bare` is the text without what stands above it; `when` and `completed_at` are of the product. */
export type Activity = {
  object: ActivityObject
  bare: string
  when?: string | undefined
  completed_at?: string | undefined
}
