import type * as v from 'valibot'
import type { Scope, ScopeBase } from '../auth/scopes.ts'
import type { Caller } from '../lib/caller.ts'
import type { Sync } from '../store/commit.ts'
import type { Columns, RawRow } from '../store/rows/columns.ts'
import type { Stored } from '../store/rows/record-store.ts'
import { changeRoute, createRoute, type Flags, type Listed, type Route } from './route.ts'

export type Resource<Record extends Stored, Create extends v.GenericSchema, Patch extends v.GenericSchema> = {
  path: string
  scope: ScopeBase
  /** In the singular, as in sentences: "deal". */
  name: string
  plural?: string
  Shape: v.GenericSchema
  columns: Columns<Record>
  filters: Listed['filters']
  sorts: Listed['sorts']
  order?: Listed['order']
  custom?: Listed['custom']
  timeDependent?: boolean
  list: Listed['list']
  render?: Listed['render']
  find: (who: Caller, ...ids: string[]) => RawRow
  Create?: Create
  Patch?: Patch
  /** Flags of create and change. */
  flags?: Flags
  /** Its name in the audit log, if its changes belong there: `webhook` makes `webhook.created`. */
  audited?: string
  create?: (who: Caller, given: v.InferOutput<Create>, flags: { [name: string]: boolean }) => Record & Sync
  patch?: (
    who: Caller,
    before: Record,
    given: v.InferOutput<Patch>,
    flags: { [name: string]: boolean },
  ) => Record & Sync
  remove?: (who: Caller, before: Record) => void
}

/** The standard routes of a resource, as far as its store has the functions: list, create, read, change, delete. */
export function standardRoutes<Record extends Stored, Create extends v.GenericSchema, Patch extends v.GenericSchema>(
  resource: Resource<Record, Create, Patch>,
): Route[] {
  const { path, name, columns, find, Shape, create, patch, remove, Create, Patch } = resource
  const plural = resource.plural ?? `${name}s`
  const flags = resource.flags ? { flags: resource.flags } : {}
  const read: Scope = `${resource.scope}.read` as Scope
  const write: Scope = `${resource.scope}.write` as Scope
  const one = `${path}/:id`
  const audit = (done: string) => (resource.audited ? { audit: { action: `${resource.audited}.${done}` } } : {})
  const routes: Route[] = [
    {
      kind: 'list',
      method: 'get',
      path,
      scope: read,
      name,
      summary: `List ${plural}`,
      columns,
      item: Shape,
      filters: resource.filters,
      sorts: resource.sorts,
      ...(resource.order ? { order: resource.order } : {}),
      ...(resource.custom ? { custom: resource.custom } : {}),
      ...(resource.timeDependent ? { timeDependent: true } : {}),
      list: resource.list,
      render: resource.render,
    },
    {
      kind: 'read',
      method: 'get',
      path: one,
      scope: read,
      name,
      summary: `Get one ${name}`,
      columns,
      returns: Shape,
      find,
    },
  ]
  if (create && Create) {
    const run = ({
      who,
      body,
      flags,
    }: {
      who: Caller
      body: v.InferOutput<Create>
      flags: { [name: string]: boolean }
    }) => create(who, body, flags)
    routes.push(
      createRoute({
        path,
        scope: write,
        name,
        summary: `Create a ${name}`,
        body: Create,
        returns: Shape,
        ...flags,
        ...audit('created'),
        run,
      }),
    )
  }
  if (patch && Patch) {
    routes.push(
      changeRoute({
        method: 'patch',
        path: one,
        scope: write,
        name,
        summary: `Change a ${name}`,
        find,
        columns,
        body: Patch,
        returns: Shape,
        status: 200,
        ...flags,
        ...audit('changed'),
        run: ({ who, record, body, flags }) => patch(who, record, body, flags),
      }),
    )
  }
  if (remove) {
    routes.push(
      changeRoute({
        method: 'delete',
        path: one,
        scope: write,
        name,
        summary: `Delete a ${name}`,
        find,
        columns,
        status: 204,
        ...audit('deleted'),
        run: ({ who, record }) => void remove(who, record),
      }),
    )
  }
  return routes
}
