import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  checklist: 'Erste Schritte',
  checklistDone: (done, all) => `${done} von ${all}`,
  checklistHide: 'Erste Schritte ausblenden',
  isDone: 'erledigt',
  steps: {
    look: 'Sprache und Darstellung',
    palette: 'Die Suche ausprobieren',
    deal: 'Einen Deal anlegen',
    invite: 'Jemanden einladen',
    factor: 'Zweiten Faktor einschalten',
    sample: 'Beispieldaten entfernen',
  },
}
