import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import { noteStore } from '../../crm/notes.ts'
import { taskStore } from '../../crm/tasks.ts'
import { type Deps, once } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { authorStore } from '../../inbox/messages/authors.ts'
import { meetingStore } from '../../meetings/meetings.ts'
import { exported as transcriptColumns } from '../../meetings/transcript.ts'
import { transcriptStore } from '../../meetings/transcripts.ts'
import { enrollmentStore } from '../../sequences/enrollments/enrollments.ts'
import { anyStore } from '../../store/rows/record-store.ts'

/** The stores of the records that refer to others; `patch` changes a reference, with its version and event. */
export const referringRecords = once((deps: Deps) => {
  const { columns, find, restore, relink, remove } = meetingStore(deps)
  const [transcripts, enrollments] = [transcriptStore(deps), enrollmentStore(deps)]
  return {
    contact: anyStore(contactStore(deps)),
    company: anyStore(companyStore(deps)),
    deal: anyStore(dealStore(deps)),
    note: anyStore(noteStore(deps)),
    task: anyStore(taskStore(deps)),
    meeting: anyStore({ columns, find, restore, patch: relink, remove }),
    transcript: anyStore({ columns: transcriptColumns, find: transcripts.byId, patch: transcripts.relink }),
    conversation: anyStore(conversationStore(deps)),
    message: anyStore(authorStore(deps)),
    enrollment: anyStore({ columns: enrollments.columns, find: enrollments.find, patch: enrollments.relink }),
  }
})
