/** Every event that Dealbox can write. One change makes one event, with its most specific name. */
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
  'tag.created',
  'tag.updated',
  'tag.deleted',
] as const

export type EventName = (typeof EVENT_NAMES)[number]
