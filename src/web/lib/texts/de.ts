import type { en } from './en.ts'
import type { Like } from './like.ts'
import { pluralOf } from './plural.ts'

const { count } = pluralOf('de')

export const de: Like<typeof en> = {
  add: 'Hinzufügen',
  addAnother: 'Weitere hinzufügen',
  awayUntil: (day) => `weg bis ${day}`,
  cancel: 'Abbrechen',
  chosen: (number) => `${number} ausgewählt`,
  clear: 'Leeren',
  close: 'Schließen',
  create: (what) => `„${what}“ anlegen`,
  filter: 'Filter',
  filters: 'Filter',
  me: 'Ich',
  edit: (what) => `${what} bearbeiten`,
  messages: 'Meldungen',
  moreSums: (number) => `Alle Summen, ${number} weitere`,
  more: 'Mehr',
  no: 'Nein',
  nobody: 'Niemand',
  noMatch: 'Nichts passt',
  none: '—',
  optional: 'freiwillig',
  remove: (what) => `${what} entfernen`,
  save: 'Speichern',
  saved: 'Gespeichert',
  saving: 'Speichert…',
  waiting: 'Wartet aufs Speichern',
  search: 'Suchen',
  searching: 'Sucht…',
  searchFailed: 'Die Suche hat nicht geantwortet. Weitertippen versucht es erneut.',
  undo: 'Rückgängig',
  bin: 'Papierkorb',
  redo: 'Wiederholen',
  unknown: 'Unbekannt',
  yes: 'Ja',
  results: (number) => count(number, { one: 'Auswahl', other: 'Auswahlen' }),
  inFront: (status) =>
    status === 0
      ? 'Etwas vor Dealbox hat die Anfrage woandershin geschickt.'
      : `Etwas vor Dealbox hat mit ${status} geantwortet.`,
  noAnswer: 'Der Server hat nicht geantwortet.',
  changedMeanwhile: 'Jemand hat es inzwischen geändert oder gelöscht.',
  commandFailed: 'Das hat nicht funktioniert',
  crash: {
    title: 'Dieser Teil der Seite ist ausgefallen',
    text: 'Was gespeichert ist, ist sicher. Zeig ihn noch einmal; passiert es wieder, lade die Seite neu.',
    again: 'Noch einmal zeigen',
  },
}
