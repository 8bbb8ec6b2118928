import { DAY_MS } from '../lib/time.ts'
import { isOpen } from '../store/orgs/org-states.ts'
import type { Database } from '../store/sqlite/driver.ts'

/**
 * How many days before its end a token is noticed. One that was made for no longer than that is not: whoever made it has
 * just said when it ends.
 */
export const NOTICE_DAYS = [14, 2] as const
export type NoticeDays = (typeof NOTICE_DAYS)[number]

/** `member` and `email` are of its owner. */
export type EndingToken = { org: number; id: string; member: string; email: string; expires_at: number }

/** Tokens that can still be used, and end soon. */
export function endingTokens(db: Database) {
  // Deactivated members cannot use theirs, and an organisation that moves takes its own along.
  const usable = `FROM tokens INDEXED BY tokens_ending
     JOIN members ON members.org_id = tokens.org_id AND members.id = tokens.member_id AND members.status = 'active'
     WHERE tokens.revoked_at IS NULL AND tokens.expires_at > @now AND ${isOpen('tokens.org_id')}`
  const soon = `${usable} AND tokens.expires_at <= @now + @notice AND tokens.expires_at - tokens.created_at > @notice`
  const columns = 'tokens.org_id AS org, tokens.id, tokens.member_id AS member, members.email, tokens.expires_at'
  const within = db.prepare(`SELECT ${columns} ${soon} ORDER BY tokens.expires_at, tokens.id LIMIT @limit`)
  const count = db.prepare(`SELECT count(*) ${soon}`).pluck()
  const next = db.prepare(`SELECT min(tokens.expires_at) ${usable}`).pluck()
  const unnoticed = db.prepare(
    `SELECT ${columns} ${soon} AND coalesce(tokens.ending_noticed, 1000) > @days ORDER BY tokens.expires_at, tokens.id LIMIT @limit`,
  )
  const note = db.prepare('UPDATE tokens SET ending_noticed = ? WHERE org_id = ? AND id = ?')
  const by = (now: number, days: NoticeDays) => ({ now, notice: days * DAY_MS })

  return {
    /** Those that end within so many days; the next ones first. */
    within: (now: number, days: NoticeDays, limit: number) => within.all({ ...by(now, days), limit }) as EndingToken[],
    count: (now: number, days: NoticeDays): number => count.get(by(now, days)) as number,
    /** When the next one ends, also of those that were made for a short time. */
    next: (now: number): number | undefined => (next.get({ now }) as number | null) ?? undefined,
    /** Those of which nobody has got a notice so many days before their end, nor a later one. */
    unnoticed: (now: number, days: NoticeDays, limit: number) =>
      unnoticed.all({ ...by(now, days), days, limit }) as EndingToken[],
    noticed: ({ org, id }: EndingToken, days: NoticeDays): void => void note.run(days, org, id),
  }
}
