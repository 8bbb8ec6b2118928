import * as v from 'valibot'
import type { EndingToken } from '../auth/ending-tokens.ts'
import { type Deps, once } from '../deps.ts'
import type { Changes } from '../events/react.ts'
import { badQuery } from '../http/query.ts'
import type { Need, Route } from '../http/route.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { PATHS as NOUN_PATHS } from '../lib/pure/nouns.ts'
import type { Page } from '../store/list/page.ts'
import type { ListQuery } from '../store/list/query.ts'
import type { RawRow } from '../store/rows/columns.ts'
import * as c from '../store/rows/columns.ts'
import { mailAndNotes } from './mail-and-notes.ts'
import { noticeQueue } from './notices.ts'

// What concerns a member: a record was assigned to them, a note mentions them, a task is due, a token ends, the server
// needs somebody, a colleague's work was handed over. Written in the transaction of the change; only their member reads them.

// 1. The wire form.

const { contact, company, deal, task, note, conversation } = NOUN_PATHS
const PATHS = {
  contact,
  company,
  deal,
  task,
  note,
  conversation,
  token: 'tokens',
  server: 'server',
  hand_over: 'hand-overs',
} as const
type Object = keyof typeof PATHS

const NOTIFIED = ['assigned', 'mentioned', 'due', 'ending', 'operation', 'handed_over', 'returned', 'failed'] as const

const Notification = f.object({
  id: f.id,
  kind: f.oneOf(NOTIFIED),
  at: f.doc(f.recordFields.created_at, 'When that was; when the task is due, or the token ends.'),
  actor_id: f.doc(f.nullable(f.id), 'The member who did it; null for what nobody did, such as a task that is due.'),
  record: f.object({ kind: f.oneOf(Object.values(PATHS)), id: f.id, title: v.string() }),
  read_at: f.nullable(f.recordFields.created_at),
  detail: f.doc(
    v.nullable(v.looseObject({})),
    'Of a hand-over, whose title is the name of the member: `counts` of the records by kind, and `until` when, if they go back. Of the operation of the server: the checks that need somebody (`bad`), and those that are `well` again.',
  ),
})

const Read = f.object({ ids: f.optional(f.ids), all: f.optional(v.literal(true)) })
const Unread = f.object({ unread: f.count() })

// 2. The row.

type Row = [string, string, number, string | null, Object, string, string, number | null, string | null]
const FIELDS = 'id, kind, at, actor_id, object, record_id, title, read_at, detail'
const [toJson, timeJson] = [c.text('').json, c.time('').json] as ((stored: unknown) => string)[] as [
  (stored: unknown) => string,
  (stored: unknown) => string,
]

const columns: c.Readable = {
  select: FIELDS,
  json: (row: RawRow) => {
    const [id, kind, at, actor, object, record, title, read, detail] = row as Row
    const about = `{"kind":"${PATHS[object]}","id":"${record}","title":${toJson(title)}}`
    const actorId = actor === null ? 'null' : `"${actor}"`
    return `{"id":"${id}","kind":"${kind}","at":${timeJson(at)},"actor_id":${actorId},"record":${about},"read_at":${timeJson(read)},"detail":${detail}}`
  },
}

// 3. The statements and the rules.

/** Per member; the oldest are dropped. */
export const MAX_NOTIFICATIONS = 200

type Told = {
  kind: (typeof NOTIFIED)[number]
  object: Object
  record: string
  title: string
  at: number
  detail?: object
}

/** Work of a member that was given to others, or came back. `record` is the id of the hand-over. */
type HandedOver = Pick<Told, 'record' | 'title'> & { detail: { counts: object; until?: string } }

/** `id` is that of the installation. */
type ServerState = { id: string; at: number; bad: readonly string[]; well: readonly string[] }

