export const en = {
  groups: { you: 'You', organisation: 'Organisation', mail: 'Mail and SLA', machine: 'Machine' },
  me: 'My preferences',
  signIn: 'Signing in',
  sessions: 'Sessions',
  members: 'Members',
  bin: 'Bin',
  changes: 'My changes',
  operation: 'Operation',
  binWords: 'trash deleted restore',
  rules: 'Rules',
  rulesWords: 'automatic answer filter triage',
  tokens: 'API tokens',
}
