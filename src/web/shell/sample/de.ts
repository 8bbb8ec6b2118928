import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  title: 'Beispieldaten entfernen?',
  body: (count) =>
    count === 1
      ? '1 Datensatz der erfundenen Firma verschwindet endgültig.'
      : `${count} Datensätze der erfundenen Firma verschwinden endgültig.`,
  edited: (count) =>
    count === 1
      ? 'Einen davon hast du bearbeitet. Diesen als deinen behalten oder auch entfernen?'
      : `${count} davon hast du bearbeitet. Diese als deine behalten oder auch entfernen?`,
  keepAll: 'Alles behalten',
  remove: 'Beispieldaten entfernen',
  removeUnedited: 'Entfernen, Bearbeitetes behalten',
  removeAll: 'Alles entfernen',
  started: 'Die Beispieldaten werden entfernt',
}
