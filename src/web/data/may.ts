import { boot, me } from './boot.ts'

// What my role lets me do. The server decides; the screens offer no more than that.

const ROLES = ['owner', 'admin', 'member', 'viewer']

/** Whether I have the role at least. */
export const hasRole = (role = 'viewer'): boolean => ROLES.indexOf(me.value.role) <= ROLES.indexOf(role)

/** Whether I may write records of this kind, such as `deals` or `notes`; without one, anything at all. */
export const mayWrite = (kind?: string): boolean =>
  kind === undefined ? hasRole('member') : boot.value.capabilities.includes(`rest.crm.${kind}.write`)

/** Admins and owners: those who look after the members, and after what others share. */
export const isAdmin = (): boolean => hasRole('admin')
