import type { en } from './en.ts'

export const de: typeof en = {
  database: 'Datenbank',
  disk: 'Festplatte',
  log: 'Write-Ahead-Log',
  backup: 'Sicherungen',
  copies: 'Kopien der Sicherungen',
  clock: 'Uhr',
  certificate: 'TLS-Zertifikat',
  keys: 'Schlüssel',
  primary: 'Primärserver',
  replication: 'Replikat',
  jobs: 'Jobs',
  recurring: 'Wiederkehrende Arbeit',
  mailboxes: 'Postfächer',
  webhooks: 'Webhooks',
  sending: 'Versand',
  copy: 'Kopie des Primärservers',
}
