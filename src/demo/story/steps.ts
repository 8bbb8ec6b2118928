import type { Channel, FieldWords } from '../words/words.ts'

/** The size of a story, as named on the command line. */
export type Profile = 'demo' | '10k' | '100k' | '1m'

export type Size = { members: number; tags: number; companies: number; contacts: number; deals: number }

/** One company per five deals and two contacts per company; the demo has more contacts per deal. */
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
  external_id: string | null
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
export type FieldGiven = Omit<FieldWords, 'options'> & {
  options: { value: string; label: string; color: string }[]
  position: number
}
export type ListGiven = {
  name: string
  object: 'contact' | 'company' | 'deal'
  kind: 'static' | 'smart'
  description?: string
  filter?: object
}

export type FileGiven = { name: string; content_type: string; data: string }
export type MessageGiven = {
  direction: 'inbound' | 'outbound' | 'note'
  body_text: string
  body_html?: string
  external_id?: string
  in_reply_to?: string
  attachments?: FileGiven[]
}
/** A person who is not a contact yet. */
export type Stranger = { name: string; email: string }
export type TendGiven = {
  status?: 'pending' | 'snoozed' | 'closed'
  snoozed_until?: string
  priority?: 'low' | 'high' | 'urgent'
}

export type MeetingGiven = {
  title: string
  description: string | null
  starts_at: string
  ends_at: string
  timezone: string
  location: string | null
  conference_url: string | null
  ical_uid: string | null
}
type Response = 'accepted' | 'tentative' | 'pending'
/** A contact, a member, or a guest who is neither. */
export type Guest = { role: 'organizer' | 'attendee'; response: Response } & (
  | { contact: number }
  | { member: number }
  | Stranger
)
export type HeldGiven = {
  status: 'completed' | 'canceled' | 'no_show'
  summary: string | null
  recording_url: string | null
}
export type Voice = { key: string; name: string; contact?: Ref; member?: Ref }
export type TranscriptGiven = {
  language: string
  source: string
  segments: { speaker: string; start_ms: number; end_ms: number; text: string }[]
}

/** Days on which the office is closed or has other hours. */
export type Holiday = { from_date: string; to_date: string; name: string; intervals: { from: string; to: string }[] }

export type DealChange = { amount: number; currency: string } | { expected_close_date: string }

/** The number of an earlier record, undefined for none. */
type Ref = number | undefined

/** What a note or a task is about, and who writes it. */
type About = { deal?: Ref; company?: Ref; contact?: Ref; by?: Ref }

/**
 * One event of the story. `at` is in epoch milliseconds; a `ref` counts from 0 per kind of record, in order of
 * creation, so that later steps can refer to the record.
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
  /** Creates office hours and SLA policies; `keyTag` is the tag of customers with their own policy. */
  | { do: 'service'; at: number; holidays: Holiday[]; keyTag: number }
  /** The first message of a conversation: with a contact, or by a stranger, who becomes a contact. */
  | ({
      do: 'talk'
      at: number
      ref: number
      by?: Ref
      channel: Channel
      subject: string | null
      given: MessageGiven
    } & ({ contact: number } | { from: Stranger }))
  | { do: 'say'; at: number; talk: number; by?: Ref; given: MessageGiven }
  /** A member handles a conversation and has read it. */
  | { do: 'tend'; at: number; talk: number; by?: Ref; given: TendGiven; owner?: Ref; deal?: Ref; tags?: number[] }
  | {
      do: 'meeting'
      at: number
      ref: number
      by: number
      given: MeetingGiven
      guests: Guest[]
      company?: Ref
      deal?: Ref
    }
  | { do: 'held'; at: number; meeting: number; by: number; given: HeldGiven }
  | { do: 'transcript'; at: number; meeting: number; by: number; voices: Voice[]; given: TranscriptGiven }
  /** Creates the team's sequences; later one is paused and another archived. */
  | { do: 'sequences'; at: number }
  | { do: 'retire'; at: number; key: string; status: 'paused' | 'archived' }
  | { do: 'enroll'; at: number; ref: number; key: string; contact: number; deal?: Ref; by: number }
  /**
   * The contact replies to the mails of an enrollment, or a member replies to that; nothing if no mail was sent yet.
   */
  | { do: 'answer'; at: number; enrollment: number; by?: Ref; given: MessageGiven; isClosed?: boolean }
  /** The last mail of the enrollment bounces. */
  | { do: 'bounce'; at: number; enrollment: number; why: string }
  | { do: 'unsubscribe'; at: number; enrollment: number }
  | { do: 'halt'; at: number; enrollment: number; by: number; status: 'paused' | 'stopped' }
  /** Completes the tasks that the enrollment has created. */
  | { do: 'clear'; at: number; enrollment: number }
  | {
      do: 'book'
      at: number
      enrollment: number
      by: number
      given: MeetingGiven
      guests: Guest[]
      company?: Ref
      deal?: Ref
    }
  | { do: 'met'; at: number; enrollment: number; by: number; given: HeldGiven }
