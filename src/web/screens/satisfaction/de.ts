import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  summary: 'Eine Frage in der Mail, die eine Unterhaltung schließt',
  failed: 'Die Frage konnte nicht geladen werden',
  ask: 'In der Mail fragen, die schließt',
  askHelp:
    'Am Ende einer Mail, die mit „Senden und schließen“ weggeht. Jede Antwort ist ein Link auf eine Seite mit einem Knopf; sie zu öffnen speichert nichts. Eine Unterhaltung wird einmal gefragt, bis sie wieder offen ist.',
  on: 'An',
  off: 'Aus',
  language: 'Sprache der Frage',
  mailboxes: 'Postfächer',
  all: 'Alle Postfächer',
  words: 'Worte in der Mail',
  wordsHelp: 'Was leer bleibt, hat die Worte der Sprache.',
  question: 'Frage',
  good: 'Erste Antwort',
  not_good: 'Zweite Antwort',
  pause_days: 'Tage, bis dieselbe Person wieder gefragt wird',
  pauseHelp: '0 fragt nach jeder Unterhaltung.',
  save: 'Worte speichern',
  preview: 'Am Ende der Mail',
  admins: 'Das ändern Administratoren.',
  counts: 'In den letzten zwölf Monaten',
  none: 'Noch niemand wurde gefragt.',
  asked: 'Gefragt',
  isGood: 'Gut',
  isNotGood: 'Nicht gut',
  member: 'Beantwortet von',
  nobody: 'Ehemaliges Mitglied',
  notSaved: (why) => `Nicht gespeichert: ${why}`,
}
