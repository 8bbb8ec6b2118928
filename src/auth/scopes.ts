import type { Caller } from '../lib/caller.ts'
import { Problem } from '../lib/problem.ts'

/** The groups and resources of the catalog. `write` does not imply `read`. */
export const RESOURCES = [
  'crm.deals',
  'crm.contacts',
  'crm.companies',
  'crm.stages',
  'crm.members',
  'crm.notes',
  'crm.tasks',
  'crm.tags',
  'crm.lists',
  'crm.custom_fields',
  'crm.webhooks',
  'meetings.meetings',
  'meetings.transcript',
  'inbox.conversations',
  'inbox.messages',
  'inbox.sla',
  'inbox.hours',
  'sequences.sequences',
  'sequences.enrollments',
] as const

export type AccessMode = 'read' | 'write'
export type ScopeBase = `rest.${(typeof RESOURCES)[number]}`
export type Scope = `${ScopeBase}.${AccessMode}`

/** Read-only resources of the API: settings. */
const READ_ONLY = new Set<string>(['crm.stages', 'crm.members', 'inbox.sla', 'inbox.hours', 'sequences.sequences'])

/** Every scope used by a route of the catalog; catalog.test.ts ensures that the two are equal. */
export const SCOPES: readonly Scope[] = RESOURCES.flatMap((resource): Scope[] =>
  READ_ONLY.has(resource) ? [`rest.${resource}.read`] : [`rest.${resource}.read`, `rest.${resource}.write`],
)

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** Whether the caller has the scope. */
export const isAllowed = ({ scopes }: Pick<Caller, 'scopes'>, scope: Scope): boolean => scopes?.has(scope) ?? true

/** Throws Problem 403 with the first missing scope; its detail names all of them. */
export function requireScopes(who: Pick<Caller, 'scopes' | 'session'>, needed: Iterable<Scope>): void {
  const missing = [...new Set(needed)].filter((scope) => !isAllowed(who, scope))
  const [scope, ...more] = missing
  if (scope === undefined) return
  if (who.session) throw beyondRole(who.session.role, scope)
  const what = more.length > 0 ? `scopes ${missing.join(', ')}` : `scope ${scope}`
  throw new Problem(403, 'insufficient_scope', `This needs a token with the ${what}.`, { more: { scope } })
}

/** Sessions know no scopes, only roles. A viewer is the only one who lacks any. */
const beyondRole = (role: string, scope: Scope): Problem =>
  new Problem(
    403,
    'insufficient_scope',
    `Your role is ${role}, which can only read. Ask an owner or an administrator for the role member.`,
    { more: { scope, role: 'member' } },
  )

/** A short text that is equal only for equal scopes: the key for cached responses. */
export function scopeKey(scopes: ReadonlySet<string>): string {
  const bits = SCOPES.map((scope) => (scopes.has(scope) ? '1' : '0')).join('')
  return BigInt(`0b${bits}`).toString(36)
}

/**
 * Viewers only read: write scopes of their tokens are ignored, even those granted before the member became a viewer.
 */
export function effectiveScopes(scopes: readonly string[], role: string): Set<string> {
  return new Set(role === 'viewer' ? scopes.filter((scope) => scope.endsWith('.read')) : scopes)
}
