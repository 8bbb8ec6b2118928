import { en as checks } from '../../../lib/pure/checks/en.ts'

export const en = {
  noNotices: 'Nothing new',
  noNoticesBody:
    'What is assigned or handed over to you, mentions of you, mail that was not delivered, tasks that are due, tokens that end and what the server needs somebody for are listed here.',
  allNotices: 'All notices',
  allChanges: 'All my changes',
  tabs: { new: 'New', all: 'All', mentioned: 'Mentions', due: 'Tasks due' },
  empty: { new: 'Nothing new', all: 'No notices yet', mentioned: 'Nobody has mentioned you', due: 'No task was due' },
  older: 'Show older ones',
  open: 'Open',
  markRead: 'Mark all as read',
  noticesFailed: 'The notices could not be loaded.',
  isNew: 'new',
  noticeOf: (kind: string, who: string | undefined) => {
    if (kind === 'assigned') return who ? `${who} gave you this` : 'Assigned to you'
    if (kind === 'mentioned') return who ? `${who} mentioned you` : 'You were mentioned'
    if (kind === 'failed') return 'Mail was not delivered'
    if (kind === 'ending') return 'A token for the API ends'
    return 'Task due'
  },
  needs: 'The server needs somebody',
  isWell: 'The server is well again',
  check: (name: string): string => (checks as Readonly<Record<string, string>>)[name] ?? name,
}
