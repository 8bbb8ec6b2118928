import type { CloseReason } from '../../crm/close-reasons/close-reasons.ts'
import type { List } from '../../crm/list.ts'
import type { Member } from '../../crm/members/members.ts'
import type { Note } from '../../crm/notes.ts'
import type { Stage } from '../../crm/stages/stages.ts'
import type { Tag } from '../../crm/tags.ts'
import type { Task } from '../../crm/tasks.ts'
import type { Conversation } from '../../inbox/conversations/conversation.ts'
import type { Message } from '../../inbox/messages/message.ts'
import type { Weekday } from '../../lib/written/days/periods.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import type { Preferences } from '../../personal/preferences.ts'
import type { View } from '../../personal/views.ts'
import type { Company } from '../../records/company.ts'
import type { Contact } from '../../records/contact.ts'
import type { CustomField } from '../../records/custom-fields/custom-fields.ts'
import type { Deal } from '../../records/deal.ts'
import type { Enrollment } from '../../sequences/enrollments/enrollment.ts'
import type { Sequence } from '../../sequences/sequences/sequence.ts'

// The types of what the server sends, taken from its own declarations.

export type {
  CloseReason,
  Company,
  Contact,
  Conversation,
  CustomField,
  Deal,
  Enrollment,
  List,
  Meeting,
  Member,
  Message,
  Note,
  Sequence,
  Stage,
  Tag,
  Task,
  View,
}

export type Records = {
  deals: Deal
  contacts: Contact
  companies: Company
  tasks: Task
  notes: Note
  meetings: Meeting
  lists: List
  tags: Tag
  'custom-fields': CustomField
  members: Member
  stages: Stage
  'close-reasons': CloseReason
  conversations: Conversation
  messages: Message
  sequences: Sequence
  enrollments: Enrollment
}

/** Names of resources, as in the paths of the API. */
export type Kind = keyof Records
export type RecordOf<K extends Kind> = Records[K]

/** A record of any kind. */
export type Rec = { id: string; version: number; [field: string]: unknown }
export type Fields = Record<string, unknown>

export type Me = Member &
  Pick<Preferences, 'language' | 'theme' | 'shortcuts' | 'keys' | 'signature'> & {
    has_password: boolean
    totp: boolean
  }

/** What the page begins with: inlined into it, and answered by GET /app/boot. */
export type SignedIn = {
  signed_in: true
  /** Hash of the files of the app. */
  build: string
  version: string
  /** Which installation the server has, for the names of what the browser keeps. */
  installation: string
  /** The newest event of the organisation when this was read: the stream goes on from there. */
  seq: number
  now: string
  /** Where the API listens for tokens, such as http://127.0.0.1:8080. */
  api_url: string
  me: Me
  /** The country is that of the settings: nobody is called in one that was only guessed from the zone. */
  org: { id: string; name: string; currency: string; timezone: string; country: string | null }
  /** On which weeks begin. */
  first_weekday: Weekday
  members: Member[]
  /** When those come back who are away, by member. */
  away: Readonly<Record<string, string>>
  pipelines: { id: string; key: string; name: string; is_default: boolean; position: number }[]
  stages: (Stage & { usual_days: number | null })[]
  close_reasons: CloseReason[]
  tags: Tag[]
  custom_fields: CustomField[]
  lists: Pick<List, 'id' | 'name' | 'object' | 'kind'>[]
  views: View[]
  counts: {
    tasks_late: number
    tasks_now: number
    inbox_late: number
    inbox_now: number
    notifications: number
    deals: number
    contacts: number
    companies: number
  }
  checklist: Record<string, unknown> | null
  capabilities: string[]
}

export type SignedOut = {
  signed_in: false
  build: string
  version: string
  needs_setup: boolean
  language: 'en' | 'de'
}

export type Boot = SignedIn | SignedOut
