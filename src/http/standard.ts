import type * as v from 'valibot'
import type { Scope, ScopeBase } from '../auth/scopes.ts'
import type { RecordStore, Stored } from '../store/rows/record-store.ts'
import { changeRoute, createRoute, type Flags, type Listed, type Route } from './route.ts'

export type Resource<Shape extends Stored, Create, Patch> = {
  path: string
  scope: ScopeBase
  /** In the singular, as in sentences: "deal". */
  name: string
  plural?: string
  Shape: v.GenericSchema
  filters: Listed['filters']
  sorts: Listed['sorts']
  order?: Listed['order']
  custom?: Listed['custom']
  timeDependent?: boolean
  list: Listed['list']
  render?: Listed['render']
  /** Flags of create and change. */
  flags?: Flags
  /** Its name in the audit log, if its changes belong there: `webhook` makes `webhook.created`. */
  audited?: string
} & Pick<RecordStore<Shape, Create, Patch>, 'columns' | 'find'> &
  Partial<Pick<RecordStore<Shape, Create, Patch>, 'Create' | 'Patch' | 'create' | 'patch' | 'remove'>>

/** The standard routes of a resource, as far as its store has the functions: list, create, read, change, delete. */
export function standardRoutes<Shape extends Stored, Creating, Patching>(
  resource: Resource<Shape, Creating, Patching>,
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
        run: ({ who, body, flags }) => create(who, body, flags),
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
