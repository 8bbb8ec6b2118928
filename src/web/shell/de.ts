import type { Like } from '../texts/texts.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  places: {
    deals: 'Deals',
    contacts: 'Kontakte',
    companies: 'Firmen',
    lists: 'Listen',
    duplicates: 'Dubletten',
    tasks: 'Aufgaben',
    inbox: 'Posteingang',
    meetings: 'Meetings',
    sequences: 'Sequenzen',
    reports: 'Berichte',
    settings: 'Einstellungen',
    me: 'Meine Einstellungen',
    signIn: 'Anmeldung',
    sessions: 'Sitzungen',
    members: 'Mitglieder',
    search: 'Suche',
  },
  settingsGroups: { you: 'Du', organisation: 'Organisation', mail: 'Mail und SLA', machine: 'Server' },

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
  search: 'Suchen oder springen',
  pinned: 'Angeheftete Ansichten',
  settings: 'Einstellungen',
  more: 'Mehr',
  late: (count) => `${count} überfällig`,
  today: (count) => `${count} für heute`,

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
  connecting: 'Verbindung wird aufgebaut',
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
  inFront: (status) =>
    status === 0
      ? 'Etwas vor Dealbox hat die Anfrage woandershin geschickt.'
      : `Etwas vor Dealbox hat mit ${status} geantwortet.`,
  newVersion: 'Neue Version',
  reload: 'Neu laden',

  notices: 'Hinweise',
  noticesCount: (count) => (count === 1 ? '1 neuer Hinweis' : `${count} neue Hinweise`),
  noNotices: 'Nichts Neues',
  noNoticesBody:
    'Hier steht, was dir zugewiesen wird, wo du erwähnt wirst, welche Aufgaben fällig sind und welche Token ablaufen.',
  markRead: 'Alle als gelesen markieren',
  noticesFailed: 'Die Hinweise konnten nicht geladen werden.',
  isNew: 'neu',
  noticeOf: (kind, who) => {
    if (kind === 'assigned') return who ? `${who} hat dir das zugewiesen` : 'Dir zugewiesen'
    if (kind === 'mentioned') return who ? `${who} hat dich erwähnt` : 'Du wurdest erwähnt'
    if (kind === 'ending') return 'Ein Token für die API läuft ab'
    return 'Aufgabe fällig'
  },
  notSaved: 'Das konnte nicht gespeichert werden. Es ist wie vorher.',
  noAnswer: 'Der Server hat nicht geantwortet.',

  missing: 'Unter dieser Adresse gibt es nichts',
  missingBody:
    'Der Datensatz wurde gelöscht oder mit einem anderen zusammengeführt, oder der Link gehört zu einer anderen Dealbox.',
  back: (place) => `Zurück: ${place}`,
  searchShort: 'Suchen',
  loading: 'Wird geladen',
  failed: 'Diese Seite konnte nicht geladen werden',
  failedBody:
    'Ihre Dateien sind nicht angekommen. Vielleicht wurde der Server aktualisiert, oder die Verbindung ging verloren. Gespeichertes ist nicht verloren.',
  tryAgain: 'Erneut versuchen',
  broken: 'Diese Seite funktioniert nicht mehr',
  brokenBody:
    'In der Seite ist ein Fehler aufgetreten. Gespeichertes ist sicher. Lade die Seite neu; tritt der Fehler wieder auf, sag der Person Bescheid, die diesen Server betreibt.',
  commandFailed: 'Das hat nicht funktioniert',

  undone: 'Zurückgenommen',
  nothingToUndo: 'Auf dieser Seite gibt es nichts von dir zurückzunehmen',
  changedSince: 'Nicht zurückgenommen: Jemand hat dasselbe seitdem wieder geändert.',

  signedOutTitle: 'Melde dich an, um weiterzumachen',
  signedOutBody: (waiting) =>
    waiting === 0
      ? 'Deine Sitzung ist beendet. Was du geschrieben hast, steht noch auf dieser Seite.'
      : `Deine Sitzung ist beendet. Was du geschrieben hast, steht noch auf dieser Seite, und ${waiting === 1 ? '1 Änderung wartet' : `${waiting} Änderungen warten`} darauf, nach der Anmeldung gespeichert zu werden.`,
  asOther: 'Als jemand anderes anmelden',

  present: (names) => `${names} auch hier`,

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
