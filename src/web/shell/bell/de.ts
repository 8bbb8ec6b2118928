import { de as checks } from '../../../lib/pure/checks/de.ts'
import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  noNotices: 'Nichts Neues',
  noNoticesBody:
    'Hier steht, was dir zugewiesen oder übergeben wird, wo du erwähnt wirst, welche Mail nicht ankam, welche Aufgaben fällig sind, welche Token ablaufen und wofür der Server jemanden braucht.',
  allNotices: 'Alle Hinweise',
  allChanges: 'Alle meine Änderungen',
  tabs: { new: 'Neu', all: 'Alle', mentioned: 'Erwähnungen', due: 'Fällige Aufgaben' },
  empty: {
    new: 'Nichts Neues',
    all: 'Noch keine Hinweise',
    mentioned: 'Niemand hat dich erwähnt',
    due: 'Keine Aufgabe war fällig',
  },
  older: 'Ältere zeigen',
  open: 'Öffnen',
  markRead: 'Alle als gelesen markieren',
  noticesFailed: 'Die Hinweise konnten nicht geladen werden.',
  isNew: 'neu',
  noticeOf: (kind, who) => {
    if (kind === 'assigned') return who ? `${who} hat dir das zugewiesen` : 'Dir zugewiesen'
    if (kind === 'mentioned') return who ? `${who} hat dich erwähnt` : 'Du wurdest erwähnt'
    if (kind === 'failed') return 'Mail wurde nicht zugestellt'
    if (kind === 'ending') return 'Ein Token für die API läuft ab'
    return 'Aufgabe fällig'
  },
  needs: 'Der Server braucht jemanden',
  isWell: 'Beim Server ist wieder gut',
  check: (name) => (checks as Readonly<Record<string, string>>)[name] ?? name,
}
