import type { Like } from '../../texts/texts.ts'
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
  linkUsed: 'Dieser Link wurde schon benutzt',
  linkUsedBody:
    'Ein Link gilt einmal. Warst du es, melde dich mit deinem Passwort an. Wenn nicht, sag der Person Bescheid, die ihn geschickt hat: Sie kann einen neuen schicken und beenden, was mit diesem geöffnet wurde.',
  linkExpired: 'Dieser Link ist abgelaufen',
  linkExpiredBody:
    'Links gelten nur eine Zeit lang. Bitte die Person, die ihn geschickt hat, um einen neuen; mehr ist nicht nötig.',
  linkWithdrawn: 'Dieser Link wurde zurückgezogen',
  linkWithdrawnBody:
    'Wer ihn geschickt hat, hat ihn zurückgenommen oder darf nicht mehr einladen. Bitte um einen neuen.',
  linkUnknown: 'Dieser Link ist hier nicht bekannt',
  linkUnknownBody:
    'Vielleicht wurde er zurückgezogen oder unterwegs abgeschnitten. Öffne ihn genau so, wie er geschickt wurde, oder bitte um einen neuen.',
  linkNew: {
    setup: 'Auf dem Server gibt „dealbox serve“ einen neuen Einrichtungslink aus, solange es keinen Eigentümer gibt.',
    invite: 'Eine neue Einladung macht ein Eigentümer oder Admin unter Einstellungen, Mitglieder.',
    sign_in: 'Auf dem Server gibt „dealbox member reset“ einen neuen Anmeldelink aus.',
  },
  tryAgain: 'Erneut versuchen',
  toSignIn: 'Zur Anmeldung',

  needsSetup: 'Diese Dealbox hat noch keinen Eigentümer',
  needsSetupBody:
    'Öffne den Einrichtungslink, den der Server beim Start ausgegeben hat. Er gilt einmal und 24 Stunden lang; ein neuer Start des Servers gibt einen neuen aus.',

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
  emptyBody: 'Nichts als die Stufen einer üblichen Pipeline. Eigene Daten kommen jederzeit als CSV dazu.',
  setUp: 'Einrichten und anmelden',
  settingUp: 'Wird eingerichtet …',
  preview: 'So wird dein Board aussehen',
  stages: ['Qualifiziert', 'Demo', 'Angebot', 'Verhandlung'].join('|'),
  backup: 'Alle Daten liegen in einem Ordner auf dem Server. Sichere ihn durch Kopieren, oder nutze „dealbox export“.',
  checkFields: (count) => (count === 1 ? '1 Feld ansehen' : `${count} Felder ansehen`),
}
