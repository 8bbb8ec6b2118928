import type * as v from 'valibot'
import type { Scope } from '../auth/scopes.ts'
import type { Caller } from '../lib/caller.ts'
import type { Columns, RawRow, Readable } from '../store/columns.ts'
import type { Sync } from '../store/commit.ts'
import type { Filter } from '../store/conditions.ts'
import type { Ask, Page, Sort } from '../store/page.ts'

// A route is data: kernel.ts reads it and runs the order of checks, openapi.ts reads it and describes it.

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

type Common = {
  method: Method
  /** Below /api/v1, with `:id` for the record. */
  path: string
  scope: Scope
  /** Of the record, in the singular, as in sentences: "deal". */
  name: string
  summary: string
  description?: string
}

/** A record that a path names or a write answers. */
export type Stored = { id: string; version: number } & Record<string, unknown>

export type ListRoute = Common & {
  kind: 'list'
  method: 'get'
  columns: Readable
  filters: Record<string, Filter>
  sorts: Record<string, Sort>
  order?: { sort: Sort; descending: boolean }
  /** The wire form of one item. */
  item: v.GenericSchema
  list: (org: number, ask: Ask) => Page
}

export type ReadRoute = Common & {
  kind: 'read'
  method: 'get'
  columns: Readable
  returns: v.GenericSchema
  /** Throws 404. */
  find: (who: Caller, id: string) => RawRow
}

/** Parameters of a write beside its body; all are flags, false when absent. */
export type Flags = Record<string, string>

export type WriteCall<Body> = { who: Caller; body: Body; flags: Record<string, boolean> }

export type WriteRoute = Common & {
  kind: 'write'
  method: Exclude<Method, 'get'>
  body?: v.GenericSchema
  returns?: v.GenericSchema
  status: 200 | 201 | 204
  /** By name, with what they do. */
  flags?: Flags
  /** The record that the path names; throws 404. Without it the route makes a record. */
  find?: (who: Caller, id: string) => Stored
  /**
   * Runs inside the transaction and answers the record that it wrote, or nothing. It has to be synchronous: a
   * promise is no record, so an `async` handler does not compile.
   */
  run: (call: WriteCall<never> & { record: Stored }) => Stored | undefined
}

export type Route = ListRoute | ReadRoute | WriteRoute

/** A route that changes the record that its path names: PATCH, DELETE and actions. */
export function changeRoute<Record extends Stored, Schema extends v.GenericSchema>(
  spec: Common & {
    method: WriteRoute['method']
    find: (who: Caller, id: string) => RawRow
    columns: Columns<Record>
    body?: Schema
    returns?: v.GenericSchema
    status: 200 | 204
    flags?: Flags
    run: (call: WriteCall<v.InferOutput<Schema>> & { record: Record }) => (Record & Sync) | undefined
  },
): Route {
  const { find, columns, run, ...rest } = spec
  return {
    ...rest,
    kind: 'write',
    find: (who, id) => columns.present(find(who, id)),
    run: run as WriteRoute['run'],
  }
}

/** A route that makes a record. */
export function createRoute<Record extends Stored, Schema extends v.GenericSchema>(
  spec: Omit<Common, 'method'> & {
    body: Schema
    returns: v.GenericSchema
    flags?: Flags
    run: (call: WriteCall<v.InferOutput<Schema>>) => Record & Sync
  },
): Route {
  return { ...spec, kind: 'write', method: 'post', status: 201, run: spec.run as WriteRoute['run'] }
}
