import type * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import type { Need, Route } from '../http/route.ts'
import { movedTo } from '../inbox/conversations/moved-to.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { same } from '../lib/merge.ts'
import { field, invalid, notFound } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import type { RawRow } from '../store/rows/columns.ts'
import * as c from '../store/rows/columns.ts'
import type { Stored } from '../store/rows/record-store.ts'
import { jsonObject } from './json-object.ts'
import { noticeQueue } from './notices.ts'

// Texts that a member has begun, so that they wait on any of the member's screens. Two of them may write the same one: each
// says with If-Match which version its text follows, and 412 makes it read what the other one has written.

// 1. The wire form.

const KEY = /^[A-Za-z0-9:._-]{1,200}$/
const MAX_BODY = 65_536

/** Throws 404 for a key that no draft can have. */
export function checkDraftKey(key: string): void {
  if (!KEY.test(key)) throw notFound()
}

const Draft = f.object({
  key: f.doc(f.line(200), 'What it is for, such as "note:deals:ID".'),
  body: jsonObject(MAX_BODY, 'What was typed.'),
  updated_at: f.recordFields.updated_at,
  version: f.doc(f.count(), 'Grows with each change; 1 where there is no draft.'),
})
export type Draft = v.InferOutput<typeof Draft>

const DraftPut = f.object({ body: jsonObject(MAX_BODY, 'What was typed.') })

// 2. The row.

const columns = c.columns<Draft>({
  key: c.text('key'),
  body: c.json('body'),
  updated_at: c.time('updated_at'),
  version: c.integer('updated_at'),
})

/** The version of a draft that is not there, so that who begins one can say that there was none. */
const NONE = 1

// 3. The statements and the rules.

const MAX_DRAFTS = 200

/** What is begun in a conversation. */
const IN_CONVERSATION = /^(.+:conversations:)([^:]+)$/
const GAP = '\n\n'
type Body = Draft['body']
const textOf = (body: Body | undefined): string => (typeof body?.text === 'string' ? body.text : '')

/** What the keys of new mails begin with. */
export const NEW_MAIL = 'mail:'
/** What the server says at the draft of a new mail: when it leaves, that it could not, what of it has left. No page writes it. */
const OF_SERVER = ['leaves', 'failed', 'left']
/** Of one that was begun: what it is about, and whom it goes to. */
export type NewMail = { id: string; subject: string | null; to: unknown[] }

