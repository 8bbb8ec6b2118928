import * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import { changeRoute, type Need, type Route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { change } from '../lib/merge.ts'
import { field, invalid, notFound } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import type * as c from '../store/rows/columns.ts'
import type { RawRow } from '../store/rows/columns.ts'
import { jsonObject } from './json-object.ts'
import { noticeQueue } from './notices.ts'

// What a member has chosen for the screens. Only the member reads and changes it.

// 1. The wire form.

const KEY = /^[a-z0-9_.-]{1,80}$/

const fields = {
  language: f.doc(f.oneOf(['en', 'de']), 'Language of the screens; `en` by default.'),
  theme: f.doc(f.oneOf(['system', 'light', 'dark']), '`system` by default.'),
  shortcuts: f.doc(f.flag, 'Whether single letters are shortcuts; true by default.'),
  keys: f.doc(
    v.pipe(
      v.record(v.pipe(v.string(), v.regex(KEY, 'invalid_key|must be the id of a command')), f.line(40)),
      v.check((keys) => Object.keys(keys).length <= 200, 'too_many|must have at most 200 members'),
    ),
    'Keys that differ from those of the screens, by command.',
  ),
  timezone: f.doc(f.timezone, 'Time zone in which times are shown; that of the member by default.'),
  checklist: jsonObject(4096, 'The state of the first steps.'),
  columns: jsonObject(32_768, 'The columns of each table.'),
  pinned_views: f.doc(f.ids, 'The views in the side bar, in order.'),
  signature: f.doc(f.longText(2048), 'Put under replies by mail; none by default.'),
  screens: jsonObject(16_384, 'Other choices of the screens, such as widths.'),
}

export const Preferences = f.object({
  ...fields,
  updated_at: f.nullable(f.recordFields.created_at),
  version: f.count(),
})
export type Preferences = v.InferOutput<typeof Preferences>

const PreferencesPatch = f.patchOf(fields)
export type PreferencesPatch = v.InferOutput<typeof PreferencesPatch>

// 2. The row.

/** Each member has at most these bytes. */
const MAX_BYTES = 65_536

type Row = { body: string; updated_at: number; version: number }

// 3. The statements and the rules.

export const preferenceStore = once((deps: Deps) => {
  const { db, clock } = deps
  const notices = noticeQueue(deps)
  const stored = db.prepare('SELECT body, updated_at, version FROM preferences WHERE org_id = ? AND member_id = ?')
  const timezone = db.prepare('SELECT timezone FROM members WHERE org_id = ? AND id = ?').pluck()
  const put = db.prepare(
    `INSERT INTO preferences (org_id, member_id, body, updated_at, version) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (org_id, member_id) DO UPDATE
     SET body = excluded.body, updated_at = excluded.updated_at, version = excluded.version`,
  )

  /** The preferences of the caller; version 0 before the first change. */
  function find({ org, member }: Caller): Preferences {
    const zone = timezone.get(org, member) as string | undefined
    if (member === null || zone === undefined) throw notFound()
    const row = stored.get(org, member) as Row | undefined
    const body = row ? (JSON.parse(row.body) as Partial<Preferences>) : {}
    return {
      language: 'en',
      theme: 'system',
      shortcuts: true,
      keys: {},
      timezone: zone,
      checklist: {},
      columns: {},
      pinned_views: [],
      signature: '',
      screens: {},
      ...body,
      updated_at: row ? rfc3339(row.updated_at) : null,
      version: row?.version ?? 0,
    }
  }

  function patch(who: Caller, before: Preferences, given: PreferencesPatch): Preferences {
    const { after, changed } = change(before, given)
    if (changed.length === 0) return before
    const { updated_at, version, ...chosen } = after
    const row = stored.get(who.org, who.member) as Row | undefined
    // What the member never chose follows its default, such as the time zone of the member.
    const own = row ? Object.keys(JSON.parse(row.body)) : []
    const kept = Object.fromEntries(
      Object.entries(chosen).filter(([name]) => own.includes(name) || (changed as string[]).includes(name)),
    )
    const body = JSON.stringify(kept)
    if (Buffer.byteLength(body) > MAX_BYTES)
      throw invalid(field('', 'too_long', `must be at most ${MAX_BYTES} bytes long, as JSON`))
    const now = clock.now()
    put.run(who.org, who.member, body, now, before.version + 1)
    notices.put(who.org, who.member, { kind: 'preferences' })
    return { ...after, updated_at: rfc3339(now), version: before.version + 1 }
  }

  return { find, patch }
})

// 4. The routes.

const columns: c.Readable = { select: '', json: ([json]: RawRow) => json as string }

export const preferences = (deps: Deps): Route<Need>[] => {
  const { find, patch } = preferenceStore(deps)
  const common = { path: '/preferences', role: 'viewer', name: 'preferences' } as const
  return [
    {
      ...common,
      kind: 'read',
      method: 'get',
      summary: 'Get my preferences',
      columns,
      returns: Preferences,
      find: (who) => [JSON.stringify(find(who))],
      timeDependent: true,
    },
    changeRoute({
      ...common,
      method: 'patch',
      summary: 'Change my preferences',
      find: (who) => [JSON.stringify(find(who))],
      columns: { present: ([json]: RawRow) => JSON.parse(json as string) } as c.Columns<never>,
      body: PreferencesPatch,
      returns: Preferences,
      status: 200,
      run: ({ who, record, body }) => patch(who, record, body),
    }),
  ]
}
