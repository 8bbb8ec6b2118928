import type * as v from 'valibot'
import type { Role } from '../auth/roles.ts'
import type { Scope } from '../auth/scopes.ts'
import type { Detail } from '../events/audit/entry.ts'
import type { Caller } from '../lib/caller.ts'
import type { Sync } from '../store/commit.ts'
import type { Filter } from '../store/list/conditions.ts'
import type { Page, RenderedPage } from '../store/list/page.ts'
import type { ListQuery, Position, Sort } from '../store/list/query.ts'
import type { Columns, RawRow, Readable } from '../store/rows/columns.ts'
import type { Stored } from '../store/rows/record-store.ts'
import type { Streamed } from './answer.ts'
import type { UploadedFile, UploadForm } from './body/form-parts.ts'

// A route is data: kernel.ts runs the order of checks for it, and openapi.ts describes it.

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete'

/** What a route requires: a scope if it is public, at least a role if it is internal. */
export type Need = NeedsScope | NeedsRole
type NeedsScope = { scope: Scope; role?: undefined }
type NeedsRole = { role: Role; scope?: undefined }

type Common = {
  method: Method
  /** Below the prefix, with `:id` for the record. */
  path: string
  /** The record in the singular, as in sentences: "deal". */
  name: string
  summary: string
  description?: string
  /** The operation id, if method and path are not enough. */
  operation?: string
}

/** The records of a list, and its filters and sorts. */
export type Listed = {
  columns: Readable
  filters: Record<string, Filter>
  sorts: Record<string, Sort>
  order?: { sort: Sort; descending: boolean }
  /** Filters and sorts by the custom fields of an organisation, in addition to the fixed ones. */
  custom?: (org: number) => Pick<Listed, 'filters' | 'sorts'>
  /** Its records depend on the time: a page becomes outdated without any write. */
  timeDependent?: boolean
  /** It accepts `skip`, for screens that show a part from the middle. Never public: it takes longer, the more it skips. */
  skips?: boolean
  list: (org: number, ask: ListQuery, who: Caller) => Page
  /** The same page as JSON, if SQLite can render its records. */
  render?: ((org: number, ask: ListQuery, who: Caller) => RenderedPage | undefined) | undefined
}

/** The wire form of the response to a write: usually a record. */
export type Answered = { [member: string]: unknown }

/** The filters and sorts of a list. */
export type Offered = Omit<Listed, 'columns' | 'list' | 'render'>

export type ListRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'list'
    method: 'get'
    /** The wire form of one item. */
    item: v.GenericSchema
    /** Names of records already in the document, if an item is one of several. */
    itemNames?: readonly string[]
  } & ((Listed & { open?: undefined }) | (Offered & { open: Open }))

/** For a path with a record: its list, and the additional scope that this needs. Throws 404. */
type Open = (who: Caller, ...ids: string[]) => Listed & { scope: Scope }

export type ReadRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'read'
    method: 'get'
    columns: Readable
    returns: v.GenericSchema
    /** Throws 404. */
    find: (who: Caller, ...ids: string[]) => RawRow
    /** Its response depends on the time and is never 304. */
    timeDependent?: boolean
    /** Computed from many records: it has no version, and so no entity tag. `show` renders it. */
    isDerived?: boolean
    /** Query parameters, by name. */
    parameters?: Record<string, { schema: ParameterSchema; description: string }>
    /** A part of it is paged: it accepts `limit` and `cursor`. */
    paged?: boolean
    /** Renders the record according to the query, if that differs from the row. Throws 400. */
    show?: (who: Caller, row: RawRow, query: RecordQuery) => Rendered
    /** Other media types of the whole record, for clients whose Accept prefers one. */
    forms?: Record<string, (who: Caller, row: RawRow) => string>
  }

type ParameterSchema = { type: 'string'; format?: 'date'; enum?: string[]; maxLength?: number }

/**
 * `given` contains the parameters of the route, each once; `cursorAt` makes the cursor of the page after a position.
 */
export type RecordQuery = {
  given: ReadonlyMap<string, string>
  limit: number
  after: Position | undefined
  cursorAt: (position: Position) => string
}

/** JSON text, of a record with `id` first and `version` last, and the cursor of the next page, if any. */
export type Rendered = { json: string | Streamed; next?: string | null }

/** A file of a record. Its ETag is its hash, since its bytes never change. */
export type FileRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'file'
    method: 'get'
    /** Throws 404. */
    find: (who: Caller, ...ids: string[]) => StoredFile
  }

/** `read` makes the bytes from `start` on, before `end`, one part at a time. */
export type StoredFile = {
  name: string
  content_type: string
  size_bytes: number
  sha256: string
  read: (start: number, end: number) => Iterable<Buffer>
}

/**
 * What a screen needs and no resource has, such as counts: neither a record nor a list, so it has no id and no version.
 * Never public.
 */
export type DataRoute = Common &
  NeedsRole & {
    kind: 'data'
    method: 'get'
    /** Query parameters, by name. */
    parameters?: Record<string, { schema: ParameterSchema; description: string }>
    /** It accepts `limit` and `cursor`. */
    paged?: boolean
    /** The response stays the same as long as this does, so that clients need not fetch it again. */
    newest?: (who: Caller) => string
    /** All members of an organisation get the same response, so that it is compressed once for all of them. */
    shared?: true
    /** Throws 400 and 404. What takes long is a promise, made by another thread. */
    read: (who: Caller, ids: string[], query: RecordQuery) => Rendered | Promise<Rendered>
  }

