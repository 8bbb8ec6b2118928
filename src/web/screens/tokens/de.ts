import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  create: 'Neues Token',
  summary: (valid) => `${valid} gültig`,
  none: 'Noch keine Tokens',
  noneBody: 'Mit einem Token benutzt ein Programm die API im Namen eines Mitglieds, mit den Rechten, die du wählst.',
  scopes: 'Rechte',
  allScopes: 'Alle Rechte',
  readOnly: 'Alle lesenden',
  count: (number) => (number === 1 ? '1 Recht' : `${number} Rechte`),
  valid: 'Gültig',
  soon: (left) => `Endet in ${left}`,
  member: 'Im Namen von',
  memberHelp: 'Was das Programm tut, steht unter diesem Namen im Verlauf.',
  scopesHelp: 'Gib einem Programm, was es braucht, und nicht mehr. Schreiben schließt Lesen nicht ein.',
  lasts: 'Gültig für',
  days: (number) => (number === 365 ? '1 Jahr' : `${number} Tage`),
  forEver: 'Bis zum Widerruf',
  password: 'Dein Passwort',
  passwordHelp:
    'Ein Token überdauert diese Sitzung: So legt niemand eines in einer Sitzung an, die du offen gelassen hast.',
  make: 'Token anlegen',
  making: 'Wird angelegt…',
  made: 'Neues Token',
  shown: 'Kopier es jetzt: Es wird nur dieses eine Mal gezeigt',
  shownBody: (until) =>
    until === null
      ? 'Halte es geheim wie ein Passwort. Es gilt bis zum Widerruf.'
      : `Halte es geheim wie ein Passwort. Es gilt bis ${until}.`,
  token: 'Token',
  since: (date) => `seit ${date}`,
  id: 'ID',
  idBody: 'So nennen „dealbox token list“ und das Audit-Log dieses Token.',
  revokeBody:
    'Programme, die es benutzen, werden mit der nächsten Anfrage abgewiesen. Das lässt sich nicht zurücknehmen.',
  revokeTitle: 'Dieses Token widerrufen?',
  keep: 'Behalten',
  revoked: 'Token widerrufen',
}
