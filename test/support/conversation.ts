import type { Store } from '../../src/store/open.ts'

/** Inserts a minimal row of a conversation, bypassing all rules, for tests that only read it. */
export function insertConversation(
  { db, clock }: Pick<Store, 'db' | 'clock'>,
  org: number,
  { sla_policy_id: policy_id = null, ...given }: Record<string, string | number | null> = {},
): string {
  const id = clock.id()
  const now = clock.now()
  const last = db.prepare('SELECT max(number) FROM conversations WHERE org_id = ?').pluck().get(org) as number | null
  const row = {
    org_id: org,
    id,
    number: (last ?? 0) + 1,
    channel: 'email',
    status: 'open',
    priority: 'normal',
    tag_ids: '[]',
    unread_count: 0,
    last_message_at: now,
    preview: '',
    sla: JSON.stringify({ policy_id, status: 'none' }),
    created_at: now,
    updated_at: now,
    version: 1,
    ...given,
  }
  const names = Object.keys(row)
  db.prepare(
    `INSERT INTO conversations (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
  ).run(row)
  return id
}
