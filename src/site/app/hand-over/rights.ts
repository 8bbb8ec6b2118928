import { actingMember } from '../../../auth/acting.ts'
import { hasRole, type Role } from '../../../auth/roles.ts'
import type { Problem } from '../../../lib/problem.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import type { BulkRow } from '../bulk/journal.ts'

/** What administrators need to hand over what a member has. */
export const NEEDED = 'admin'

/** Whether who started a hand-over may still do that: nobody hands over what somebody above them has. Asked in each batch. */
export function handingRights(db: Database) {
  const acting = actingMember(db)
  const roleOf = db.prepare('SELECT role FROM members WHERE org_id = ? AND id = ?').pluck()

  return function refusal(org: number, { member_id, from_id }: BulkRow): Problem | undefined {
    const role = roleOf.get(org, from_id) as Role
    return acting(org, member_id, hasRole(NEEDED, role) ? NEEDED : role)
  }
}
