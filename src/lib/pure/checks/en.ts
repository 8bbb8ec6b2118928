/** What the checks of a server are called, for its screens and its mails. */
export const en = {
  database: 'Database',
  disk: 'Disk',
  log: 'Write-ahead log',
  backup: 'Backups',
  copies: 'Copies of backups',
  clock: 'Clock',
  certificate: 'TLS certificate',
  keys: 'Keys',
  primary: 'Primary',
  replication: 'Replica',
  jobs: 'Jobs',
  recurring: 'Recurring work',
  mailboxes: 'Mailboxes',
  webhooks: 'Webhooks',
  sending: 'Sending',
  copy: 'Copy of the primary',
}
