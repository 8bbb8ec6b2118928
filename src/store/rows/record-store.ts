import type * as v from 'valibot'
import type { Caller } from '../../lib/caller.ts'
import type { Sync } from '../commit.ts'
import type { Columns, RawRow } from './columns.ts'

/** A record in wire form. */
export type Stored = { id: string; version: number } & Record<string, unknown>

/** What the stores of records offer to those who treat all kinds alike. A store need not have all of it. */
export type RecordStore<Shape extends Stored, Create, Patch> = {
  columns: Columns<Shape>
  /** Throws 404. */
  find: (who: Caller, id: string) => RawRow
  /** The schemas of what `create` and `patch` are given. */
  Create: v.GenericSchema<unknown, Create>
  Patch: v.GenericSchema<unknown, Patch> & { entries: object }
  create: (who: Caller, given: Create, flags?: { [name: string]: boolean }) => Shape & Sync
  patch: (who: Caller, before: Shape, given: Patch, flags?: { [name: string]: boolean }) => Shape & Sync
  remove: (who: Caller, record: Shape) => void
  /** Writes a record unchanged, without an event. */
  restore: (org: number, record: Shape) => void
  /** The same for a change. */
  write: (org: number, before: Shape, after: Shape) => void
  /** Writes a change that was checked, with its next version and its event. */
  save: (who: Caller, before: Shape, after: Shape) => Shape
}

/** The store of some kind: it takes the records that it has returned, and what its schemas have accepted. */
export type AnyStore = RecordStore<Stored, Record<string, unknown>, Record<string, unknown>>

/** The store of one kind as that of some kind, as far as it has these parts. */
export const anyStore = <Store extends object, Shape extends Stored, Create, Patch>(
  store: Store & Partial<RecordStore<Shape, Create, Patch>>,
) => store as unknown as Pick<AnyStore, keyof AnyStore & keyof Store>
