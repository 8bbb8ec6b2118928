import type { Like } from '../../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  joinTitle: (org) => `Bei ${org} mitmachen`,
  joinBody: (by, role) =>
    by
      ? `${by} lädt dich ein, mit der Rolle ${role}. Wähle, wie dich andere sehen, und ein Passwort.`
      : `Du bist eingeladen, mit der Rolle ${role}. Wähle, wie dich andere sehen, und ein Passwort.`,
  roles: { owner: 'Eigentümer', admin: 'Admin', member: 'Mitglied', viewer: 'Betrachter' },
  joinUntil: (time) => `Die Einladung gilt bis ${time}.`,
  join: 'Mitmachen',
  joining: 'Wird angelegt …',
  yourName: 'Dein Name',
  newPassword: 'Passwort',
  passwordHelp: '12 Zeichen oder mehr. Ein paar Wörter, die nur du so zusammenstellst, merken sich leicht.',
  passwordShort: (missing) => (missing === 1 ? 'Es fehlt noch 1 Zeichen.' : `Es fehlen noch ${missing} Zeichen.`),
  language: 'Sprache',
  languages: { en: 'English', de: 'Deutsch' },
  fixedEmail: 'Die Einladung gilt für diese Adresse.',

  setupTitle: 'Dealbox einrichten',
  setupBody: 'Eine Seite, dann bist du drin. Alles davon lässt sich später ändern.',
  you: 'Du',
  youNote: 'Der erste Eigentümer',
  organisation: 'Organisation',
  organisationNote: 'Name, Währung, Zeitzone',
  start: 'Anfang',
  startNote: 'Mit Beispieldaten oder leer',
  orgName: 'Name der Organisation',
  currency: 'Währung',
  currencyHelp: 'Summen anderer Währungen stehen daneben und werden nie addiert.',
  timezone: 'Zeitzone',
  timezoneHelp: 'Aus diesem Browser übernommen. Sie bestimmt, wann ein Tag beginnt.',
  startWith: 'Anfangen mit',
  sample: 'Beispieldaten',
  sampleBody: 'Deals, Kontakte und Aufgaben einer erfundenen Firma zum Umsehen. Ein Klick entfernt sie.',
  empty: 'Leer',
  emptyBody: 'Nichts als die Phasen einer üblichen Pipeline. Eigene Daten kommen jederzeit als CSV dazu.',
  setUp: 'Einrichten und anmelden',
  settingUp: 'Wird eingerichtet …',
  preview: 'So wird dein Board aussehen',
  stages: ['Qualifiziert', 'Demo', 'Angebot', 'Verhandlung'].join('|'),
  backup: 'Alle Daten liegen in einem Ordner auf dem Server. Sichere sie mit „dealbox backup“.',
  checkFields: (count) => (count === 1 ? '1 Feld ansehen' : `${count} Felder ansehen`),
}
