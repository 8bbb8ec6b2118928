import { isAllowed, requireScopes, type Scope } from '../auth/scopes.ts'
import { type EventName, eventsOf, resourceOf } from '../events/names.ts'
import type { Caller } from '../lib/caller.ts'

/** An event shows a record of this resource whole, so whoever asks for it needs the scope to read such records. */
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

/** The scopes for all events that the patterns stand for; those for `*` are all, since it brings every later one, too. */
const scopesOf = (patterns: readonly string[]): Scope[] =>
  patterns.includes('*') ? ALL : [...eventsOf(patterns)].map((name) => SCOPE_OF[resourceOf(name)] as Scope)

/** Throws Problem 403 where the caller may not read what these events show. */
export const requireEvents = (who: Caller, patterns: readonly string[]): void => requireScopes(who, scopesOf(patterns))

/**
 * Which events of the patterns the caller may read. `*` brings events that another version has written, too, but only
 * to those who may read all there are: nobody knows what they show.
 */
export function readableEvents(who: Caller, patterns: readonly string[]): (type: string) => boolean {
  if (patterns.includes('*') && ALL.every((scope) => isAllowed(who, scope))) return () => true
  const meant = eventsOf(patterns)
  const readable = new Set([...meant].filter((name) => isAllowed(who, SCOPE_OF[resourceOf(name)] as Scope)))
  return (type) => readable.has(type)
}
