import type { Database } from '../../store/sqlite/driver.ts'

export type Owner = { id: string; email: string; name: string }

/** The active owners of an organisation, whom it is told what needs somebody. */
export function activeOwners(db: Database): (org: number) => Owner[] {
  const owners = db.prepare(
    "SELECT id, email, name FROM members WHERE org_id = ? AND role = 'owner' AND status = 'active' ORDER BY id",
  )
  return (org) => owners.all(org) as Owner[]
}
