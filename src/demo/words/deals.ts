import { list } from './words.ts'

/** The kind of a deal determines to whom it is offered, its price and its odds. */
export type Kind = 'first' | 'again' | 'grow' | 'help' | 'renew'
export const KINDS: Kind[] = ['first', 'again', 'grow', 'help', 'renew']

/**
 * {n} seats, {module}, {team}, {city} of the customer, {years}, {days}, {year} of the expected close. `seats` is which
 * seats are meant: many or few new ones, more for a customer, or all that the customer has. The price in euros is
 * `each` times the days (if the text has {days}) or the seats, times the years (if it has {years}).
 */
export type Offer = {
  kind: Kind
  text: string
  seats: 'many' | 'few' | 'more' | 'all'
  each: [number, number]
  weight: number
}

export const OFFERS: Offer[] = [
  { kind: 'first', text: 'Rollout of {n} seats', seats: 'many', each: [480, 710], weight: 6 },
  { kind: 'first', text: 'Annual plan, {n} seats', seats: 'many', each: [510, 750], weight: 4 },
  { kind: 'first', text: '{n} seats for the {team} team', seats: 'few', each: [510, 750], weight: 4 },
  { kind: 'first', text: 'Pilot with {n} seats in {city}', seats: 'few', each: [370, 540], weight: 2 },
  { kind: 'first', text: 'Replacing spreadsheets, {n} seats', seats: 'many', each: [480, 710], weight: 2 },
  { kind: 'first', text: '{module} for {n} users', seats: 'many', each: [270, 440], weight: 4 },
  { kind: 'first', text: '{years}-year licence, {n} seats', seats: 'many', each: [410, 580], weight: 2 },
  { kind: 'again', text: 'Second round: {n} seats', seats: 'many', each: [420, 650], weight: 2 },
  { kind: 'again', text: 'New budget {year}: {n} seats', seats: 'many', each: [440, 680], weight: 2 },
  { kind: 'again', text: 'Smaller start with {n} seats', seats: 'few', each: [440, 680], weight: 1 },
  { kind: 'grow', text: 'Additional {n} seats', seats: 'more', each: [440, 680], weight: 5 },
  { kind: 'grow', text: '{module} add-on, {n} seats', seats: 'all', each: [120, 240], weight: 4 },
  { kind: 'grow', text: 'Second site, {n} seats', seats: 'more', each: [440, 650], weight: 2 },
  { kind: 'grow', text: 'Upgrade to Business, {n} seats', seats: 'all', each: [150, 260], weight: 2 },
  { kind: 'help', text: 'Onboarding and training, {days} days', seats: 'all', each: [1240, 1690], weight: 3 },
  { kind: 'help', text: 'Data migration, {days} days', seats: 'all', each: [1300, 1820], weight: 2 },
  { kind: 'help', text: 'ERP integration, {days} days', seats: 'all', each: [1430, 1950], weight: 2 },
  { kind: 'help', text: '{years} years of premium support, {n} seats', seats: 'all', each: [70, 120], weight: 2 },
  { kind: 'renew', text: 'Renewal {year}, {n} seats', seats: 'all', each: [460, 680], weight: 1 },
]

/** For an unknown company: {who} is a name or a place. */
export const INQUIRIES = [
  'Website inquiry {who}, {n} seats',
  'Phone inquiry {who}, {n} seats',
  'Email inquiry {who}, {n} seats',
]

export const MODULES = list(
  'Shift planning, Customer portal, Service desk, Reporting, Time tracking, Document archive, Mobile app, Asset register',
)
export const TEAMS = list('sales, service, back office, field, planning, support, finance, purchasing')

/** Facts about a record, as bits: they determine which tags fit. */
export const FACT = {
  company: 1,
  large: 2,
  medium: 4,
  small: 8,
  logistics: 16,
  health: 32,
  hospitality: 64,
  education: 128,
  contact: 256,
  decider: 512,
  lone: 1024,
  first: 2048,
  again: 4096,
  grow: 8192,
  help: 16384,
  renew: 32768,
  inbound: 65536,
  big: 131072,
  manyYears: 262144,
} as const

