import type * as v from 'valibot'
import type { Role } from '../auth/roles.ts'
import type { Scope } from '../auth/scopes.ts'
import type { Caller } from '../lib/caller.ts'
import type { Columns, RawRow, Readable } from '../store/columns.ts'
import type { Sync } from '../store/commit.ts'
import type { Filter } from '../store/list/conditions.ts'
import type { ListQuery, Page, Sort } from '../store/list/page.ts'
import type { Position } from '../store/list/position.ts'
import type { Streamed } from './answer.ts'

// A route is data: kernel.ts reads it and runs the order of checks, openapi.ts reads it and describes it.

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** What a route asks of who calls: a scope where it is public, a role, or a higher one, where it is internal. */
export type Need = NeedsScope | NeedsRole
type NeedsScope = { scope: Scope; role?: undefined }
type NeedsRole = { role: Role; scope?: undefined }

type Common = {
  method: Method
  /** Below the prefix, with `:id` for the record. */
  path: string
  /** Of the record, in the singular, as in sentences: "deal". */
  name: string
  summary: string
  description?: string
  /** In the OpenAPI document, where method and path do not say it. */
  operation?: string
}

/** A record that a path names or a write answers. */
export type Stored = { id: string; version: number } & Record<string, unknown>

/** What a list shows, and what may be asked of it. */
export type Listed = {
  columns: Readable
  filters: Record<string, Filter>
  sorts: Record<string, Sort>
  order?: { sort: Sort; descending: boolean }
  /** Filters and sorts by the custom fields of an org, beside the fixed ones. */
  custom?: (org: number) => Pick<Listed, 'filters' | 'sorts'>
  /** Its records follow the clock: a page is no longer right after a while, although nothing was written. */
  timeDependent?: boolean
  list: (org: number, ask: ListQuery, who: Caller) => Page
}

/** The wire form of what a write answers: a record as a rule. */
export type Answered = { [member: string]: unknown }

/** What may be asked of a list. */
export type Offered = Omit<Listed, 'columns' | 'list'>

export type ListRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'list'
    method: 'get'
    /** The wire form of one item. */
    item: v.GenericSchema
    /** Records that the document describes already, where an item is one of several. */
    itemNames?: readonly string[]
  } & ((Listed & { open?: undefined }) | (Offered & { open: Open }))

/** Where the path names a record: what its list shows, and the scope that this needs too. Throws 404. */
type Open = (who: Caller, ...ids: string[]) => Listed & { scope: Scope }

export type ReadRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'read'
    method: 'get'
    columns: Readable
    returns: v.GenericSchema
    /** Throws 404. */
    find: (who: Caller, ...ids: string[]) => RawRow
    /** Its answer follows the clock: it is never 304. */
    timeDependent?: boolean
    /** Its answer is worked out from many records: it has no version, and so no entity tag. `show` gives it. */
    isDerived?: boolean
    /** What may be asked of it in the query, by name. */
    parameters?: Record<string, { schema: ParameterSchema; description: string }>
    /** A part of it is paged: it takes `limit` and `cursor`, too. */
    paged?: boolean
    /** The record as it was asked for, where that is not the row as it stands. Throws 400. */
    show?: (who: Caller, row: RawRow, asked: Asked) => Rendered
    /** Other media types that it is answered in, whole, when Accept prefers one. */
    forms?: Record<string, (who: Caller, row: RawRow) => string>
  }

type ParameterSchema = { type: 'string'; format?: 'date'; enum?: string[]; maxLength?: number }

/** `given` has the parameters of the route, each once; `cursorAt` makes the cursor of a page behind a position. */
export type Asked = {
  given: ReadonlyMap<string, string>
  limit: number
  after: Position | undefined
  cursorAt: (position: Position) => string
}

/** JSON text, of a record with `id` first and `version` last, and the cursor of the next page where there is one. */
export type Rendered = { json: string | Streamed; next?: string | null }

/** What there is behind a position of a stream: the items as JSON text, and where the look at it ended. */
export type StreamSlice = { items: string[]; last: number; more: boolean }

/** The stream of an org, from a position on; who asks may wait for what comes. */
export type PollRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'poll'
    method: 'get'
    item: v.GenericSchema
    /** What `types` may name. */
    patterns: readonly string[]
    /** Another value whenever there is more in the stream of the org. */
    newest: (who: Caller) => number
    /** Throws 409 where the position is not in the stream. `last` moves on, also where no item is of the types. */
    read: (who: Caller, after: number | undefined, types: readonly string[], limit: number) => StreamSlice
  }

/** Parameters of a write beside its body; all are flags, false when absent. */
export type Flags = Record<string, string>

/** `known` is what `ahead` found out. */
export type WriteCall<Body> = { who: Caller; body: Body; flags: Record<string, boolean>; known?: unknown }

