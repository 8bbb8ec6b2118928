import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  titleFor: (who) => `Neuer Deal mit ${who}`,
  title: 'Titel',
  amount: 'Betrag',
  amountExample: (currency) => `Betrag, 12k oder ${currency} 12.000`,
  stage: 'Phase',
  owner: 'Inhaber',
  expected: 'Erwarteter Abschluss',
  nobody: 'niemand',
  noDate: 'kein Datum',
  more: (owner, date) => `${owner}, ${date}`,
  moreLabel: 'Inhaber und erwarteter Abschluss',
  cancel: 'Abbrechen',
  add: 'Deal anlegen',
  added: (title) => `${title} angelegt`,
  open: 'Öffnen',
}