/** `on`: a record needs one of these facts; `odds`: the share of those records with the tag. */
export type TagWords = { name: string; color: string; description: string | null; on: number; odds: number }

const tag = (name: string, color: string, on: number, odds: number, description: string | null = null): TagWords => ({
  name,
  color,
  description,
  on,
  odds,
})

/** The first twelve are used by the demo. */
export const TAGS: TagWords[] = [
  tag('enterprise', '#1d4ed8', FACT.large, 0.9, 'More than 1,000 employees'),
  tag('mid-market', '#0891b2', FACT.medium, 0.5, '100 to 1,000 employees'),
  tag('small business', '#65a30d', FACT.small, 0.5, 'Fewer than 100 employees'),
  tag('partner', '#7c3aed', FACT.company | FACT.lone, 0.12, 'Sells or recommends us'),
  tag('renewal', '#059669', FACT.renew, 0.95, 'An existing contract runs out'),
  tag('expansion', '#10b981', FACT.grow, 0.6, 'More for a customer that we have'),
  tag('decision maker', '#dc2626', FACT.decider, 0.7, 'Signs, or decides who signs'),
  tag('champion', '#f59e0b', FACT.contact, 0.1, 'Wants it, and says so inside'),
  tag('inbound', '#0ea5e9', FACT.inbound, 0.9, 'They came to us'),
  tag('trade fair', '#db2777', FACT.first | FACT.contact, 0.08, 'Met at a stand'),
  tag('security review', '#475569', FACT.big, 0.4, 'Their IT wants our questionnaire answered'),
  tag('win-back', '#ea580c', FACT.again, 0.8, 'Lost once, back at the table'),
  tag('referral', '#84cc16', FACT.first, 0.12, 'Recommended by a customer'),
  tag('multi-year', '#14b8a6', FACT.manyYears, 0.8),
  tag('healthcare', '#e11d48', FACT.health, 0.7),
  tag('logistics', '#a16207', FACT.logistics, 0.6),
  tag('hospitality', '#c026d3', FACT.hospitality, 0.7),
  tag('education', '#4f46e5', FACT.education, 0.7, 'Ask for the education price list'),
  tag('price sensitive', '#b91c1c', FACT.first | FACT.again, 0.08),
  tag('competitor involved', '#9f1239', FACT.first, 0.1),
  tag('reference customer', '#ca8a04', FACT.company, 0.04, 'Takes calls from prospects'),
  tag('newsletter', '#94a3b8', FACT.contact, 0.2),
  tag('training', '#2563eb', FACT.help, 0.5),
  tag('key account', '#6d28d9', FACT.large, 0.3, 'One plan per year, one owner'),
  tag('procurement', '#57534e', FACT.big, 0.3, 'Goes through their purchasing portal'),
  tag('legal review', '#334155', FACT.big, 0.2),
  tag('webinar', '#06b6d4', FACT.contact, 0.07),
  tag('cold outreach', '#64748b', FACT.first, 0.15),
  tag('reseller', '#8b5cf6', FACT.company, 0.03),
  tag('on-premises', '#78716c', FACT.big | FACT.first, 0.05, 'Wants to host it themselves'),
  tag('beta tester', '#22c55e', FACT.contact, 0.03),
  tag('discount approved', '#f97316', FACT.again | FACT.renew, 0.15),
  tag('family business', '#a3a3a3', FACT.small | FACT.medium, 0.12),
  tag('freelancer', '#fbbf24', FACT.lone, 0.6),
  tag('at risk', '#ef4444', FACT.renew, 0.1, 'Complained, or stopped answering'),
  tag('upsell', '#34d399', FACT.grow, 0.3),
  tag('board member', '#be123c', FACT.decider, 0.06),
  tag('prefers phone', '#38bdf8', FACT.contact, 0.05),
  tag('nonresponsive', '#d4d4d8', FACT.contact, 0.04),
  tag('long sales cycle', '#71717a', FACT.big, 0.15),
]
