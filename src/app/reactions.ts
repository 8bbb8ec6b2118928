import { companyStore } from '../crm/companies.ts'
import { contactStore } from '../crm/contacts.ts'
import { dealStore } from '../crm/deals/deals.ts'
import { noteStore } from '../crm/notes.ts'
import { taskStore } from '../crm/tasks.ts'
import type { Deps } from '../deps.ts'
import type { Reactions, Referrers } from '../events/react.ts'
import { conversationStore } from '../inbox/conversations/conversations.ts'
import { authorStore } from '../inbox/messages/authors.ts'
import { slaWatch } from '../inbox/sla/recount.ts'
import { meetingStore } from '../meetings/meetings.ts'
import { transcriptStore } from '../meetings/transcripts.ts'
import { notificationStore } from '../personal/notifications.ts'
import { bookings } from '../sequences/enrollments/bookings.ts'
import { stopRules } from '../sequences/enrollments/stop-rules.ts'

/** The reactions to each event, which run in the transaction of its change, in this order. */
export function reactions(deps: Deps): Reactions {
  const contacts = contactStore(deps)
  const sla = slaWatch(deps)
  const enrollments = stopRules(deps)
  const booked = bookings(deps)
  const told = notificationStore(deps)

  return {
    'contact.updated': [enrollments.contactUpdated],
    'company.updated': [contacts.companyUpdated, sla.companyUpdated],
    'deal.created': [told.dealChanged],
    'deal.updated': [told.dealChanged],
    'deal.closed': [enrollments.dealClosed],
    'meeting.created': [booked],
    'meeting.updated': [booked],
    'task.created': [told.taskChanged],
    'task.updated': [told.taskChanged],
    'note.created': [told.noteChanged],
    'note.updated': [told.noteChanged],
    'conversation.updated': [told.conversationChanged],
    'message.noted': [told.messageNoted],
    'message.received': [enrollments.messageReceived],
    'message.sent': [enrollments.sent],
    'message.failed': [enrollments.failed, told.mailFailed],
    'message.bounced': [enrollments.bounced, told.mailFailed],
  }
}

/** The referrers that clear their references to a record before it is deleted, in this order. */
export function referrers(deps: Deps): Referrers {
  const companies = companyStore(deps)
  const contacts = contactStore(deps)
  const deals = dealStore(deps)
  const notes = noteStore(deps)
  const tasks = taskStore(deps)
  const meetings = meetingStore(deps)
  const transcripts = transcriptStore(deps)
  const conversations = conversationStore(deps)
  const authors = authorStore(deps)
  const sla = slaWatch(deps)
  const enrollments = stopRules(deps)

  return {
    contact: [
      enrollments.clearContact,
      deals.clearContact,
      notes.clearContact,
      tasks.clearContact,
      meetings.clearContact,
      transcripts.clearContact,
      conversations.clearContact,
      authors.clearContact,
    ],
    company: [
      contacts.clearCompany,
      deals.clearCompany,
      notes.clearCompany,
      tasks.clearCompany,
      meetings.clearCompany,
      conversations.clearCompany,
      companies.clearParent,
    ],
    deal: [enrollments.clearDeal, notes.clearDeal, tasks.clearDeal, meetings.clearDeal, conversations.clearDeal],
    meeting: [notes.clearMeeting],
    tag: [sla.tagRemoved],
  }
}