export const notificationStore = once((deps: Deps) => {
  const { db, clock } = deps
  const notices = noticeQueue(deps)
  const isActive = db.prepare("SELECT 1 FROM members WHERE org_id = ? AND id = ? AND status = 'active'").pluck()
  const whose = 'org_id = ? AND member_id = ?'
  const forget = db.prepare(
    `DELETE FROM notifications WHERE ${whose} AND kind = ? AND record_id = ? AND read_at IS NULL`,
  )
  const insert = db.prepare(
    `INSERT INTO notifications (org_id, member_id, id, kind, object, record_id, title, actor_id, at, detail)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const cap = db.prepare(
    `DELETE FROM notifications WHERE org_id = @org AND member_id = @member AND id <=
       (SELECT id FROM notifications WHERE org_id = @org AND member_id = @member
        ORDER BY id DESC LIMIT 1 OFFSET ${MAX_NOTIFICATIONS})`,
  )
  const page = db
    .prepare(`SELECT ${FIELDS} FROM notifications WHERE ${whose} AND id < ? ORDER BY id DESC LIMIT ?`)
    .raw()
  const readOne = db.prepare(`UPDATE notifications SET read_at = ? WHERE ${whose} AND id = ? AND read_at IS NULL`)
  const readAll = db.prepare(`UPDATE notifications SET read_at = ? WHERE ${whose} AND read_at IS NULL`)
  const unread = db
    .prepare(`SELECT count(*) FROM notifications INDEXED BY notifications_unread WHERE ${whose} AND read_at IS NULL`)
    .pluck()
  /** Tells a member; a newer one replaces an unread one of the same kind and record. */
  function tell(org: number, member: string, actor: string | null, told: Told): void {
    const { kind, object, record, title, at, detail } = told
    if (!isActive.get(org, member)) return
    forget.run(org, member, kind, record)
    const id = clock.id()
    insert.run(org, member, id, kind, object, record, title, actor, at, detail ? JSON.stringify(detail) : null)
    cap.run({ org, member })
    notices.put(org, member, { kind: 'notification', id })
  }

  /** A record got another owner. Imports and jobs assign without telling: they may assign thousands. */
  function assigned(who: Caller, object: Object, id: string, title: string, owner: string | null): void {
    if (who.member !== null) toldBy(who, object, id, title, owner)
  }

  function toldBy(who: Caller, object: Object, id: string, title: string, owner: string | null): void {
    if (who.isSummed || owner === null || owner === who.member) return
    tell(who.org, owner, who.member, { kind: 'assigned', object, record: id, title, at: clock.now() })
  }

  const dealChanged = (who: Caller, after: Changes['deal.updated'], before?: Changes['deal.updated']): void => {
    if (after.owner_id !== before?.owner_id) assigned(who, 'deal', after.id, after.title, after.owner_id)
  }

  const taskChanged = (who: Caller, after: Changes['task.updated'], before?: Changes['task.updated']): void => {
    if (after.owner_id !== before?.owner_id && after.status === 'open')
      assigned(who, 'task', after.id, after.title, after.owner_id)
  }

  function conversationChanged(
    who: Caller,
    after: Changes['conversation.updated'],
    before?: Changes['conversation.updated'],
  ): void {
    if (after.owner_id === before?.owner_id) return
    // A rule gives it to somebody, too, one at a time as mails come in.
    toldBy(who, 'conversation', after.id, after.subject ?? `#${after.number}`, after.owner_id)
  }

  const { noteChanged, messageNoted, mailFailed } = mailAndNotes(deps, tell)

  function taskDue(org: number, task: { id: string; title: string; owner_id: string; due_at: number }): void {
    tell(org, task.owner_id, null, { kind: 'due', object: 'task', record: task.id, title: task.title, at: task.due_at })
  }

  /** A token has no name: it is known by its owner and its id. */
  function tokenEnds(member: string, { org, id, email, expires_at }: EndingToken): void {
    tell(org, member, null, { kind: 'ending', object: 'token', record: id, title: `${email} (${id})`, at: expires_at })
  }

  /** Which checks need somebody, and which ones are well again. */
  function serverIs(org: number, member: string, { id, at, bad, well }: ServerState): void {
    const title = [...bad, ...well].join(', ')
    tell(org, member, null, { kind: 'operation', object: 'server', record: id, title, at, detail: { bad, well } })
  }

  /** One notice of a whole hand-over. Nobody is told of what they gave themselves. */
  function handedOver(org: number, member: string, actor: string | null, given: HandedOver): void {
    if (member === actor) return
    tell(org, member, actor, { kind: 'handed_over', object: 'hand_over', at: clock.now(), ...given })
  }

  /** What was handed over came back: its notice would mislead who has not read it. */
  function handOverEnded(org: number, receivers: readonly string[], record: string): void {
    for (const member of receivers) {
      if (forget.run(org, member, 'handed_over', record).changes > 0)
        notices.put(org, member, { kind: 'notification', id: null })
    }
  }

  const returned = (org: number, member: string, given: HandedOver): void =>
    tell(org, member, null, { kind: 'returned', object: 'hand_over', at: clock.now(), ...given })

  function list(org: number, { limit, after, count }: ListQuery, { member }: Caller): Page {
    if (count) throw badQuery('This list has no count. Omit "count".')
    const rows = page.all(org, member, after?.id ?? '~', limit + 1) as RawRow[]
    const more = rows.length > limit
    if (more) rows.pop()
    const last = rows.at(-1)
    return { rows, next: more && last ? { key: null, id: last[0] as string } : null }
  }

  const unreadOf = ({ org, member }: Caller): number => unread.get(org, member) as number

  function read(who: Caller, { ids = [], all = false }: { ids?: string[]; all?: boolean }): { unread: number } {
    const { org, member } = who
    const now = clock.now()
    if (all) readAll.run(now, org, member)
    else for (const id of ids) readOne.run(now, org, member, id)
    notices.put(org, member, { kind: 'notification', id: null })
    return { unread: unreadOf(who) }
  }

  return {
    list,
    read,
    unreadOf,
    dealChanged,
    taskChanged,
    conversationChanged,
    noteChanged,
    messageNoted,
    mailFailed,
    taskDue,
    tokenEnds,
    serverIs,
    handedOver,
    handOverEnded,
    returned,
  }
})

// 4. The routes.

export const notifications = (deps: Deps): Route<Need>[] => {
  const { list, read } = notificationStore(deps)
  const common = { role: 'viewer', name: 'notification' } as const
  return [
    {
      ...common,
      kind: 'list',
      method: 'get',
      path: '/notifications',
      summary: 'List my notifications, newest first',
      columns,
      item: Notification,
      filters: {},
      sorts: {},
      timeDependent: true, // differs by member, so it is never shared
      list,
    },
    {
      ...common,
      kind: 'write',
      method: 'post',
      path: '/notifications/read',
      summary: 'Mark my notifications as read',
      body: Read,
      returns: Unread,
      status: 200,
      run: ({ who, body }) => read(who, body as v.InferOutput<typeof Read>),
    },
  ]
}
