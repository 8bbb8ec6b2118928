import type { Like } from '../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  places: {
    inbox: 'Posteingang',
    deals: 'Deals',
    contacts: 'Kontakte',
    companies: 'Firmen',
    lists: 'Listen',
    sequences: 'Sequenzen',
    duplicates: 'Dubletten',
    reports: 'Berichte',
    tasks: 'Aufgaben',
    meetings: 'Meetings',
    settings: 'Einstellungen',
    changes: 'Meine Änderungen',
    search: 'Suche',
  },

  make: {
    deal: 'Neuer Deal',
    contact: 'Neuer Kontakt',
    company: 'Neue Firma',
    task: 'Neue Aufgabe',
    note: 'Neue Notiz',
  },
  notCopied: (text) => `Der Browser hat es nicht kopiert. Kopiere es von hier: ${text}`,

  main: 'Hauptmenü',
  path: 'Wo du bist',
  closePeek: 'Eintrag neben der Liste schließen',
  skip: 'Zum Inhalt springen',
  search: 'Suchen, springen',
  pinned: 'Angeheftete Ansichten',
  settings: 'Einstellungen',
  more: 'Mehr',
  late: (count) => `${count} überfällig`,

  organisation: 'Organisation und Darstellung',
  theme: 'Darstellung',
  themeSystem: 'Wie das System',
  themeLight: 'Hell',
  themeDark: 'Dunkel',
  keys: 'Tastenkürzel',
  preferences: 'Meine Einstellungen',
  reference: 'API-Referenz',
  version: (version) => `Dealbox ${version}`,
  signOut: 'Abmelden',

  saved: 'Alles gespeichert',
  saving: 'Wird gespeichert …',
  reconnecting: 'Verbindung wird wiederhergestellt',
  offline: 'Offline',
  dataOf: (time) => `Stand der Daten: ${time}.`,
  waiting: (count) => (count === 1 ? '1 Änderung wartet' : `${count} Änderungen warten`),
  noConnection: (host) => `Keine Verbindung zu ${host}`,
  since: (time) => `seit ${time}.`,
  tryNow: 'Jetzt versuchen',
  openAnew: 'Seite neu öffnen',
  gate: 'Was du änderst, bleibt hier und wird gesendet, sobald du wieder durchkommst.',
  proxy:
    'Vermutlich erreicht es den Server nicht. Was du änderst, bleibt hier und wird gesendet, sobald er wieder da ist.',
  newVersion: 'Neue Version',
  reload: 'Neu laden',

  notices: 'Hinweise',
  noticesCount: (count) => (count === 1 ? '1 neuer Hinweis' : `${count} neue Hinweise`),
  notSaved: 'Das konnte nicht gespeichert werden. Es ist wie vorher.',

  missing: 'Unter dieser Adresse gibt es nichts',
  missingBody: 'In der Adresse ist ein Fehler, oder sie gehört zu einer anderen Version.',
  back: (place) => `Zurück: ${place}`,
  searchShort: 'Suchen',
  loading: 'Wird geladen',
  failed: 'Diese Seite konnte nicht geladen werden',
  failedBody: 'Ihre Dateien kamen nicht an, etwa nach einem Update des Servers. Gespeichertes ist nicht verloren.',
  tryAgain: 'Erneut versuchen',

  signedOutTitle: 'Melde dich an, um weiterzumachen',
  signedOutBody: (waiting) =>
    waiting === 0
      ? 'Deine Sitzung ist beendet. Was du geschrieben hast, steht noch auf dieser Seite.'
      : `Deine Sitzung ist beendet. Was du geschrieben hast, steht noch auf dieser Seite, und ${waiting === 1 ? '1 Änderung wartet' : `${waiting} Änderungen warten`} darauf, nach der Anmeldung gespeichert zu werden.`,
  asOther: 'Als jemand anderes anmelden',

  present: (names) => `${names} auch hier`,
}
