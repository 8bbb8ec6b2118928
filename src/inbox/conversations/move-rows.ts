import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Conversation } from './conversation.ts'
import type { InMailbox } from './mailboxes-of.ts'
import { previewOf } from './message-effects.ts'

const TABLES = ['messages', 'enrollments', 'notes', 'tasks', 'meetings'] as const
/** What was moved, by its table. */
export type Moved = Partial<Record<(typeof TABLES)[number], string[]>>

export const KEPT = [
  'status',
  'snoozed_until',
  'closed_at',
  'waiting_since',
  'unread_count',
  'owner_id',
  'priority',
  'company_id',
  'deal_id',
  'tag_ids',
] as const
export type Kept = Pick<Conversation, (typeof KEPT)[number]>

export type Move = {
  id: string
  kind: 'merge' | 'split' | 'mailbox'
  from_id: string
  to_id: string
  member_id: string | null
  at: number
  undone_at: number | null
  undo: {
    /** Of the conversation whose event tells of it, then and after its undo. */
    version: number
    undone_version?: number
    moved: Moved
    /** Of a merge: what both were before, and what the one that stayed was after it. */
    from?: Kept
    into?: Kept
    after?: Kept
    /** In whose views one that went to another mailbox stood before, or the one that stayed stands by a merge. */
    mailboxes?: InMailbox[]
    to_mailbox?: string
  }
}
type Row = Omit<Move, 'undo'> & { undo: string }

/** More would be written in one transaction that others wait for. */
const MAX_MOVED = 5000

/** The rows that a merge or a split moves, and what is remembered of it. */
export const moveRows = once(({ db, clock }: Deps) => {
  const idsOf = (table: string) =>
    db.prepare(`SELECT id FROM ${table} WHERE org_id = ? AND conversation_id = ?`).pluck()
  const setOf = (table: string) =>
    db.prepare(
      `UPDATE ${table} SET conversation_id = @to, version = version + 1, updated_at = @now
       WHERE org_id = @org AND conversation_id = @from AND id IN (SELECT value FROM json_each(@ids))`,
    )
  const statements = TABLES.map((table) => ({ table, ids: idsOf(table), set: setOf(table) }))
  const moveOne = db.prepare(
    'UPDATE messages SET conversation_id = ?, version = version + 1, updated_at = ? WHERE org_id = ? AND id = ?',
  )
  const last = db.prepare(
    `SELECT sent_at, body_text, attachments ->> '$[0].name' AS file
     FROM messages INDEXED BY messages_sent
     WHERE org_id = ? AND conversation_id = ? AND direction <> 'note' AND send_at IS NULL
     ORDER BY sent_at DESC, id DESC LIMIT 1`,
  )
  const count = db
    .prepare("SELECT count(*) FROM messages WHERE org_id = ? AND conversation_id = ? AND direction <> 'note'")
    .pluck()
  const subject = db.prepare('SELECT subject FROM message_headers WHERE org_id = ? AND message_id = ?').pluck()
  const company = db.prepare('SELECT company_id FROM contacts WHERE org_id = ? AND id = ?').pluck()
  const insert = db.prepare(
    `INSERT INTO conversation_moves (org_id, id, kind, from_id, to_id, member_id, at, undo)
     VALUES (@org, @id, @kind, @from_id, @to_id, @member_id, @at, @undo)`,
  )
  const undo = db.prepare('UPDATE conversation_moves SET undone_at = ?, undo = ? WHERE org_id = ? AND id = ?')
  const ofBoth = db.prepare(
    `SELECT id, kind, from_id, to_id, member_id, at, undone_at, undo FROM conversation_moves
     WHERE org_id = @org AND from_id = @id
     UNION SELECT id, kind, from_id, to_id, member_id, at, undone_at, undo FROM conversation_moves
     WHERE org_id = @org AND to_id = @id ORDER BY id`,
  )

  /** Throws 409 if there is too much of it. */
  function moveAll(org: number, from: string, to: string): Moved {
    const moved: Moved = {}
    for (const { table, ids, set } of statements) {
      const found = ids.all(org, from) as string[]
      if (found.length > MAX_MOVED)
        throw conflict('too_many_messages', `A conversation of more than ${MAX_MOVED} messages cannot be merged.`)
      if (found.length === 0) continue
      moved[table] = found
      set.run({ org, from, to, now: clock.now(), ids: JSON.stringify(found) })
    }
    return moved
  }

  function moveBack(org: number, moved: Moved, from: string, to: string): void {
    for (const { table, set } of statements)
      if (moved[table]) set.run({ org, from, to, now: clock.now(), ids: JSON.stringify(moved[table]) })
  }

  /** What the newest message says of its conversation; nothing where there is none. */
  function newest(org: number, { id }: Conversation): Partial<Pick<Conversation, 'last_message_at' | 'preview'>> {
    const row = last.get(org, id) as { sent_at: number; body_text: string; file: string | null } | undefined
    return row ? { last_message_at: rfc3339(row.sent_at), preview: previewOf(row.body_text || (row.file ?? '')) } : {}
  }

  function add({ org, member }: Caller, { undo, ...given }: Pick<Move, 'kind' | 'from_id' | 'to_id' | 'undo'>): void {
    insert.run({ org, id: clock.id(), member_id: member, at: clock.now(), undo: JSON.stringify(undo), ...given })
  }

  function undone(org: number, { id, undo: before }: Move, undone_version: number): void {
    undo.run(clock.now(), JSON.stringify({ ...before, undone_version }), org, id)
  }

  const of = (org: number, id: string): Move[] =>
    (ofBoth.all({ org, id }) as Row[]).map((row) => ({ ...row, undo: JSON.parse(row.undo) }))

  /** By the conversation that was merged, split off or moved, and the version that its event has. */
  const ofEvent = (org: number, id: string, version: number): Move | undefined =>
    of(org, id).find(({ kind, from_id, to_id, undone_at, undo }) =>
      kind === 'split'
        ? to_id === id && undone_at === null && undo.version === version
        : from_id === id && (undone_at === null ? undo.version : undo.undone_version) === version,
    )

  return {
    moveAll,
    moveBack,
    moveOne: (org: number, message: string, to: string): void => void moveOne.run(to, clock.now(), org, message),
    newest,
    count: (org: number, id: string) => count.get(org, id) as number,
    subjectOf: (org: number, message: string) => (subject.get(org, message) as string | null | undefined) ?? null,
    companyOf: (org: number, contact: string | null) =>
      (company.get(org, contact) as string | null | undefined) ?? null,
    add,
    undone,
    of,
    ofEvent,
  }
})
