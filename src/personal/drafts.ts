import type * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import type { Need, Route, Stored } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { field, invalid, notFound } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import type { RawRow } from '../store/columns.ts'
import * as c from '../store/columns.ts'
import { jsonObject } from './json-object.ts'
import { noticeQueue } from './notices.ts'

// Texts that a member has begun, so that they wait on any of the member's screens.

// 1. The wire form.

const KEY = /^[A-Za-z0-9:._-]{1,200}$/
const MAX_BODY = 65_536

const Draft = f.object({
  key: f.doc(f.line(200), 'What it is for, such as "note:deals:ID".'),
  body: jsonObject(MAX_BODY, 'What was typed.'),
  updated_at: f.recordFields.updated_at,
})
export type Draft = v.InferOutput<typeof Draft>

const DraftPut = f.object({ body: jsonObject(MAX_BODY, 'What was typed.') })

// 2. The row.

const columns = c.columns<Draft>({ key: c.text('key'), body: c.json('body'), updated_at: c.time('updated_at') })

// 3. The statements and the rules.

const MAX_DRAFTS = 200

export const draftStore = once((deps: Deps) => {
  const { db, clock } = deps
  const notices = noticeQueue(deps)
  const where = 'FROM drafts WHERE org_id = ? AND member_id = ?'
  const byKey = db.prepare(`SELECT ${columns.select} ${where} AND key = ?`).raw()
  const count = db.prepare(`SELECT count(*) ${where}`).pluck()
  const write = db.prepare(
    `INSERT INTO drafts (org_id, member_id, key, body, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (org_id, member_id, key) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`,
  )
  const removeRow = db.prepare(`DELETE ${where} AND key = ?`)

  const stored = ({ org, member }: Caller, key: string) => byKey.get(org, member, key) as RawRow | undefined

  /** Throws 404. */
  function find(who: Caller, key: string): RawRow {
    const row = stored(who, key)
    if (!row) throw notFound()
    return row
  }

  /** Throws 404 for a key that no draft can have, and 422 if the member has too many. */
  function put(who: Caller, key: string, body: Draft['body']): Draft {
    const { org, member } = who
    if (!stored(who, key) && (count.get(org, member) as number) >= MAX_DRAFTS)
      throw invalid(field('', 'too_many', `must not be more than ${MAX_DRAFTS} drafts of one member`))
    const now = clock.now()
    write.run(org, member, key, JSON.stringify(body), now)
    notices.put(org, member, { kind: 'draft', key })
    return { key, body, updated_at: rfc3339(now) }
  }

  function remove({ org, member }: Caller, key: string): void {
    if (removeRow.run(org, member, key).changes > 0) notices.put(org, member, { kind: 'draft', key })
  }

  return { find, put, remove }
})

// 4. The routes.

export const drafts = (deps: Deps): Route<Need>[] => {
  const { find, put, remove } = draftStore(deps)
  const common = { path: '/drafts/:key', role: 'viewer', name: 'draft' } as const

  /** A draft has no version: its author is one person. */
  function place(_: Caller, key: string): Stored {
    if (!KEY.test(key)) throw notFound()
    return { id: key, version: 0 }
  }

  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      summary: 'Get my draft',
      read: (who, [key]) => ({ json: columns.json(find(who, key as string)) }),
    },
    {
      ...common,
      kind: 'write',
      method: 'put',
      summary: 'Keep my draft',
      body: DraftPut,
      returns: Draft,
      status: 200,
      find: place,
      run: ({ who, record, body }) => put(who, record.id, (body as v.InferOutput<typeof DraftPut>).body),
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      summary: 'Forget my draft',
      status: 204,
      find: place,
      run: ({ who, record }) => void remove(who, record.id),
    },
  ]
}
