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

export type Access = 'read' | 'write'
export type ScopeBase = `rest.${(typeof RESOURCES)[number]}`
export type Scope = `${ScopeBase}.${Access}`

/** Resources that the public interface reads only: settings. */
const READ_ONLY = new Set<string>(['crm.stages', 'crm.members', 'inbox.sla', 'inbox.hours', 'sequences.sequences'])

/** Every scope that a route of the catalog asks for; catalog.test.ts holds the two equal. */
export const SCOPES: readonly Scope[] = RESOURCES.flatMap((resource): Scope[] =>
  READ_ONLY.has(resource) ? [`rest.${resource}.read`] : [`rest.${resource}.read`, `rest.${resource}.write`],
)

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** A viewer looks on: write scopes of its tokens do not count, also those given before it became one. */
export function effectiveScopes(scopes: readonly string[], role: string): Set<string> {
  return new Set(role === 'viewer' ? scopes.filter((scope) => scope.endsWith('.read')) : scopes)
}