/** The part of a stream after a position: the items as JSON text, and the last position that was read. */
export type StreamSlice = { items: string[]; last: number; more: boolean }

/** The stream of an organisation after a position; clients can wait for new items. */
export type PollRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'poll'
    method: 'get'
    item: v.GenericSchema
    /** The values allowed in `types`. */
    patterns: readonly string[]
    /** Changes whenever the stream of the organisation has more items. */
    newest: (who: Caller) => number
    /** Throws 409 if the position is not in the stream. `last` advances even if no item has one of the types. */
    read: (who: Caller, after: number | undefined, types: readonly string[], limit: number) => StreamSlice
  }

/** Parameters of a write besides its body; all are flags, false if absent. */
export type Flags = Record<string, string>

/** `known` is the result of `prefetch`; `files` are those of a form. */
export type WriteCall<Body> = {
  who: Caller
  body: Body
  flags: Record<string, boolean>
  known?: unknown
  files?: readonly UploadedFile[]
}

export type WriteRoute<Needed extends Need = NeedsScope> = Common &
  Needed & {
    kind: 'write'
    method: Exclude<Method, 'get'>
    body?: v.GenericSchema
    returns?: v.GenericSchema
    status: 200 | 201 | 202 | 204
    /** By name, with a description. */
    flags?: Flags
    /** Media types besides JSON, each parsed into a value that `body` then checks. Throws 400. */
    accepts?: Record<string, (text: string) => unknown>
    /** Decodes the bodies of those types, whatever charset the Content-Type states; without it they are in UTF-8. */
    decode?: (bytes: Buffer, charset?: string) => string
    /** The form that it accepts besides JSON. */
    form?: UploadForm
    /** The largest body, instead of 1 MiB, and the longest array, instead of 1,000 items. */
    maxBytes?: number
    maxItems?: number
    /** When a create returns 200 with an existing record, marked with `repeated`. */
    replays?: string
    /** The response to a create of several records: it has no single path or version. */
    bulkResult?: v.GenericSchema
    /** The record that the path names; throws 404. A route without it makes a record. */
    find?: (who: Caller, ...ids: string[]) => Stored
    /**
     * Fetches external facts for the write, such as DNS records, before its transaction begins. The body is not checked
     * yet. Never throws: `run` reports errors, in its place in the order of checks.
     */
    prefetch?: (body: unknown, who: Caller) => Promise<unknown>
    /** Its response contains a secret, which is never stored in plain text. */
    isSecret?: boolean
    /**
     * For writes that are no change of a record of the CRM, which the events have: how the audit log calls it. Its entry is
     * part of the transaction.
     */
    audit?: {
      /** Such as `webhook.created`. */
      action: string
      /** The names of the fields of a PATCH, and of other writes nothing, unless it is given. */
      detail?: (done: { body: unknown; record?: Stored }) => Detail
    }
    /** The scope that this record needs, in addition to that of the route. */
    scopeOf?: (record: Stored) => Scope
    /**
     * Runs inside the transaction and returns the record that it wrote, other data, or nothing. It has to be
     * synchronous: a promise is not a record, so an `async` handler does not compile.
     */
    run: (call: WriteCall<never> & { record: Stored }) => Answered | Repeated<Answered> | undefined
  }

/** A create found that its record exists. */
export type Repeated<Found> = { repeated: Found }

export const isRepeated = (made: Answered | Repeated<Answered>): made is Repeated<Answered> => 'repeated' in made

/** A create made several records, as far as possible; other members give more information. */
export type BulkResult<Made> = { data: Made[]; [member: string]: unknown }

/** A public route requires a scope; an internal one, `Route<Need>`, may require a role. */
export type Route<Needed extends Need = NeedsScope> =
  | ListRoute<Needed>
  | ReadRoute<Needed>
  | FileRoute<Needed>
  | PollRoute<Needed>
  | WriteRoute<Needed>
  | (NeedsRole extends Needed ? DataRoute : never)

type Change<Found extends Stored, Schema extends v.GenericSchema> = Common &
  Pick<
    WriteRoute,
    'method' | 'returns' | 'flags' | 'accepts' | 'decode' | 'maxBytes' | 'maxItems' | 'prefetch' | 'isSecret' | 'audit'
  > & {
    find: (who: Caller, ...ids: string[]) => RawRow
    columns: Columns<Found>
    body?: Schema
    status: 200 | 204
    scopeOf?: (record: Found) => Scope
    run: (call: WriteCall<v.InferOutput<Schema>> & { record: Found }) => (Answered & Sync) | undefined
  }

/** A route that changes the record named by its path: PATCH, DELETE and actions. */
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

type Create<Made extends Stored, Schema extends v.GenericSchema> = Omit<Common, 'method'> &
  Pick<WriteRoute, 'flags' | 'form' | 'maxBytes' | 'replays' | 'bulkResult' | 'prefetch' | 'isSecret' | 'audit'> & {
    body: Schema
    returns: v.GenericSchema
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
