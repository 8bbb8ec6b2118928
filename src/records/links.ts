// The references to records that are not deleted together with them: where a merge moves them, and where the bin finds
// what it has to give back.

export type LinkedObject = 'contact' | 'company' | 'deal' | 'meeting'

export type Referring =
  | 'contact'
  | 'company'
  | 'deal'
  | 'note'
  | 'task'
  | 'meeting'
  | 'transcript'
  | 'conversation'
  | 'message'
  | 'enrollment'

export type Link = { object: Referring; field: string; table: string; key: string; column: string }

const single = (object: Referring, table: string, field: string): Link => ({
  object,
  field,
  table,
  key: 'id',
  column: field,
})
const several = (object: Referring, table: string, target: LinkedObject): Link => ({
  object,
  field: `${target}_ids`,
  table,
  key: `${object}_id`,
  column: `${target}_id`,
})

const people = (object: Referring, table: string, field: string): Link => ({
  object,
  field,
  table,
  key: `${object}_id`,
  column: 'contact_id',
})

export const LINKS: Record<LinkedObject, Link[]> = {
  contact: [
    single('deal', 'deals', 'primary_contact_id'),
    several('note', 'note_contacts', 'contact'),
    several('task', 'task_contacts', 'contact'),
    people('meeting', 'meeting_contacts', 'participants'),
    people('transcript', 'transcript_contacts', 'speakers'),
    single('conversation', 'conversations', 'contact_id'),
    single('message', 'messages', 'author_id'),
    single('enrollment', 'enrollments', 'contact_id'),
  ],
  company: [
    single('company', 'companies', 'parent_company_id'),
    single('contact', 'contacts', 'company_id'),
    single('deal', 'deals', 'company_id'),
    several('note', 'note_companies', 'company'),
    several('task', 'task_companies', 'company'),
    single('meeting', 'meetings', 'company_id'),
    single('conversation', 'conversations', 'company_id'),
  ],
  deal: [
    several('note', 'note_deals', 'deal'),
    several('task', 'task_deals', 'deal'),
    single('meeting', 'meetings', 'deal_id'),
    single('conversation', 'conversations', 'deal_id'),
    single('enrollment', 'enrollments', 'deal_id'),
  ],
  meeting: [single('note', 'notes', 'meeting_id')],
}

/** The records that referred to one by a field; with all items, if the field contains several that are no ids. */
export type LinkedRecords = { object: Referring; field: string; records: [id: string, before?: unknown[]][] }
