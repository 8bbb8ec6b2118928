import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import { columns as noteColumns, noteStore } from '../../crm/notes.ts'
import { columns as taskColumns, taskStore } from '../../crm/tasks.ts'
import { type Deps, once } from '../../deps.ts'
import { columns as conversationColumns } from '../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { authorStore } from '../../inbox/messages/authors.ts'
import { columns as meetingColumns } from '../../meetings/meeting.ts'
import { meetingStore } from '../../meetings/meetings.ts'
import { exported as transcriptColumns } from '../../meetings/transcript.ts'
import { transcriptStore } from '../../meetings/transcripts.ts'
import { enrollmentStore } from '../../sequences/enrollments/enrollments.ts'

/** The stores of the records that refer to others; `patch` changes a reference, with its version and event. */
export const referringRecords = once((deps: Deps) => {
  const transcripts = transcriptStore(deps)
  return {
    contact: contactStore(deps),
    company: companyStore(deps),
    deal: dealStore(deps),
    note: { ...noteStore(deps), columns: noteColumns },
    task: { ...taskStore(deps), columns: taskColumns },
    meeting: { ...meetingStore(deps), columns: meetingColumns, patch: meetingStore(deps).relink },
    transcript: { columns: transcriptColumns, find: transcripts.byId, patch: transcripts.relink },
    conversation: { ...conversationStore(deps), columns: conversationColumns },
    message: authorStore(deps),
    enrollment: { ...enrollmentStore(deps), patch: enrollmentStore(deps).relink },
  }
})
