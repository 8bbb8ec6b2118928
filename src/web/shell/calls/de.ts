import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  call: 'Anruf',
  title: 'Anruf notieren',
  line: 'Was gesagt wurde',
  example: 'Erreicht, will das Angebot bis Freitag',
  direction: 'Richtung',
  outcome: 'Ergebnis',
  directions: { outgoing: 'Ausgehend', incoming: 'Eingehend' },
  outcomes: { reached: 'Erreicht', 'no answer': 'Nicht erreicht', 'message left': 'Nachricht hinterlassen' },
  unsaid: { direction: 'Richtung nicht angegeben', outcome: 'Ergebnis nicht angegeben' },
  day: 'Tag des Anrufs',
  time: 'Uhrzeit des Anrufs',
  dayShort: 'Heute',
  timeShort: 'Jetzt',
  now: 'Gerade eben, wenn nichts anderes dasteht',
  who: 'Mit wem',
  whoExample: 'Ana Pérez',
  needsWho: 'Gib an, mit wem.',
  add: 'Anruf notieren',
  adding: 'Wird notiert …',
  cancel: 'Abbrechen',
  open: 'Öffnen',
  logged: (who) => `Anruf mit ${who} notiert`,
  loggedHere: 'Anruf notiert',
  failed: 'Der Anruf wurde nicht notiert',
}
