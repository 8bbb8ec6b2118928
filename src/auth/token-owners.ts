import type { Store } from '../store/open.ts'

/** The tokens of members that are removed or moved when an export replaces an organisation. */
export function tokenOwners({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const live = db
    .prepare(
      `SELECT count(*) FROM tokens WHERE org_id = ? AND member_id = ?
         AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)`,
    )
    .pluck()
  const remove = db.prepare('DELETE FROM tokens WHERE org_id = ? AND member_id = ?')
  const moveAll = db.prepare('UPDATE tokens SET org_id = ? WHERE org_id = ?')

  return {
    /** How many valid tokens a member has. */
    countLive: (org: number, member: string): number => live.get(org, member, clock.now()) as number,
    remove: (org: number, member: string): void => void remove.run(org, member),
    /** Moves all tokens of one organisation to another. */
    moveAll: (from: number, to: number): void => void moveAll.run(to, from),
  }
}
