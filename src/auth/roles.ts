import { Problem } from '../lib/problem.ts'

/** The roles of members, from most to least privileged. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const

export type Role = (typeof ROLES)[number]

/** Whether a role is the needed one or above it. */
export const hasRole = (role: Role, needed: Role): boolean => ROLES.indexOf(role) <= ROLES.indexOf(needed)

/** Throws Problem 403 if the role is below the required one. */
export function requireRole(role: Role, needed: Role): void {
  if (hasRole(role, needed)) return
  throw new Problem(403, 'insufficient_role', `This needs the role ${needed}; your role is ${role}.`, {
    more: { role: needed },
  })
}

/** Throws Problem 403 if a member has a role above that of who acts on them. */
export function refuseHigher(own: Role, role: Role): void {
  if (hasRole(own, role)) return
  throw new Problem(403, 'role_too_high', `This member is ${role}, which is above your own role.`, { more: { role } })
}