export const draftStore = once((deps: Deps) => {
  const { db, clock } = deps
  const notices = noticeQueue(deps)
  const { leading } = movedTo(db)
  const where = 'FROM drafts WHERE org_id = ? AND member_id = ?'
  const byKey = db.prepare(`SELECT ${columns.select} ${where} AND key = ?`).raw()
  const count = db.prepare(`SELECT count(*) ${where}`).pluck()
  const write = db.prepare(
    `INSERT INTO drafts (org_id, member_id, key, body, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (org_id, member_id, key) DO UPDATE SET body = excluded.body, updated_at = excluded.updated_at`,
  )
  const removeRow = db.prepare(`DELETE ${where} AND key = ?`)

  const inConversations = db.prepare(`SELECT key ${where} AND key GLOB '*:conversations:*'`).pluck()
  const begun = db.prepare(
    `SELECT key, substr(body ->> 'subject', 1, 255) AS subject, body -> 'people' ->> 'to' AS people ${where} AND key >= ? AND key < ?
     ORDER BY updated_at DESC`,
  )
  const ofKey = db.prepare('SELECT member_id, body FROM drafts WHERE org_id = ? AND key = ?')

  const changedAt = db.prepare(`SELECT updated_at ${where} AND key = ?`).pluck()

  const stored = ({ org, member }: Caller, key: string) => byKey.get(org, member, key) as RawRow | undefined
  const versionOf = ({ org, member }: Caller, key: string) =>
    (changedAt.get(org, member, key) as number | undefined) ?? NONE

  /** As JSON; without a body where nothing was begun: most are asked for before they are. Throws 404 as `put` does. */
  function find(who: Caller, key: string): string {
    checkDraftKey(key)
    const row = stored(who, key)
    return row ? columns.json(row) : JSON.stringify({ key, body: null, updated_at: null, version: NONE })
  }

  /** Which drafts of new mails a member has, the newest first. */
  const newMails = ({ org, member }: Caller): NewMail[] =>
    (begun.all(org, member, NEW_MAIL, `${NEW_MAIL}~`) as Record<'key' | 'subject' | 'people', string | null>[]).map(
      ({ key, subject, people }) => ({
        id: (key as string).slice(NEW_MAIL.length),
        subject,
        to: JSON.parse(people ?? '[]') as unknown[],
      }),
    )

  /** Throws 404 for a key that no draft can have, and 422 if the member has too many. */
  function put(who: Caller, key: string, body: Body): Draft {
    const { org, member } = who
    const before = versionOf(who, key)
    if (before === NONE && (count.get(org, member) as number) >= MAX_DRAFTS)
      throw invalid(field('', 'too_many', `must not be more than ${MAX_DRAFTS} drafts of one member`))
    // Twice in one millisecond, or after a clock that was ahead, it still is another version.
    const now = Math.max(clock.now(), before + 1)
    write.run(org, member, key, JSON.stringify(body), now)
    notices.put(org, member, { kind: 'draft', key, version: now })
    return { key, body, updated_at: rfc3339(now), version: now }
  }

  function remove({ org, member }: Caller, key: string): void {
    if (removeRow.run(org, member, key).changes > 0) notices.put(org, member, { kind: 'draft', key, version: NONE })
  }

  /** The ids of the conversations in which the member has begun something: a reply, a note, a task. */
  const conversationsOf = ({ org, member }: Caller): string[] => [
    ...new Set((inConversations.all(org, member) as string[]).map((key) => key.slice(key.lastIndexOf(':') + 1))),
  ]

  /**
   * What members have begun for one thing is added to what they have begun for another, below it. The former stays: who comes
   * back to it finds it.
   */
  function carry(org: number, from: string, to: string): void {
    for (const { member_id: member, body } of ofKey.all(org, from) as { member_id: string; body: string }[]) {
      const who = { org, member }
      const [carried, before] = [JSON.parse(body) as Body, bodyOf(who, to)]
      put(who, to, joined(before, carried, textOf(before)))
    }
  }

  const joined = (there: Body | undefined, added: Body, above: string): Body => {
    const text = [above, textOf(added)].filter((each) => each !== '').join(GAP)
    return { ...added, ...there, ...(text === '' ? {} : { text }) }
  }

  const bodyOf = (who: Caller, key: string): Body | undefined => {
    const row = stored(who, key)
    return row && columns.present(row).body
  }

  /**
   * Writes a draft, or forgets it. Who still writes in a conversation that was merged meanwhile finds the text where its messages
   * are: there it takes the place of what was carried along, as far as that still stands.
   */
  function change(who: Caller, key: string, body: Body | undefined): Draft | undefined {
    const [, kind = '', id = ''] = IN_CONVERSATION.exec(key) ?? []
    const to = id && kind + leading(who.org, id)
    const before = to && to !== key ? bodyOf(who, key) : undefined
    const kept = body && put(who, key, key.startsWith(NEW_MAIL) ? asMail(who, key, body) : body)
    if (!body) remove(who, key)
    if (to && to !== key) follow(who, to, before, body)
    return kept
  }

  /** Another page may not have read yet that it leaves, or leaves no more. */
  function asMail(who: Caller, key: string, body: Body): Body {
    const before = bodyOf(who, key) ?? {}
    const made = { ...body }
    for (const name of OF_SERVER) {
      if (before[name] === undefined) delete made[name]
      else made[name] = before[name]
    }
    return made
  }

  function follow(who: Caller, to: string, before: Body | undefined, after: Body | undefined): void {
    const there = bodyOf(who, to)
    if (there === undefined || same(there, before)) {
      if (after) put(who, to, after)
      else remove(who, to)
      return
    }
    const [was, text] = [textOf(before), textOf(there)]
    const stands = was !== '' && (text === was || text.endsWith(GAP + was))
    const above = stands ? text.slice(0, -was.length).replace(/\n\n$/, '') : text
    if (after) put(who, to, joined(there, after, above))
    else if (stands) put(who, to, { ...there, text: above })
  }

  return { find, bodyOf, newMails, put, change, versionOf, conversationsOf, carry }
})

// 4. The routes.

export const drafts = (deps: Deps): Route<Need>[] => {
  const { find, newMails, change, versionOf } = draftStore(deps)
  const common = { path: '/drafts/:key', role: 'viewer', name: 'draft' } as const

  function place(who: Caller, key: string): Stored {
    checkDraftKey(key)
    return { id: key, version: versionOf(who, key) }
  }

  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/inbox/new-mails',
      summary: 'List the new mails that I have begun',
      read: (who) => ({ json: JSON.stringify({ data: newMails(who) }) }),
    },
    {
      ...common,
      kind: 'data',
      method: 'get',
      summary: 'Get my draft',
      read: (who, [key]) => ({ json: find(who, key as string) }),
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
      run: ({ who, record, body }) => change(who, record.id, (body as v.InferOutput<typeof DraftPut>).body) as Draft,
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      summary: 'Forget my draft',
      status: 204,
      find: place,
      run: ({ who, record }) => void change(who, record.id, undefined),
    },
  ]
}
