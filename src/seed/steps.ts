import type { FIELDS } from './words-work.ts'

/** How large a life is, and what it is called on the command line. */
export type Profile = 'demo' | '10k' | '100k' | '1m'

export type Size = { members: number; tags: number; companies: number; contacts: number; deals: number }

/** One company per five deals and two contacts per company; the demo has more faces per deal. */
export const SIZES: Record<Profile, Size> = {
  demo: { members: 6, tags: 12, companies: 40, contacts: 90, deals: 120 },
  '10k': { members: 12, tags: 24, companies: 2_000, contacts: 4_000, deals: 10_000 },
  '100k': { members: 30, tags: 32, companies: 20_000, contacts: 40_000, deals: 100_000 },
  '1m': { members: 80, tags: 40, companies: 200_000, contacts: 400_000, deals: 1_000_000 },
}

export type Address = {
  line1: string
  line2: string | null
  city: string
  region: string | null
  postal_code: string
  country: string
}

type CustomGiven = Record<string, string | number | boolean | string[]>

export type Email = { email: string; label: 'work' | 'home'; is_primary: boolean }
export type Phone = { number: string; label: 'work' | 'other'; is_primary: boolean }

export type MemberGiven = {
  name: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  timezone: string
}
export type TagGiven = { name: string; color: string; description: string | null }

export type CompanyGiven = {
  name: string
  domains: string[]
  website: string | null
  phone: string | null
  industry: string | null
  employee_count: number | null
  annual_revenue: number | null
  currency: string | null
  linkedin_url: string | null
  address: Address | null
  description: string | null
  external_id: string | null
  custom_fields?: CustomGiven
}

export type ContactGiven = {
  first_name: string
  last_name: string
  emails: Email[]
  phones: Phone[]
  job_title: string | null
  linkedin_url: string | null
  website: string | null
  address: Address | null
  timezone: string | null
  language: string | null
  do_not_contact: boolean
  source: string | null
  external_id: string | null
  custom_fields?: CustomGiven
}

export type DealGiven = {
  title: string
  amount: number | null
  currency: string | null
  expected_close_date: string | null
  custom_fields?: CustomGiven
}

export type NoteGiven = { title: string | null; body: string; is_pinned: boolean }
export type TaskGiven = {
  title: string
  body: string | null
  type: 'todo' | 'call' | 'email' | 'meeting'
  priority: 'low' | 'normal' | 'high'
  due_at: string
}
export type FieldGiven = (typeof FIELDS)[number] & { position: number }
export type ListGiven = {
  name: string
  object: 'contact' | 'company' | 'deal'
  kind: 'static' | 'smart'
  description?: string
  filter?: object
}

export type DealChange = { amount: number; currency: string } | { expected_close_date: string }

/** The number of an earlier record, undefined for none. */
type Ref = number | undefined

/** What a note or a task is about, and who writes it. */
type About = { deal?: Ref; company?: Ref; contact?: Ref; by?: Ref }

/**
 * One thing that happened. `at` is in epoch milliseconds; a `ref` counts from 0 per kind of record, in the order of
 * creation, so that later steps can name the record.
 */
export type Step =
  | { do: 'member'; at: number; ref: number; given: MemberGiven }
  | { do: 'tag'; at: number; ref: number; given: TagGiven }
  | { do: 'company'; at: number; ref: number; given: CompanyGiven; owner?: Ref; tags: number[]; parent?: Ref }
  | { do: 'contact'; at: number; ref: number; given: ContactGiven; company?: Ref; owner?: Ref; tags: number[] }
  | { do: 'deal'; at: number; ref: number; given: DealGiven; company?: Ref; contact?: Ref; owner?: Ref; tags: number[] }
  /** `position` counts the open stages of the default pipeline from 0. */
  | { do: 'move'; at: number; deal: number; position: number }
  /** `reason` counts the close reasons of that outcome from 0 to 4: take it modulo their number. */
  | { do: 'close'; at: number; deal: number; outcome: 'won' | 'lost'; reason: number }
  | { do: 'change'; at: number; deal: number; given: DealChange }
  | { do: 'field'; at: number; given: FieldGiven }
  | { do: 'list'; at: number; given: ListGiven; contacts: number[] }
  | ({ do: 'note'; at: number; given: NoteGiven } & About)
  | ({ do: 'task'; at: number; ref: number; given: TaskGiven } & About)
  | { do: 'finish'; at: number; task: number; how: 'done' | 'canceled' }
