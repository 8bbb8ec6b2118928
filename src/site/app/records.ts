import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import { listStore } from '../../crm/lists/lists.ts'
import { noteStore } from '../../crm/notes.ts'
import { tagStore } from '../../crm/tags.ts'
import { taskStore } from '../../crm/tasks.ts'
import { type Deps, once } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { invitingStore } from '../../inbox/invitations/inviting.ts'
import type { Caller } from '../../lib/caller.ts'
import { validate } from '../../lib/validate.ts'
import { customFieldStore } from '../../records/custom-fields/custom-fields.ts'
import { type AnyStore, anyStore, type Stored } from '../../store/rows/record-store.ts'

/** What the API can do with a record, as its routes do it: the same schemas, rules and events. */
export type RecordWrites = {
  /** The fields that a PATCH can set. */
  fields: ReadonlySet<string>
  /** Throws 404. */
  find: (who: Caller, id: string) => Stored
  /** Throws 422 for a patch that no record can take. */
  check: (given: unknown) => void
  patch: (who: Caller, record: Stored, given: unknown) => Stored
  remove?: AnyStore['remove']
}

const OBJECTS = [
  'contact',
  'company',
  'deal',
  'note',
  'task',
  'meeting',
  'conversation',
  'tag',
  'list',
  'custom_field',
] as const
export type RecordObject = (typeof OBJECTS)[number]

export const isRecordObject = (name: string): name is RecordObject => (OBJECTS as readonly string[]).includes(name)

export const recordWrites = once((deps: Deps): Record<RecordObject, RecordWrites> => {
  const deals = dealStore(deps)
  return {
    contact: writesOf(anyStore(contactStore(deps))),
    company: writesOf(anyStore(companyStore(deps))),
    // The API cannot delete deals.
    deal: writesOf(anyStore({ ...deals, remove: deals.removeForScreens })),
    note: writesOf(anyStore(noteStore(deps))),
    task: writesOf(anyStore(taskStore(deps))),
    meeting: writesOf(anyStore(invitingStore(deps))),
    conversation: writesOf(anyStore(conversationStore(deps))),
    tag: writesOf(anyStore(tagStore(deps))),
    list: writesOf(anyStore(listStore(deps))),
    custom_field: writesOf(anyStore(customFieldStore(deps))),
  }
})

type Needed = Pick<AnyStore, 'Patch' | 'columns' | 'find' | 'patch'> & Partial<Pick<AnyStore, 'remove'>>

const writesOf = ({ Patch, columns, find, patch, remove }: Needed): RecordWrites => ({
  fields: new Set(Object.keys(Patch.entries)),
  find: (who, id) => columns.present(find(who, id)),
  check: (given) => void validate(Patch, given),
  patch: (who, record, given) => patch(who, record, validate(Patch, given)),
  ...(remove && { remove }),
})
