import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  signIn: 'Anmelden',
  sub: 'Melde dich mit deiner Arbeitsadresse an.',
  email: 'E-Mail',
  password: 'Passwort',
  forgot: 'Vergessen?',
  forgotBody:
    'Passwörter lassen sich nicht auslesen oder verschicken. Bitte einen Eigentümer um einen Anmeldelink: „dealbox member reset“ auf dem Server gibt einen aus, und damit setzt du ein neues Passwort.',
  capsLock: 'Die Feststelltaste ist an.',
  show: 'Passwort zeigen',
  hide: 'Passwort verbergen',
  stay: 'Auf diesem Gerät angemeldet bleiben',
  noAccount: 'Noch kein Konto? Bitte einen Eigentümer dieser Dealbox um eine Einladung.',
  signingIn: 'Wird angemeldet …',
  wrong: 'E-Mail und Passwort passen nicht zusammen. Prüfe beide; beim Passwort zählt Groß- und Kleinschreibung.',
  tooMany: (wait) => `Zu viele Versuche. Der nächste geht in ${wait}.`,
  wait: (seconds) => (seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`),
  noAnswer: 'Der Server hat nicht geantwortet. Deine Eingaben sind noch da; versuch es wieder, wenn er zurück ist.',
  inFront: (status) =>
    `Etwas vor Dealbox ${status === 0 ? 'hat die Anfrage woandershin geschickt' : `hat mit ${status} geantwortet`}, etwa eine vorgeschaltete Anmeldung oder eine Firewall: Der Server hat sie nicht gesehen. Dein Passwort kann richtig sein.`,
  openAnew: 'Seite neu öffnen',
  refused: 'Der Server hat das abgelehnt.',
  required: (label) => `Füll „${label}“ aus.`,
  needEmail: 'Schreib deine E-Mail-Adresse, etwa ana@example.com.',

  code: 'Code',
  codeTitle: 'Zweiter Schritt',
  codeBody:
    'Gib die sechs Ziffern ein, die deine Authenticator-App jetzt zeigt, oder einen deiner Wiederherstellungscodes. Ist beides verloren, hilft „dealbox member reset EMAIL --second-factor“ auf dem Server.',
  wrongCode: 'Dieser Code stimmt nicht oder wurde schon benutzt. Alle 30 Sekunden gibt es einen neuen.',
  continue: 'Weiter',
  back: 'Zurück',

  server: 'Server',
  version: 'Version',
  state: 'Zustand',
  running: 'Läuft',
  aside: 'Dieser Server',

  checking: 'Der Link wird geprüft …',
  byLink: (email) => `Dieser Link meldet dich als ${email} an.`,
  linkUntil: (time) => `Er gilt einmal, bis ${time}.`,
  tryAgain: 'Erneut versuchen',

  needsSetup: 'Diese Dealbox hat noch keinen Eigentümer',
  needsSetupBody:
    'Öffne den Einrichtungslink, den der Server beim Start ausgegeben hat. Er gilt einmal und 24 Stunden lang; ein neuer Start des Servers gibt einen neuen aus.',
}
