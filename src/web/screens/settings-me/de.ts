import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  appearance: 'Sprache und Darstellung',
  language: 'Sprache',
  languageHelp: 'Bestimmt auch, wie Daten, Zahlen und Beträge geschrieben werden.',
  theme: 'Darstellung',
  themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  timezone: 'Zeitzone',
  timezoneHelp: 'In ihr werden Zeiten gezeigt, und in ihr beginnen Tage.',
  now: (time) => `Jetzt ${time}.`,
  signature: 'Signatur',
  signatureHelp:
    'Steht unter deinen Antworten per Mail, unter einer Zeile mit „--“. In einer Antwort lässt sie sich weglassen.',
  saveSignature: 'Signatur speichern',
  keys: 'Tastenkürzel',
  singles: 'Einzelne Tasten',
  singlesHelp:
    'Etwa C D für einen neuen Deal. Sie wirken nie, solange du in ein Feld schreibst. Tasten mit Strg oder ⌘ bleiben in jedem Fall.',
  on: 'An',
  changeHelp: 'Drück die neuen Tasten nacheinander. Esc lässt sie, wie sie sind, die Rücktaste nimmt sie weg.',
  changeOne: (title) => `Tasten von „${title}“ ändern`,
  press: 'Drück die neuen Tasten',
  done: 'Diese nehmen',
  none: 'keine Taste',
  taken: (title) => `„${title}“ hat diese Tasten schon.`,
  resetAll: 'Alle Tasten wie geliefert',
  notSaved: 'Das konnte nicht gespeichert werden. Es ist wie vorher.',

  sessionsBody:
    'Jeder Browser, in dem du angemeldet bist. Eine Sitzung endet nach 12 Stunden ohne Nutzung, spätestens nach 30 Tagen.',
  sessionsCount: (number) => (number === 1 ? '1 Sitzung' : `${number} Sitzungen`),
  thisOne: 'diese',
  unknownDevice: 'Unbekanntes Gerät',
  endOthers: 'Überall sonst abmelden',
  ended: (number) => (number === 1 ? 'Sitzung beendet' : `${number} Sitzungen beendet`),

  password: 'Passwort',
  passwordSet: 'Ein neues Passwort meldet dich überall sonst ab.',
  passwordNone:
    'Du bist über einen Link gekommen und hast noch kein Passwort. Setz eines, um ohne Link wiederzukommen.',
  current: 'Aktuelles Passwort',
  newOne: 'Neues Passwort',
  setPassword: 'Passwort setzen',
  changePassword: 'Passwort ändern',
  passwordChanged: 'Passwort geändert, andere Sitzungen beendet',

  twoFactor: 'Zweiter Faktor',
  totpOff:
    'Aus. Mit ihm braucht die Anmeldung auch einen Code von einer App auf deinem Telefon; ein gestohlenes Passwort reicht dann nicht.',
  totpOn: 'An. Die Anmeldung braucht einen Code deiner Authenticator-App.',
  turnOn: 'Einschalten',
  turnOff: 'Ausschalten',
  turnOnTitle: 'Zweiten Faktor einschalten?',
  turnOnBody: 'Zuerst dein Passwort, damit ihn niemand sonst in einer Sitzung einschaltet, die du offen gelassen hast.',
  keepOff: 'Jetzt nicht',
  turnOffTitle: 'Zweiten Faktor ausschalten?',
  turnOffBody: 'Die Anmeldung braucht dann nur noch dein Passwort. Deine Wiederherstellungscodes gelten nicht mehr.',
  keepOn: 'Anlassen',
  scan: '1. Scanne dies mit einer Authenticator-App',
  scanBody: 'Jede App für Einmalcodes geht. Ohne Kamera tippst du den Schlüssel ein:',
  qr: 'QR-Code für die Authenticator-App',
  confirmCode: '2. Tippe die sechs Ziffern ein, die sie zeigt',
  confirm: 'Bestätigen',
  recovery: 'Bewahre diese Wiederherstellungscodes auf',
  recoveryBody:
    'Jeder gilt einmal anstelle eines Codes, wenn das Telefon verloren ist. Sie werden nicht noch einmal gezeigt: Druck sie aus oder leg sie in deinem Passwortmanager ab.',
  copied: 'Wiederherstellungscodes kopiert',
  download: 'Herunterladen',
  kept: 'Ich habe sie aufbewahrt',
}
