import { Problem } from '../lib/problem.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { hasRole, type Role } from './roles.ts'

/**
 * For jobs that go on in the name of a member after the request has ended: whether the member still has the role that the
 * request needed. A job asks in each of its transactions, as each request does.
 */
export function actingMember(db: Database) {
  const byId = db.prepare('SELECT role, status FROM members WHERE org_id = ? AND id = ?')

  /** The Problem 403 of what the member may not do any more; undefined for one who still may. */
  return function refusal(org: number, member: string, needed: Role): Problem | undefined {
    const found = byId.get(org, member) as { role: Role; status: string } | undefined
    if (found?.status === 'active' && hasRole(found.role, needed)) return undefined
    const now = found?.status === 'active' ? `was given the role ${found.role}` : 'was deactivated'
    return new Problem(403, 'insufficient_role', `Not done: the member who started this ${now} before.`)
  }
}
