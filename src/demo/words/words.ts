import { packedAsset } from '../../assets.ts'
import type { FieldType } from '../../records/custom-fields/types.ts'
import type { SequenceSettings } from '../../sequences/sequences/settings.ts'
import type { StepSettings } from '../../sequences/sequences/settings-steps.ts'

/**
 * All words of the demo. They are in a file that the executable holds compressed, since a usual start does without them;
 * it has one text per line, which a formatter would spread over several.
 */
export const WORDS: Words = JSON.parse(packedAsset('src/demo/words/words.json').toString())

type Words = {
  /** The members of the demo; larger teams continue with names of all cultures. */
  team: { name: string; email: string; role: 'owner' | 'admin' | 'member' | 'viewer'; timezone: string }[]
  /** Titles with decision power, and titles without; tags such as "decision maker" go with the first. */
  titles: { deciders: string[]; others: string[]; lone: string[] }
  cultures: CultureWords[]
  countries: CountryWords[]
  /** Descriptions by industry; {city} is the location of the company. */
  descriptions: Record<string, string[]>
  offers: Offer[]
  /** For an unknown company: {who} is a name or a place. */
  inquiries: string[]
  modules: string[]
  teams: string[]
  /** The first twelve are used by the demo. */
  tags: TagWords[]
  days: string[]
  /**
   * Notes and tasks by occasion. {seats} is the number of seats in the deal's title, {part} a team of the customer, {day}
   * a weekday.
   */
  notes: Record<Occasion, { title: string | null; body: string }[]>
  tasks: Record<Occasion, { title: string; type: 'todo' | 'call' | 'email' | 'meeting'; body?: string }[]>
  /** By object, in display order. */
  fields: FieldWords[]
  nextSteps: string[]
  /** Smart lists of the team. */
  lists: { name: string; object: 'contact' | 'company' | 'deal'; filter: object }[]
  /** Conversations about open and lost deals, and with strangers. */
  sales: Topic[]
  /** Conversations with customers. */
  service: Topic[]
  /** Unfinished work for a large customer. */
  openPoints: Topic
  meetings: Record<MeetingKind, MeetingWords>
  openings: Scene[]
  scenes: Scene[]
  endings: Scene[]
  /** {company} is the contact's company, or "your team". The body of a mail is a list of its paragraphs. */
  sequences: SequenceWords[]
  /** Replies of contacts, and the team's answers to them. {them} and {us} are first names. */
  answers: { them: string; us: string }[]
  /** The reply of a mail server for a person who has left. */
  gone: string
  booked: { title: string; summary: string }
}

/** Only surnames that do not change with gender, or the list would need two forms of each. */
type CultureWords = {
  code: string
  first: string[]
  last: string[]
  titles: string[]
  /** What companies are named after, beside surnames; a culture without companies has none. */
  places?: string[]
  /** By industry; % stands for the founder, the place or whatever else the company is named after. */
  trades?: Record<string, string[]>
}

/**
 * In patterns, # is a digit and @ a letter. Phone numbers are only from ranges that a country reserves for fiction
 * (Ofcom, Bundesnetzagentur, ARCEP, PTS, ComReg, ACMA, 555-01xx in North America, +36 55 in Hungary); people in countries
 * without such a range have none.
 */
type CountryWords = {
  code: string
  culture: string
  language: string
  currency: string
  /** Units of the currency per euro, roughly: prices are generated in euros. */
  rate: number
  /** Share of the companies, in percent. */
  share: number
  mobile: string | null
  legalForms: string[]
  /** # is the house number. */
  streets: string[]
  cities: [name: string, region: string | null, postal: string, timezone: string, phone: string | null][]
}

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
type TagWords = { name: string; color: string; description: string | null; on: (keyof typeof FACT)[]; odds: number }

export type Occasion = 'start' | 'move' | 'change' | 'won' | 'lost'

export type FieldWords = {
  object: 'contact' | 'company' | 'deal'
  key: string
  label: string
  type: FieldType
  /** Labels. */
  options?: string[]
  is_unique?: boolean
  help_text?: string
}

export type Channel = 'email' | 'chat' | 'sms' | 'phone'

/** When a topic fits: by the state of the deal, or `new` for an unknown person. */
export type DealContext = 'early' | 'late' | 'won' | 'lost' | 'new'

/** The kind of attachment; see files.ts. */
export type FileKind = 'prices' | 'offer' | 'order' | 'staff' | 'questions' | 'answers'

/**
 * One message, in one of several wordings; a `note` is for colleagues. {them} and {us} are first names, {seats} the
 * seats in the title of the deal, {firm} the contact's company, {module} a part of the product, {team} a team, {day} a
 * weekday and {number} that of an invoice or an offer. `days`: how long the conversation is snoozed afterwards.
 */
export type Line = { by: 'them' | 'us' | 'note'; texts: string[]; file?: FileKind; days?: number }

export type Topic = {
  on: DealContext
  channels: Channel[]
  /** Null if the channel has no subjects. */
  subject: string | null
  lines: Line[]
  priority?: 'low' | 'high' | 'urgent'
  /** The name of one of the tags. */
  tag?: string
}

export type MeetingKind = 'call' | 'demo' | 'offer' | 'kickoff' | 'review'

/**
 * {firm} is the customer, {seats} the seats in the title of the deal, {module} a part of the product, {team} a team.
 */
type MeetingWords = { title: string; minutes: number; description: string | null; summaries: string[] }

/** Turns of speech: by the team, the customer, or a second customer if there is one. */
export type Scene = ['us' | 'them' | 'other', string][]

type SequenceWords = Omit<SequenceSettings, 'status' | 'hours' | 'steps'> & { steps: StepWords[] }
export type StepWords = Omit<StepSettings, 'body'> & { body?: string | string[] | null }