export type WriteRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'write'
    method: Exclude<Method, 'get'>
    body?: v.GenericSchema
    returns?: v.GenericSchema
    status: 200 | 201 | 204
    /** By name, with what they do. */
    flags?: Flags
    /** Media types beside JSON that the body may have, each read into what `body` then checks. Throws 400. */
    accepts?: Record<string, (text: string) => unknown>
    /** How large the body may be, instead of 1 MiB, and how long its arrays, instead of 1,000 items. */
    maxBytes?: number
    maxItems?: number
    /** When a create answers 200 with what is there already, by `repeated`. */
    replays?: string
    /** What a create answers where its body asks for several records: they have no one path, and no one version. */
    bulkResult?: v.GenericSchema
    /** The record that the path names; throws 404. Without it the route makes a record. */
    find?: (who: Caller, ...ids: string[]) => Stored
    /**
     * Asks others what the write has to know, such as the resolver, before its transaction begins. The body is not checked
     * yet. Never throws: what is wrong is for `run` to say, in its place among the checks.
     */
    prefetch?: (body: unknown) => Promise<unknown>
    /** Its answer holds a secret, which is nowhere kept in plain text. */
    isSecret?: boolean
    /** The scope that this record needs, beside that of the route. */
    scopeOf?: (record: Stored) => Scope
    /**
     * Runs inside the transaction and answers the record that it wrote, what else there is to say, or nothing. It has to be synchronous: a
     * promise is no record, so an `async` handler does not compile.
     */
    run: (call: WriteCall<never> & { record: Stored }) => Answered | Repeated<Answered> | undefined
  }

/** A create found what it was to make. */
export type Repeated<Found> = { repeated: Found }

export const isRepeated = (made: Answered | Repeated<Answered>): made is Repeated<Answered> => 'repeated' in made

/** A create made several records, as far as it could; what else there is to say stands beside them. */
export type BulkResult<Made> = { data: Made[]; [member: string]: unknown }

/** A public route asks for a scope; an internal one, `Route<Need>`, may ask for a role. */
export type Route<Needed extends Need = NeedsScope> =
  | ListRoute<Needed>
  | ReadRoute<Needed>
  | PollRoute<Needed>
  | WriteRoute<Needed>

type Change<Found extends Stored, Schema extends v.GenericSchema> = Common & {
  method: WriteRoute['method']
  find: (who: Caller, ...ids: string[]) => RawRow
  columns: Columns<Found>
  body?: Schema
  returns?: v.GenericSchema
  status: 200 | 204
  flags?: Flags
  accepts?: Record<string, (text: string) => unknown>
  maxBytes?: number
  maxItems?: number
  prefetch?: (body: unknown) => Promise<unknown>
  isSecret?: boolean
  scopeOf?: (record: Found) => Scope
  run: (call: WriteCall<v.InferOutput<Schema>> & { record: Found }) => (Answered & Sync) | undefined
}

/** A route that changes the record that its path names: PATCH, DELETE and actions. */
export function changeRoute<Found extends Stored, Schema extends v.GenericSchema>(
  spec: Change<Found, Schema> & NeedsScope,
): Route
export function changeRoute<Found extends Stored, Schema extends v.GenericSchema>(
  spec: Change<Found, Schema> & NeedsRole,
): Route<NeedsRole>
export function changeRoute<Found extends Stored, Schema extends v.GenericSchema>(
  spec: Change<Found, Schema> & Need,
): Route<Need> {
  const { find, columns, scopeOf, run, ...rest } = spec
  return {
    ...rest,
    ...(scopeOf ? { scopeOf: scopeOf as (record: Stored) => Scope } : {}),
    kind: 'write',
    find: (who, ...ids) => columns.present(find(who, ...ids)),
    run: run as WriteRoute['run'],
  }
}

type Create<Made extends Stored, Schema extends v.GenericSchema> = Omit<Common, 'method'> & {
  body: Schema
  returns: v.GenericSchema
  flags?: Flags
  maxBytes?: number
  replays?: string
  bulkResult?: v.GenericSchema
  prefetch?: (body: unknown) => Promise<unknown>
  isSecret?: boolean
  run: (call: WriteCall<v.InferOutput<Schema>>) => (Made | Repeated<Made> | BulkResult<Made>) & Sync
}

/** A route that makes a record. */
export function createRoute<Made extends Stored, Schema extends v.GenericSchema>(
  spec: Create<Made, Schema> & NeedsScope,
): Route
export function createRoute<Made extends Stored, Schema extends v.GenericSchema>(
  spec: Create<Made, Schema> & NeedsRole,
): Route<NeedsRole>
export function createRoute<Made extends Stored, Schema extends v.GenericSchema>(
  spec: Create<Made, Schema> & Need,
): Route<Need> {
  return { ...spec, kind: 'write', method: 'post', status: 201, run: spec.run as WriteRoute['run'] }
}
