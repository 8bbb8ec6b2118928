import type { Caller } from '../lib/caller.ts'
import type { Json } from '../lib/json.ts'
import type { Stored } from '../store/rows/record-store.ts'

// What an import can write, and how.

/** The record types that rows of a file can become. */
export type RecordObject = 'contact' | 'company' | 'deal'
export type ActivityObject = 'note' | 'task'
export type ImportObject = RecordObject | ActivityObject

export type Given = Record<string, Json>
export type Writable = ImportObject | 'tag' | 'meeting' | 'pipeline' | 'stage' | 'custom_field'

/** What a write accepts for an import: emails that others have, and an external id that others have of other products. */
export type Flags = { allow_duplicate?: boolean; other_product?: boolean }

/** The operations of the API: the same schemas, and the same functions of the stores. */
export type Writes = {
  /** Returns the body as it is stored. Throws 422 for one that a create or a patch would reject. */
  check: (given: Given, isNew: boolean) => Given
  create: (who: Caller, given: Given, flags?: Flags) => Stored
  /** Throws 404. */
  find: (who: Caller, id: string) => Stored
  patch: (who: Caller, before: Stored, given: Given, flags?: Flags) => Stored
  remove: (who: Caller, record: Stored) => void
  /** Only for notes and tasks: who has written it, and when it was done. */
  createAs?: (who: Caller, given: Given, history: History) => Stored
  patchAs?: (who: Caller, before: Stored, given: Given, history: History) => Stored
  /** Only for deals. */
  close?: (who: Caller, before: Stored, given: Given) => Stored
  /** Only for deals, to undo that they were closed. */
  reopen?: (who: Caller, before: Stored, stage: string) => Stored
}

/** What has happened before the import, in another product. */
export type History = { author_id?: string | undefined; completed_at?: string | undefined }

export type AllWrites = Record<Writable, Writes>
