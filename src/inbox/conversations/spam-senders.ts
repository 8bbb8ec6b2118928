import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { emailKey } from '../../lib/email.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** So many of the newest spam conversations are named: the search marks them. */
const MAX_NAMED = 1000
const MAX_SENDERS = 1000

type Row = { email: string; listed_by: string | null; at: number; held: number; last_at: number | null }

/** Says since when a conversation is spam, in ms; null if it is none. */
export function spamTimes(db: Database): (org: number, id: string, at: number | null) => void {
  const set = db.prepare('UPDATE conversations SET spam_at = ? WHERE org_id = ? AND id = ?')
  return (org, id, at) => void set.run(at, org, id)
}

/** Whose mails are spam. */
export const listedSenders = once(({ db }: Deps) => {
  const of = db.prepare('SELECT at FROM spam_senders WHERE org_id = ? AND email_key = ?').pluck()
  const insert = db.prepare(
    'INSERT INTO spam_senders (org_id, email_key, member_id, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const remove = db.prepare('DELETE FROM spam_senders WHERE org_id = ? AND email_key = ?')
  const count = db.prepare(
    'UPDATE spam_senders SET held = held + 1, last_at = max(coalesce(last_at, 0), ?) WHERE org_id = ? AND email_key = ?',
  )
  const setSpam = db.prepare('UPDATE conversations SET spam_at = coalesce(spam_at, ?) WHERE org_id = ? AND id = ?')
  const isSpam = db.prepare('SELECT spam_at IS NOT NULL FROM conversations WHERE org_id = ? AND id = ?').pluck()
  const all = db.prepare(
    `SELECT email_key AS email, member_id AS listed_by, at, held, last_at FROM spam_senders WHERE org_id = ?
     ORDER BY at DESC LIMIT ${MAX_SENDERS}`,
  )
  const newest = db
    .prepare(
      `SELECT id FROM conversations INDEXED BY conversations_spam WHERE org_id = ? AND spam_at IS NOT NULL
       ORDER BY spam_at DESC LIMIT ${MAX_NAMED}`,
    )
    .pluck()

  /** Notes a mail of a listed sender, with which its conversation is spam. */
  function held(org: number, email: string, conversation: string, at: number): void {
    setSpam.run(at, org, conversation)
    count.run(at, org, emailKey(email))
  }

  function list(org: number) {
    const time = (ms: number | null) => (ms === null ? null : rfc3339(ms))
    const senders = (all.all(org) as Row[]).map(({ at, last_at, ...row }) => ({
      ...row,
      listed_at: time(at),
      last_at: time(last_at),
    }))
    return { senders, conversation_ids: newest.all(org) as string[] }
  }

  const listedAt = (org: number, key: string) => of.get(org, key) as number | undefined

  return {
    add: ({ org, member }: Caller, key: string, at: number): void => void insert.run(org, key, member, at),
    remove: (org: number, key: string): void => void remove.run(org, key),
    listedAt,
    isListed: (org: number, email: string): boolean => listedAt(org, emailKey(email)) !== undefined,
    isSpam: (org: number, conversation: string): boolean => isSpam.get(org, conversation) === 1,
    held,
    list,
  }
})
