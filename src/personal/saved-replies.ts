import type * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import { changeRoute, createRoute, type Need, type Route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { change } from '../lib/merge.ts'
import { field, invalid, notFound } from '../lib/problem.ts'
import { templateFaults } from '../lib/template.ts'
import { UNSUBSCRIBE_URL, variables } from '../sequences/sequences/variables.ts'
import type { RawRow } from '../store/rows/columns.ts'
import * as c from '../store/rows/columns.ts'
import { rows } from '../store/rows/rows.ts'
import { newRow, nextRow } from '../store/rows/versions.ts'
import { noticeQueue } from './notices.ts'

// Texts that members put into what they write. One without an owner is everyone's; others exist for their owner only.

// 1. The wire form.

const MAX_TEXT = 8192

const fields = {
  title: f.doc(f.title, 'What it is found by, besides its text.'),
  text: f.doc(f.longText(MAX_TEXT), 'Plain text with the variables of sequences, such as {{contact.first_name}}.'),
  is_shared: f.doc(f.flag, 'Whether everyone in the organisation has it; otherwise it is one member’s own.'),
}

export const SavedReply = f.object({
  id: f.id,
  ...fields,
  owner_id: f.nullable(f.doc(f.id, 'The member whose own it is.')),
  ...f.recordFields,
})
export type SavedReply = v.InferOutput<typeof SavedReply>

const SavedReplyPatch = f.patchOf(fields)
type SavedReplyPatch = v.InferOutput<typeof SavedReplyPatch>

const SavedReplyCreate = f.object({ ...SavedReplyPatch.entries, title: fields.title, text: fields.text })
type SavedReplyCreate = v.InferOutput<typeof SavedReplyCreate>

// 2. The row.

/** Exported: without `is_shared`, which follows from the owner. */
export const columns = c.columns<SavedReply>({
  id: c.plain('id'),
  title: c.text('title'),
  text: c.text('text'),
  is_shared: c.generated(c.bool('is_shared', 'owner_id IS NULL')),
  owner_id: c.plain('owner_id'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

// 3. The statements and the rules.

/** Of everyone together, and of each member. */
const MAX_REPLIES = 200

export const savedReplyStore = once((deps: Deps) => {
  const { db, clock } = deps
  const notices = noticeQueue(deps)
  const variablesOf = variables(db)
  const { insert, update, remove: removeRow } = rows(db, 'saved_replies', columns)
  const byId = db
    .prepare(
      `SELECT ${columns.select} FROM saved_replies WHERE org_id = ? AND id = ? AND (owner_id = ? OR owner_id IS NULL)`,
    )
    .raw()
  const ofMember = db
    .prepare(`SELECT ${columns.select} FROM saved_replies WHERE org_id = ? AND (owner_id = ? OR owner_id IS NULL)`)
    .raw()
  const count = db.prepare('SELECT count(*) FROM saved_replies WHERE org_id = ? AND owner_id IS ?').pluck()

  /** Throws 404, also for one that is somebody else's own. */
  function find({ org, member }: Caller, id: string): RawRow {
    const row = byId.get(org, id, member) as RawRow | undefined
    if (!row) throw notFound()
    return row
  }

  /** Those that the member can use. */
  const all = ({ org, member }: Caller): SavedReply[] =>
    (ofMember.all(org, member) as RawRow[]).map((row) => columns.present(row))

  function create(who: Caller, { title, text, is_shared = false }: SavedReplyCreate): SavedReply {
    checkText(who.org, text)
    const owner_id = is_shared ? null : (who.member as string)
    checkRoom(who.org, owner_id)
    const reply: SavedReply = newRow(clock, { title, text, is_shared, owner_id })
    insert(who.org, reply)
    tell(who, reply)
    return reply
  }

  function patch(who: Caller, before: SavedReply, given: SavedReplyPatch): SavedReply {
    const { after, changed } = change(before, given)
    if (changed.length === 0) return before
    // Custom fields that are gone since are no reason to refuse another title.
    if (changed.includes('text')) checkText(who.org, after.text)
    const saved = nextRow(clock, { ...after, owner_id: after.is_shared ? null : (who.member as string) })
    if (saved.owner_id !== before.owner_id) checkRoom(who.org, saved.owner_id)
    update(who.org, before, saved)
    // Who had it hears of it, also when it is somebody's own now.
    tell(who, before.is_shared ? before : saved)
    return saved
  }

  function remove(who: Caller, reply: SavedReply): void {
    removeRow(who.org, reply.id)
    tell(who, reply)
  }

  function checkText(org: number, text: string): void {
    if (text.trim() === '') throw invalid(field('/text', 'empty', 'must not be empty'))
    const known = variablesOf(org).filter((name) => name !== UNSUBSCRIBE_URL)
    const faults = templateFaults(text, (name) => known.includes(name))
    if (faults.length > 0)
      throw invalid(
        ...faults.map(({ code, message }) =>
          field('/text', code, code === 'unknown_variable' ? `${message}; variables are ${known.join(', ')}` : message),
        ),
      )
  }

  function checkRoom(org: number, owner: string | null): void {
    if ((count.get(org, owner) as number) < MAX_REPLIES) return
    const whose = owner === null ? 'shared saved replies' : 'saved replies of one member'
    throw invalid(field('', 'too_many', `must not be more than ${MAX_REPLIES} ${whose}`))
  }

  const tell = ({ org, member }: Caller, { id, is_shared }: SavedReply): void =>
    notices.put(org, is_shared ? null : member, { kind: 'saved_reply', id })

  return { find, all, create, patch, remove }
})

// 4. The routes.

export const savedReplies = (deps: Deps): Route<Need>[] => {
  const { find, all, create, patch, remove } = savedReplyStore(deps)
  const name = 'saved reply'
  const one = { name, path: '/saved-replies/:id', find, columns }
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/saved-replies',
      role: 'viewer',
      name,
      summary: 'Get all my saved replies and the shared ones',
      read: (who) => ({ json: JSON.stringify({ data: all(who) }) }),
    },
    createRoute({
      role: 'member',
      name,
      path: '/saved-replies',
      summary: 'Save a text for replies',
      body: SavedReplyCreate,
      returns: SavedReply,
      run: ({ who, body }) => create(who, body),
    }),
    {
      ...one,
      role: 'viewer',
      kind: 'read',
      method: 'get',
      summary: 'Get a saved reply',
      returns: SavedReply,
      timeDependent: true,
    },
    changeRoute({
      ...one,
      role: 'member',
      method: 'patch',
      summary: 'Change a saved reply',
      description: 'One that is no longer shared is the own of whoever has changed that.',
      body: SavedReplyPatch,
      returns: SavedReply,
      status: 200,
      run: ({ who, record, body }) => patch(who, record, body),
    }),
    changeRoute({
      ...one,
      role: 'member',
      method: 'delete',
      summary: 'Delete a saved reply',
      status: 204,
      run: ({ who, record }) => void remove(who, record),
    }),
  ]
}
