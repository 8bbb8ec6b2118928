import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  summary: (active, invited) => (invited > 0 ? `${active} aktiv, ${invited} eingeladen` : `${active} aktiv`),
  invite: 'Mitglied einladen',
  tabsLabel: 'Mitglieder nach Zustand',
  never: 'Deaktiviert, nie gelöscht: Notizen behalten den Namen',
  roleNotes: {
    owner: 'Alles, auch andere Eigentümer',
    admin: 'Alles, außer Eigentümer zu ändern',
    member: 'Liest alles; schreibt Datensätze, Mail und Sequenzen',
    viewer: 'Liest alles, ändert nichts, sendet nichts',
  },
  invitedFor: (left) => `Eingeladen, noch ${left}`,
  anyone: 'Wer den Link hat',
  since: (date) => `seit ${date}`,
  none: 'Niemand hier',
  noneBody: (tab) => `Unter „${tab}“ gibt es kein Mitglied.`,

  changeRole: (name) => `Rolle von ${name} ändern`,
  roleChanged: (name, role) => `${name} ist jetzt ${role}`,
  roleBody: 'Wer eine andere Rolle bekommt, muss sich neu anmelden.',
  ownRole: 'Niemand ändert die eigene Rolle. Ein anderer Eigentümer oder Admin kann es.',
  ownersOnly: (names) => `Eigentümer: ${names}. Nur Eigentümer ändern Eigentümer.`,
  renamed: 'Name geändert',
  deactivate: 'Deaktivieren',
  reactivate: 'Wieder aktivieren',
  deactivated: (name) => `${name} deaktiviert`,
  activated: (name) => `${name} ist wieder aktiv`,
  deactivateBody: 'Meldet ab und lässt nicht mehr herein. Datensätze und Notizen bleiben; Tokens wirken nicht mehr.',
  sessions: 'Sitzungen',
  noSessions: 'Nirgends angemeldet.',
  signOutEverywhere: 'Überall abmelden',
  signedOut: (name) => `${name} überall abgemeldet`,
  sessionEnded: 'Sitzung beendet',

  invitation: 'Einladung',
  invitedBy: (role, by, at) => (by ? `als ${role}, von ${by}, ${at}` : `als ${role}, ${at}`),
  emailHelp: 'Mit Adresse gilt die Einladung nur für sie. Ohne gilt sie für alle, die den Link haben.',
  makeLink: 'Link anlegen',
  making: 'Wird angelegt…',
  send: 'Schick den Link, wie du willst',
  sendBody: (until, email) =>
    email
      ? `Er gilt einmal, für ${email}, bis ${until}. Ein Mailserver ist nicht nötig.`
      : `Er gilt einmal, für die Person, die ihn zuerst öffnet, bis ${until}. Ein Mailserver ist nicht nötig.`,
  link: 'Link',
  qr: 'QR-Code des Einladungslinks',
  qrHelp: 'Im selben Netz: mit dem Telefon scannen',
  loopback: (port) =>
    `Andere können diesen Link nicht öffnen: Er führt nur zu diesem Computer. Starte den Server mit „--screens-listen 0.0.0.0:${port}“, öffne ihn unter seinem Namen oder seiner Adresse im Netz und leg dort einen neuen Link an.`,
  reachable: (host) => `Der Link führt zu ${host}. Wer das öffnen kann, kann ihn annehmen.`,
  hidden:
    'Der Link wurde einmal gezeigt, als er angelegt wurde. Ist er verloren, leg einen neuen an; der alte gilt dann nicht mehr.',
  newLink: 'Neuer Link',
  withdraw: 'Zurückziehen',
  withdrawn: 'Einladung zurückgezogen',

  mayTitle: 'Was eine Rolle darf',
  may: {
    read: 'Jeden Datensatz, jede Konversation, jeden Bericht lesen',
    write: 'Datensätze schreiben, Mail senden, Sequenzen laufen lassen',
    settings: 'Einstellungen ändern, Sitzungen aller sehen',
    members: 'Mitglieder unter sich einladen und ändern',
    owners: 'Eigentümer ernennen und ändern',
  },
}
