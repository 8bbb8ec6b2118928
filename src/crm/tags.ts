import type * as v from 'valibot'
import type { Deps } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { conflict } from '../lib/problem.ts'
import { uniqueName } from '../lib/pure/fold.ts'
import { plainStore } from '../records/plain-store.ts'
import { listing } from '../store/list/page.ts'
import type { Sort } from '../store/list/query.ts'
import * as c from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'

// 1. The wire form.

const fields = {
  name: f.doc(f.title, 'Unique in the organisation, ignoring case, for example "Renewal 2027".'),
  color: f.nullable(f.color),
  description: f.doc(f.nullable(f.longText()), 'Meaning of the tag.'),
}

export const Tag = f.doc(
  f.object({ id: f.id, ...fields, ...f.recordFields }),
  'A tag is a label for deals, contacts and companies, which list their tags in `tag_ids`. Deleting a tag removes it from all of them.',
)
export type Tag = v.InferOutput<typeof Tag>

const TagPatch = f.patchOf(fields)

const TagCreate = f.object({ ...TagPatch.entries, name: fields.name })

const sorts: Record<string, Sort> = { created_at: { column: 'id' }, name: { column: 'name_key' } }

// 2. The row.

export const columns = c.columns<Tag>(
  {
    id: c.plain('id'),
    name: c.text('name'),
    color: c.plain('color'),
    description: c.text('description'),
    created_at: c.time('created_at'),
    updated_at: c.time('updated_at'),
    version: c.integer('version'),
  },
  { name_key: (tag) => uniqueName(tag.name) },
)

// 3. The statements and the rules.

/** The tables of records with tags, which have a JSON array, and the link tables, which have a row for each tag. */
const TAGGED = [
  { table: 'deals', links: 'deal_tags', key: 'deal_id' },
  { table: 'contacts', links: 'contact_tags', key: 'contact_id' },
  { table: 'companies', links: 'company_tags', key: 'company_id' },
  { table: 'conversations', links: 'conversation_tags', key: 'conversation_id' },
]

export function tagStore(deps: Deps) {
  const { db, clock, clearReferences } = deps
  const { list } = listing(db, { table: 'tags', columns, filters: {}, sorts })
  const blank = { name: '', color: null, description: null }
  const plain = plainStore<Tag>(deps, { kind: 'tag', table: 'tags', columns, blank, check })
  const find = finder(db, 'tags', columns)
  const byName = db.prepare('SELECT id FROM tags WHERE org_id = ? AND name_key = ?').pluck()
  const untag = TAGGED.map(({ table, links, key }) =>
    db.prepare(
      `UPDATE ${table} SET version = version + 1, updated_at = @now, tag_ids =
         (SELECT json_group_array(value ORDER BY key) FROM json_each(${table}.tag_ids) WHERE value <> @tag)
       WHERE org_id = @org AND id IN (SELECT ${key} FROM ${links} WHERE org_id = @org AND tag_id = @tag)`,
    ),
  )

  /** Removes the tag from all records. They change, too, but the only event is that of the tag. */
  function remove(who: Caller, tag: Tag): void {
    clearReferences(who, 'tag', tag.id)
    for (const statement of untag) statement.run({ org: who.org, tag: tag.id, now: clock.now() })
    plain.remove(who, tag)
  }

  function check(who: Caller, { id, name }: Tag): void {
    const other = byName.get(who.org, uniqueName(name)) as string | undefined
    if (other && other !== id)
      throw conflict('duplicate', `Another tag has the name "${name}". Choose another name.`, { duplicate_id: other })
  }

  const { create, patch } = plain
  return { Create: TagCreate, Patch: TagPatch, columns, filters: {}, list, find, create, patch, remove }
}

// 4. The routes.

export const tags = (deps: Deps): Route[] =>
  standardRoutes({ path: '/tags', scope: 'rest.crm.tags', name: 'tag', Shape: Tag, sorts, ...tagStore(deps) })
