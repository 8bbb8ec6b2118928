import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'

export const de: Like<typeof en> = {
  groups: { you: 'Du', organisation: 'Organisation', mail: 'Mail und SLA', machine: 'Server' },
  me: 'Meine Einstellungen',
  signIn: 'Anmeldung',
  sessions: 'Sitzungen',
  members: 'Mitglieder',
  bin: 'Papierkorb',
  changes: 'Meine Änderungen',
  operation: 'Betrieb',
  binWords: 'gelöscht wiederherstellen Mülleimer',
  rules: 'Regeln',
  rulesWords: 'automatische Antwort Filter',
  satisfaction: 'Zufriedenheit',
  tokens: 'API-Tokens',
}
