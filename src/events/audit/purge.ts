import { MAX_AHEAD_MS } from '../../lib/id.ts'
import type { Store } from '../../store/open.ts'

/** How long entries are kept unless the server is told otherwise. */
export const USUAL_RETENTION_DAYS = 365

/** Requests wait for at most one batch. */
const BATCH = 500

/**
 * Deletes the oldest entries of each chain once they have been kept for `keepMs`. The chain begins anew after the last of
 * them, whose number and hash are its anchor. An entry whose time is too far ahead was written while the clock was wrong:
 * it is deleted with the entry after it. Returns 'more' if it should be called again soon.
 */
export function purgeAuditLog({ db, clock }: Pick<Store, 'db' | 'clock'>, keepMs: number): 'more' | undefined {
  const now = clock.now()
  const chains = db.prepare('SELECT org FROM audit_chains ORDER BY org').pluck()
  const oldest = db.prepare('SELECT seq, at, hash FROM audit_log WHERE org = ? ORDER BY seq LIMIT ?')
  const anchor = db.prepare('UPDATE audit_chains SET anchor_seq = ?, anchor_hash = ? WHERE org = ?')
  const remove = db.prepare('DELETE FROM audit_log WHERE org = ? AND seq <= ?')
  const isKept = ({ at }: { at: number }): boolean => at >= now - keepMs && at <= now + MAX_AHEAD_MS
  for (const org of chains.all() as string[]) {
    const first = oldest.get(org, 1) as { at: number } | undefined
    if (!first || isKept(first)) continue // most chains, of which there may be thousands
    const entries = oldest.all(org, BATCH) as { seq: number; at: number; hash: string }[]
    const firstKept = entries.findIndex(isKept)
    const old = firstKept < 0 ? entries : entries.slice(0, firstKept)
    const last = old.findLast(({ at }) => at < now - keepMs)
    if (!last) continue
    anchor.run(last.seq, last.hash, org)
    if (remove.run(org, last.seq).changes === BATCH) return 'more'
  }
  return undefined
}
