import * as v from 'valibot'
import { requireScopes, type Scope } from '../../auth/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { EventName } from '../../events/names.ts'
import { scopesOf } from '../../filters/access.ts'
import { type ListObject, OBJECTS } from '../../filters/catalog.ts'
import { smartLists } from '../../filters/smart.ts'
import { changeRoute, type Listed, type Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { change } from '../../lib/merge.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { TABLES } from '../../lib/pure/nouns.ts'
import { Company } from '../../records/company.ts'
import { Contact } from '../../records/contact.ts'
import { Deal } from '../../records/deal.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing } from '../../store/list/page.ts'
import type { ListQuery, Sort } from '../../store/list/query.ts'
import type * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { rows } from '../../store/rows/rows.ts'
import { newRow, nextRow } from '../../store/rows/versions.ts'
import { bounded } from '../../store/sqlite/work.ts'
import { companyStore } from '../companies.ts'
import { contactStore } from '../contacts.ts'
import { dealStore } from '../deals/deals.ts'
import { columns, fields, fixed, KINDS, List } from '../list.ts'
import { keptCounts } from './counts.ts'
import { listMembers, MEMBER_SORTS } from './list-members.ts'

// 1. The wire form.

const ListPatch = f.patchOf(fields)
type ListPatch = v.InferOutput<typeof ListPatch>

const ListCreate = f.object({ ...ListPatch.entries, name: fields.name, ...fixed })
type ListCreate = v.InferOutput<typeof ListCreate>

const MembersPatch = f.patchOf({
  add_ids: v.pipe(f.doc(f.ids, 'Records to add to the list.'), v.examples([[]])),
  remove_ids: v.pipe(f.doc(f.ids, 'Records to remove from the list.'), v.examples([[]])),
})
type MembersPatch = v.InferOutput<typeof MembersPatch>

const MembersChanged = f.object({
  added: f.doc(f.count(), 'Number of records that were added.'),
  removed: f.doc(f.count(), 'Number of records that were removed.'),
  unchanged: f.doc(f.count(), 'Number of records that were already in, or not in, the list.'),
})

const filters: Record<string, Filter> = {
  object: { type: 'choice', choices: OBJECTS, indexed: false },
  kind: { type: 'choice', choices: KINDS, indexed: false },
  owner_id: { type: 'id', nullable: true, isMember: true },
}

const sorts: Record<string, Sort> = { created_at: { column: 'id' }, name: { column: 'name_key' } }

// 2. The row.

const MEMBER_COUNT = Object.keys(List.pipe[0].entries).indexOf('member_count')

// 3. The statements and the rules.

export function listStore(deps: Deps) {
  const { db, clock, announce, references } = deps
  const smart = smartLists(deps)
  const kept = keptCounts(deps)
  const memberStores = {
    contact: listMembers(deps, 'contact', contactStore(deps), kept),
    company: listMembers(deps, 'company', companyStore(deps), kept),
    deal: listMembers(deps, 'deal', dealStore(deps), kept),
  }
  const { list: listStored } = listing(db, { table: 'lists', columns, filters, sorts })
  const { insert, update, remove: removeRow } = rows(db, 'lists', columns)
  const findStored = finder(db, 'lists', columns)

  function list(org: number, ask: ListQuery, who: Caller) {
    const page = listStored(org, ask)
    return { ...page, rows: bounded(() => page.rows.map((row) => counted(who, row))) }
  }

  const find = (who: Caller, id: string) => counted(who, findStored(who, id))

  function counted(who: Caller, row: c.RawRow): c.RawRow {
    const [id, , object, , filter] = row as [string, string, ListObject, string, string | null]
    row[MEMBER_COUNT] = memberStores[object].count(who, { id, filter })
    return row
  }

  const membersOf = (who: Caller, { object, id, filter }: List): number | null =>
    memberStores[object].count(who, { id, filter: filter && JSON.stringify(filter) })

  /** Leaves out the member count: recipients of the event may not be allowed to read the members. */
  const tell = (who: Caller, type: EventName, list: List, before?: List): void =>
    void announce(who, type, list, before, ['member_count'])

  function create(who: Caller, given: ListCreate): List {
    references.check(who.org, given)
    const filter = given.filter ?? null
    if (given.kind === 'static' && filter !== null) throw invalid(field('/filter', 'not_smart', STATIC))
    if (given.kind === 'smart') checkFilter(who, given.object, filter)
    const list: List = newRow(clock, {
      name: given.name,
      object: given.object,
      kind: given.kind,
      filter,
      description: given.description ?? null,
      owner_id: given.owner_id ?? null,
      member_count: 0,
    })
    insert(who.org, list)
    list.member_count = membersOf(who, list)
    tell(who, 'list.created', list)
    return list
  }

  function patch(who: Caller, before: List, given: ListPatch): List {
    const { after, changed } = change(before, given)
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    if (changed.includes('filter')) {
      if (after.kind === 'static') throw invalid(field('/filter', 'not_smart', STATIC))
      checkFilter(who, after.object, after.filter)
    }
    const saved = nextRow(clock, after)
    update(who.org, before, saved)
    saved.member_count = membersOf(who, saved)
    tell(who, 'list.updated', saved, before)
    return saved
  }

  /** Throws Problem 403 before 422: the faults of a filter may reveal what exists. */
  function checkFilter(who: Caller, object: ListObject, filter: unknown): void {
    if (filter === null) throw invalid(field('/filter', 'required', 'is required for a smart list'))
    requireScopes(who, scopesOf({ object, filter }))
    smart.check(who.org, object, filter)
  }

  function remove(who: Caller, list: List): void {
    removeRow(who.org, list.id) // deletes its rows in the link tables, too
    tell(who, 'list.deleted', list)
  }

  /** Changes all or nothing. Throws 422 for an id that is not a record of the list's object. */
  function changeMembers(who: Caller, before: List, { add_ids = [], remove_ids = [] }: MembersPatch) {
    const { members } = memberStores[before.object]
    members.check(who.org, { add_ids, remove_ids })
    if (before.kind === 'smart')
      throw conflict('smart_list', 'The members of a smart list are defined by its filter. Change the filter instead.')
    const added = members.add(who.org, before.id, add_ids)
    const removed = members.remove(who.org, before.id, remove_ids)
    if (added + removed > 0) {
      const member_count = before.member_count === null ? null : before.member_count + added - removed
      const after = nextRow(clock, { ...before, member_count })
      update(who.org, before, after)
      tell(who, 'list.updated', after, before)
    }
    return { added, removed, unchanged: add_ids.length + remove_ids.length - added - removed }
  }

  /** The records of a list, as `GET /lists/{id}/members` shows them; its token needs the scope to read them. */
  function open(who: Caller, id: string): Listed & { scope: Scope } {
    const [, , object] = findStored(who, id) as [string, string, ListObject]
    return { ...memberStores[object].open(who, id), scope: scopeOf({ object }) }
  }

  const changing = { Create: ListCreate, Patch: ListPatch, create, patch, remove, changeMembers }
  return { columns, filters, list, find, open, ...changing }
}

/** The scope that a caller needs to see the members of a list, or to name them. */
const scopeOf = ({ object }: Pick<List, 'object'>): Scope => `rest.crm.${TABLES[object]}.read`

const STATIC = 'must be omitted for a static list; add records with POST /lists/{id}/members'

// 4. The routes.

export const lists = (deps: Deps): Route[] => {
  const { changeMembers, open, ...store } = listStore(deps)
  const path = '/lists/:id/members'
  return [
    ...standardRoutes({
      path: '/lists',
      scope: 'rest.crm.lists',
      name: 'list',
      Shape: List,
      sorts,
      timeDependent: true,
      ...store,
      // Its member_count changes without a new version, and so does who may see it: never 304.
    }).map((route): Route => (route.kind === 'read' ? { ...route, timeDependent: true } : route)),
    {
      kind: 'list',
      method: 'get',
      scope: 'rest.crm.lists.read',
      name: 'listed record',
      operation: 'listMembersOfList',
      summary: 'List the records of a list',
      description:
        'Returns contacts, companies or deals, depending on the `object` of the list. The token needs the scope to read those, too. `GET /contacts?list_id=...`, `GET /companies?list_id=...` and `GET /deals?list_id=...` return the same records, with more filters and sorts.',
      item: v.union([Contact, Company, Deal]),
      itemNames: OBJECTS,
      open,
      path,
      filters: {},
      sorts: MEMBER_SORTS,
    },
    changeRoute({
      method: 'post',
      path,
      scope: 'rest.crm.lists.write',
      name: 'list',
      operation: 'changeMembersOfList',
      summary: 'Add and remove records of a static list',
      description:
        'Applies all changes or none. A smart list is 409 `smart_list`. The token needs the scope to read the records, too.',
      find: store.find,
      columns,
      body: MembersPatch,
      returns: MembersChanged,
      status: 200,
      scopeOf,
      run: ({ who, record, body }) => changeMembers(who, record, body),
    }),
  ]
}
