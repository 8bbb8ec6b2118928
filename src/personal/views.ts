import type * as v from 'valibot'
import { requireScopes, type Scope } from '../auth/scopes.ts'
import { type Deps, once } from '../deps.ts'
import { changeRoute, createRoute, type Need, type Route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { change } from '../lib/merge.ts'
import { field, invalid, notFound, Problem } from '../lib/problem.ts'
import type { Filter } from '../store/list/conditions.ts'
import { listing, type Page } from '../store/list/page.ts'
import type { ListQuery } from '../store/list/query.ts'
import type { RawRow } from '../store/rows/columns.ts'
import * as c from '../store/rows/columns.ts'
import { rows } from '../store/rows/rows.ts'
import { newRow, nextRow } from '../store/rows/versions.ts'
import { jsonObject } from './json-object.ts'
import { noticeQueue } from './notices.ts'
import { preferenceStore } from './preferences.ts'

// Saved questions to a list, and how it is shown. A private view exists for its owner only.

// 1. The wire form.

const OBJECTS = ['deals', 'contacts', 'companies', 'tasks', 'conversations'] as const

const fields = {
  name: f.title,
  shape: f.oneOf(['table', 'board']),
  is_shared: f.doc(f.flag, 'Whether everyone in the organisation sees it.'),
  is_pinned: f.doc(f.flag, 'Whether it is in my side bar.'),
  query: jsonObject(16_384, 'Filter, sort, columns, pipeline.'),
  position: f.count(1_000_000),
}

export const View = f.object({
  id: f.id,
  object: f.oneOf(OBJECTS),
  name: fields.name,
  shape: fields.shape,
  is_shared: fields.is_shared,
  is_pinned: fields.is_pinned,
  owner_id: f.id,
  query: fields.query,
  position: fields.position,
  ...f.recordFields,
})
export type View = v.InferOutput<typeof View>

const ViewPatch = f.patchOf(fields)
type ViewPatch = v.InferOutput<typeof ViewPatch>

const ViewCreate = f.object({ ...ViewPatch.entries, object: f.oneOf(OBJECTS), name: fields.name })
type ViewCreate = v.InferOutput<typeof ViewCreate>

const filters: Record<string, Filter> = { object: { type: 'choice', choices: OBJECTS, indexed: false } }

// 2. The row.

/** Exported: without `is_pinned`, which is a preference. */
export const columns = c.columns<View>({
  id: c.plain('id'),
  object: c.plain('object'),
  name: c.text('name'),
  shape: c.plain('shape'),
  is_shared: c.bool('is_shared'),
  is_pinned: c.computed(),
  owner_id: c.plain('owner_id'),
  query: c.json('query'),
  position: c.integer('position'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})
const IS_PINNED = Object.keys(View.entries).indexOf('is_pinned')

// 3. The statements and the rules.

const MAX_VIEWS = 200
/** A viewer changes nothing that others see. */
const SHARING: Scope = 'rest.crm.lists.write'

export const viewStore = once((deps: Deps) => {
  const { db, clock } = deps
  const notices = noticeQueue(deps)
  const preferences = preferenceStore(deps)
  const { list: listRows } = listing(db, { table: 'views', columns, filters, sorts: {} })
  const { insert, update, remove: removeRow } = rows(db, 'views', columns)
  const byId = db
    .prepare(`SELECT ${columns.select} FROM views WHERE org_id = ? AND id = ? AND (owner_id = ? OR is_shared = 1)`)
    .raw()
  const sharedById = db
    .prepare(`SELECT ${columns.select} FROM views WHERE org_id = ? AND id = ? AND is_shared = 1`)
    .raw()
  const count = db.prepare('SELECT count(*) FROM views WHERE org_id = ? AND owner_id = ?').pluck()
  const role = db.prepare('SELECT role FROM members WHERE org_id = ? AND id = ?').pluck()

  function list(org: number, ask: ListQuery, who: Caller): Page {
    const mine = { column: 'owner_id', operator: 'eq', values: [who.member], indexed: true } as const
    const shared = { column: 'is_shared', operator: 'eq', values: [1], indexed: false } as const
    const visible = { any: [mine, shared].map((each) => ({ ...each, values: [...each.values] })) }
    const page = listRows(org, { ...ask, conditions: [...ask.conditions, visible] })
    const { pinned_views } = preferences.find(who)
    for (const row of page.rows) row[IS_PINNED] = pinned_views.includes(row[0] as string)
    return page
  }

  /** Throws 404, also for a private view of somebody else. */
  function find(who: Caller, id: string): RawRow {
    const row = byId.get(who.org, id, who.member) as RawRow | undefined
    if (!row) throw notFound()
    row[IS_PINNED] = preferences.find(who).pinned_views.includes(id)
    return row
  }

  function create(who: Caller, given: ViewCreate): View {
    if (given.is_shared) requireScopes(who, [SHARING])
    checkRoom(who.org, who.member as string)
    const view: View = newRow(clock, {
      object: given.object,
      name: given.name,
      shape: given.shape ?? 'table',
      is_shared: given.is_shared ?? false,
      is_pinned: given.is_pinned ?? false,
      owner_id: who.member as string,
      query: given.query ?? {},
      position: given.position ?? 0,
    })
    insert(who.org, view)
    if (view.is_pinned) pin(who, view.id, true)
    tell(who, view)
    return view
  }

  function patch(who: Caller, before: View, given: ViewPatch): View {
    const { is_pinned = before.is_pinned, ...rest } = given
    if (is_pinned !== before.is_pinned) pin(who, before.id, is_pinned)
    const { after, changed } = change(before, rest)
    if (changed.length === 0) return { ...before, is_pinned }
    checkOwn(who, before)
    if (changed.includes('is_shared')) requireScopes(who, [SHARING])
    const saved = nextRow(clock, { ...after, is_pinned })
    update(who.org, before, saved)
    tell(who, before.is_shared ? before : saved)
    return saved
  }

  function remove(who: Caller, view: View): void {
    checkOwn(who, view)
    if (view.is_pinned) pin(who, view.id, false)
    removeRow(who.org, view.id)
    tell(who, view)
  }

  /** Throws Problem 403 for a shared view of somebody else, unless the caller is an admin. */
  function checkOwn({ org, member }: Caller, { owner_id }: View): void {
    if (owner_id === member || ['owner', 'admin'].includes(role.get(org, member) as string)) return
    throw new Problem(
      403,
      'not_yours',
      'This view belongs to somebody else. Save a copy, or ask its owner or an admin.',
      {
        more: { owner_id },
      },
    )
  }

  /** A shared view, whoever asks. Throws 404. */
  function shared(org: number, id: string): View {
    const row = sharedById.get(org, id) as RawRow | undefined
    if (!row) throw notFound()
    return columns.present(row)
  }

  /** Gives a shared view to another member, as when its owner leaves. Throws 422 if that member has too many. */
  function give(org: number, before: View, owner: string): void {
    checkRoom(org, owner)
    const after = nextRow(clock, { ...before, owner_id: owner })
    update(org, before, after)
    tell({ org, member: owner }, after)
  }

  function checkRoom(org: number, owner: string): void {
    if ((count.get(org, owner) as number) < MAX_VIEWS) return
    throw invalid(field('', 'too_many', `must not be more than ${MAX_VIEWS} views of one member`))
  }

  function pin(who: Caller, id: string, isPinned: boolean): void {
    const before = preferences.find(who)
    const others = before.pinned_views.filter((each) => each !== id)
    preferences.patch(who, before, { pinned_views: isPinned ? [...others, id] : others })
  }

  const tell = ({ org, member }: Caller, { id, object, is_shared }: View): void =>
    notices.put(org, is_shared ? null : member, { kind: 'view', id, object })

  return { list, find, create, patch, remove, shared, give }
})

// 4. The routes.

export const views = (deps: Deps): Route<Need>[] => {
  const { list, find, create, patch, remove } = viewStore(deps)
  const common = { role: 'viewer', name: 'view' } as const
  const one = { ...common, path: '/views/:id', find, columns }
  return [
    {
      ...common,
      kind: 'list',
      method: 'get',
      path: '/views',
      summary: 'List my views and the shared ones',
      columns,
      item: View,
      filters,
      sorts: {},
      timeDependent: true, // differs by member, so it is never shared
      list,
    },
    createRoute({
      ...common,
      path: '/views',
      summary: 'Save a view',
      body: ViewCreate,
      returns: View,
      run: ({ who, body }) => create(who, body),
    }),
    { ...one, kind: 'read', method: 'get', summary: 'Get a view', returns: View, timeDependent: true },
    changeRoute({
      ...one,
      method: 'patch',
      summary: 'Change a view',
      body: ViewPatch,
      returns: View,
      status: 200,
      run: ({ who, record, body }) => patch(who, record, body),
    }),
    changeRoute({
      ...one,
      method: 'delete',
      summary: 'Delete a view',
      status: 204,
      run: ({ who, record }) => void remove(who, record),
    }),
  ]
}
