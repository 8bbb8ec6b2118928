import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  title: {
    contacts: (name) => `${name} hat diese E-Mail schon`,
    companies: (name) => `${name} hat diese Domain schon`,
  },
  bodyNew:
    'Noch ist nichts gespeichert. Was du eingegeben hast, kann dort dazukommen: Was dort anders ist, wird eine Notiz.',
  bodyNewCompany: 'Noch ist nichts gespeichert. Eine Domain gehört zu einer Firma.',
  bodyChange: 'Die Änderung ist noch nicht gespeichert. Zwei Kontakte können dieselbe E-Mail haben oder einer werden.',
  bodyChangeCompany:
    'Die Änderung ist noch nicht gespeichert. Eine Domain gehört zu einer Firma; zwei Firmen können eine werden.',
  cancel: 'Abbrechen',
  open: 'Öffnen',
  add: 'Dort ergänzen',
  merge: 'Zusammenführen',
  create: { contacts: 'Trotzdem anlegen', companies: 'Ohne die Domain anlegen' },
  save: 'Trotzdem speichern',
  added: (name) => `${name} ergänzt`,
  created: (name) => `${name} angelegt`,
  saved: (name) => `${name} gespeichert`,
}
