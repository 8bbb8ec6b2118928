import { companyStore } from '../crm/companies.ts'
import { contactStore } from '../crm/contacts.ts'
import { dealStore } from '../crm/deals/deals.ts'
import { noteStore } from '../crm/notes.ts'
import { tagStore } from '../crm/tags.ts'
import { type Task, taskStore } from '../crm/tasks.ts'
import type { Deps } from '../deps.ts'
import { validate } from '../lib/validate.ts'
import { meetingStore } from '../meetings/meetings.ts'
import { customFieldStore } from '../records/custom-fields/custom-fields.ts'
import type { Deal } from '../records/deal.ts'
import { type AnyStore, anyStore } from '../store/rows/record-store.ts'
import { stageWrites } from './stages.ts'
import type { AllWrites, Given, Writes } from './writable.ts'

export function allWrites(deps: Deps): AllWrites {
  return {
    contact: writesOf(anyStore(contactStore(deps))),
    company: writesOf(anyStore(companyStore(deps))),
    deal: dealWrites(deps),
    tag: writesOf(anyStore(tagStore(deps))),
    note: noteWrites(deps),
    task: taskWrites(deps),
    ...stageWrites(deps),
    custom_field: writesOf(anyStore(customFieldStore(deps))),
    meeting: writesOf(anyStore(meetingStore(deps))),
  }
}

function dealWrites(deps: Deps): Writes {
  const deals = dealStore(deps)
  return {
    // The API cannot delete deals.
    ...writesOf(anyStore({ ...deals, remove: deals.discard })),
    close: (who, before, given) => deals.close(who, before as Deal, validate(deals.Close, given)),
    reopen: (who, before, stage) => deals.reopen(who, before as Deal, stage),
  }
}

function noteWrites(deps: Deps): Writes {
  const notes = noteStore(deps)
  return {
    ...writesOf(anyStore(notes)),
    createAs: (who, given, { author_id = null }) => notes.createBy(who, validate(notes.Create, given), author_id),
  }
}

function taskWrites(deps: Deps): Writes {
  const tasks = taskStore(deps)
  return {
    ...writesOf(anyStore(tasks)),
    createAs: (who, given, { completed_at }) => tasks.createFor(who, validate(tasks.Create, given), null, completed_at),
    patchAs: (who, before, given, { completed_at }) =>
      tasks.takeBack(who, before as Task, validate(tasks.Patch, given), completed_at),
  }
}

type Needed = 'Create' | 'Patch' | 'columns' | 'find' | 'create' | 'patch' | 'remove'

const writesOf = ({ Create, Patch, columns, find, create, patch, remove }: Pick<AnyStore, Needed>): Writes => ({
  check: (given, isNew) => validate(isNew ? Create : Patch, given) as Given,
  create: (who, given, flags) => create(who, validate(Create, given), flags),
  find: (who, id) => columns.present(find(who, id)),
  patch: (who, before, given, flags) => patch(who, before, validate(Patch, given), flags),
  remove,
})
