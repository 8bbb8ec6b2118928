import { outreach } from './outreach.ts'

// What the organisation promises those who write to it: in seconds, so that promises are broken while it is fuzzed.

/** A row of conversations, as far as policies look at it. */
export type Matched = {
  priority: string
  channel: string
  status: string
  owner_id: string | null
  company_id: string | null
  /** JSON. */
  tag_ids: string
}

/** `fits` says once more what `match` says. */
type Policy = { key: string; settings: object; fits: (conversation: Matched) => boolean }

const target = (first_response_s: number | null, next_response_s: number | null, resolution_s: number | null) => ({
  first_response_s,
  next_response_s,
  resolution_s,
})
const field = (name: string, op: string, value?: unknown) => ({ field: name, op, ...(value ? { value } : {}) })

/** In the order in which they are tried. */
export const POLICIES: Policy[] = [
  {
    key: 'urgent',
    settings: {
      name: 'Urgent',
      match: field('priority', 'in', ['urgent', 'high']),
      hours: null,
      targets: { urgent: target(1, 1, 4), high: target(2, 2, 8) },
    },
    fits: ({ priority }) => priority === 'urgent' || priority === 'high',
  },
  {
    key: 'pending',
    settings: {
      name: 'While they think',
      match: field('status', 'eq', 'pending'),
      hours: null,
      targets: { low: target(null, null, 90), normal: target(null, null, 45) },
    },
    fits: ({ status }) => status === 'pending',
  },
  {
    key: 'owned',
    settings: {
      name: 'Looked after',
      match: {
        all: [field('owner_id', 'not_null'), { not: field('channel', 'in', ['phone', 'other']) }],
      },
      hours: 'always',
      targets: { low: target(20, 20, 120), normal: target(3, 3, 30) },
      pause_on: ['pending', 'snoozed'],
    },
    fits: ({ owner_id, channel }) => owner_id !== null && channel !== 'phone' && channel !== 'other',
  },
  {
    key: 'tagged',
    settings: {
      name: 'Tagged',
      match: field('tag_ids', 'not_null'),
      hours: 'always',
      targets: { low: target(6, 6, 40), normal: target(2, 2, 12) },
    },
    fits: ({ tag_ids }) => tag_ids !== '[]',
  },
  {
    key: 'companies',
    settings: {
      name: 'Companies',
      match: field('company_id', 'not_null'),
      hours: 'split',
      targets: { low: target(5, null, null), normal: target(2, 5, 60) },
      pause_on: ['snoozed'],
    },
    fits: ({ company_id }) => company_id !== null,
  },
  {
    key: 'all',
    settings: {
      name: 'All others',
      is_default: true,
      hours: null,
      targets: { low: target(30, 30, null), normal: target(4, 2, 20) },
      pause_on: ['snoozed'],
    },
    fits: () => true,
  },
]

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
const week = (intervals: object[]) => Object.fromEntries(DAYS.map((day) => [day, intervals]))

/** In which days begin. */
export const TIMEZONE = 'Europe/Berlin'

/** Where mails go to, who has a mailbox of their own, and what the organisation is called. */
export type Mailing = { port: number; member: string; name: string }

/**
 * A settings document; `isLater` is what it changes to in the middle of a run, by which all promises are counted anew.
 * Of an organisation that sends mails, with its mailboxes and sequences.
 */
export const settings = (isLater: boolean, mailing?: Mailing) => ({
  ...(mailing && {
    org: {
      name: mailing.name,
      timezone: TIMEZONE,
      currency: 'EUR',
      public_base_url: 'https://own.example/crm/',
    },
    ...outreach(isLater, mailing.port, mailing.member),
  }),
  hours: [
    {
      key: 'office',
      name: 'Office',
      timezone: 'Europe/Berlin',
      is_default: true,
      weekly: week([{ from: '09:00', to: '17:30' }]),
      exceptions: [{ from_date: '2026-12-24', to_date: '2026-12-26', name: 'Holidays' }],
    },
    { key: 'always', name: 'Always', timezone: 'Europe/Lisbon', weekly: week([{ from: '00:00', to: '24:00' }]) },
    {
      key: 'split',
      name: 'With a break',
      timezone: isLater ? 'Pacific/Auckland' : 'America/New_York',
      weekly: week([
        { from: '00:00', to: '11:59' },
        { from: '12:00', to: '24:00' },
      ]),
    },
  ],
  sla: POLICIES.map(({ key, settings }) => ({ key, ...settings, ...(isLater && key === 'owned' ? LATER : {}) })),
})

const LATER = { targets: { low: target(10, 10, 60), normal: target(5, 4, 40) }, hours: null }
