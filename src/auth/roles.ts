import { Problem } from '../lib/problem.ts'

/** What a member of an organisation is, from the one who may do most to the one who may do least. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

export type Role = (typeof ROLES)[number]

/** Throws Problem 403 where the role is below the one that is needed. */
export function requireRole(role: Role, needed: Role): void {
  if (ROLES.indexOf(role) <= ROLES.indexOf(needed)) return
  throw new Problem(403, 'insufficient_role', `This needs the role ${needed}; yours is ${role}.`, {
    more: { role: needed },
  })
}
