/** Every event type. One change makes one event, with the most specific type. */
export const EVENT_NAMES = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'company.created',
  'company.updated',
  'company.deleted',
  'deal.created',
  'deal.updated',
  'deal.stage_changed',
  'deal.closed',
  'deal.deleted',
  'note.created',
  'note.updated',
  'note.deleted',
  'task.created',
  'task.updated',
  'task.completed',
  'task.deleted',
  'tag.created',
  'tag.updated',
  'tag.deleted',
  'list.created',
  'list.updated',
  'list.deleted',
  'custom_field.created',
  'custom_field.updated',
  'custom_field.deleted',
  'meeting.created',
  'meeting.updated',
  'meeting.deleted',
  'transcript.ready',
  'conversation.created',
  'conversation.updated',
  'conversation.closed',
  'conversation.reopened',
  'conversation.sla_at_risk',
  'conversation.sla_breached',
  'message.received',
  'message.sent',
  'message.failed',
  'enrollment.created',
  'enrollment.updated',
  'enrollment.paused',
  'enrollment.completed',
  'enrollment.stopped',
] as const

export type EventName = (typeof EVENT_NAMES)[number]

/** A subscription to the second type includes the first. */
const ALSO: Partial<Record<EventName, EventName>> = {
  'deal.stage_changed': 'deal.updated',
  'deal.closed': 'deal.updated',
  'task.completed': 'task.updated',
  'conversation.closed': 'conversation.updated',
  'conversation.reopened': 'conversation.updated',
  'conversation.sla_at_risk': 'conversation.updated',
  'conversation.sla_breached': 'conversation.updated',
  'enrollment.paused': 'enrollment.updated',
  'enrollment.completed': 'enrollment.updated',
  'enrollment.stopped': 'enrollment.updated',
}

/** The patterns of a subscription: a type, all types of a resource such as `deal.*`, or `*` for all. */
export const EVENT_PATTERNS: readonly string[] = [
  '*',
  ...new Set(EVENT_NAMES.map((name) => `${resourceOf(name)}.*`)),
  ...EVENT_NAMES,
]

/** The type that includes this one, such as `deal.updated` of `deal.closed`. */
export const includedIn = (name: EventName): EventName | undefined => ALSO[name]

/** The resource of an event, such as `deal`. */
export function resourceOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

/** The event types that match the patterns. */
export function eventsOf(patterns: readonly string[]): ReadonlySet<string> {
  const given = new Set(patterns)
  const matches = (name: EventName) =>
    given.has('*') || given.has(`${resourceOf(name)}.*`) || given.has(name) || given.has(ALSO[name] as string)
  return new Set(EVENT_NAMES.filter(matches))
}
