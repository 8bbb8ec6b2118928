import { isAllowed, requireScopes, type Scope } from '../auth/scopes.ts'
import { type EventName, eventsOf, resourceOf } from '../events/names.ts'
import type { Caller } from '../lib/caller.ts'

/** An event contains the whole record, so subscribers need the scope to read records of this resource. */
const SCOPE_OF: Record<string, Scope> = {
  contact: 'rest.crm.contacts.read',
  company: 'rest.crm.companies.read',
  deal: 'rest.crm.deals.read',
  note: 'rest.crm.notes.read',
  task: 'rest.crm.tasks.read',
  tag: 'rest.crm.tags.read',
  list: 'rest.crm.lists.read',
  custom_field: 'rest.crm.custom_fields.read',
  meeting: 'rest.meetings.meetings.read',
  transcript: 'rest.meetings.transcript.read',
  conversation: 'rest.inbox.conversations.read',
  message: 'rest.inbox.messages.read',
  enrollment: 'rest.sequences.enrollments.read',
} satisfies Record<ResourceOf<EventName>, Scope>
type ResourceOf<Name extends string> = Name extends `${infer Resource}.${string}` ? Resource : never

const ALL = Object.values(SCOPE_OF)

/**
 * Returns the scopes for all events that match the patterns. `*` needs every scope, since it includes event types added
 * later.
 */
const scopesOf = (patterns: readonly string[]): Scope[] =>
  patterns.includes('*') ? ALL : [...eventsOf(patterns)].map((name) => SCOPE_OF[resourceOf(name)] as Scope)

/** Throws Problem 403 if the caller may not read the records in these events. */
export const requireEvents = (who: Caller, patterns: readonly string[]): void => requireScopes(who, scopesOf(patterns))

/**
 * Returns a test for the event types that the caller may read. `*` also includes types written by another version of
 * the server, but only for callers with every scope, since the records in them are unknown.
 */
export function readableEvents(who: Caller, patterns: readonly string[]): (type: string) => boolean {
  if (patterns.includes('*') && ALL.every((scope) => isAllowed(who, scope))) return () => true
  const meant = eventsOf(patterns)
  const readable = new Set([...meant].filter((name) => isAllowed(who, SCOPE_OF[resourceOf(name)] as Scope)))
  return (type) => readable.has(type)
}
