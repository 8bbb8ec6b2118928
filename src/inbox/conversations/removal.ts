import type { Deps } from '../../deps.ts'
import { searchIndex } from '../../store/search/search.ts'

/**
 * Removes a conversation for good, with its messages, their files and their jobs, for what the API cannot delete: sample
 * data, and the mails of a person who is erased. Records that refer to it stay without it.
 */
export function conversationRemoval({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  const search = searchIndex(db, 'conversation')
  const messages = 'SELECT id FROM messages WHERE org_id = @org AND conversation_id = @id'
  const unlink = (table: string) =>
    `UPDATE ${table} SET conversation_id = NULL, version = version + 1, updated_at = @now
     WHERE org_id = @org AND conversation_id = @id`
  const statements = [
    `UPDATE enrollment_steps SET message_id = NULL WHERE org_id = @org AND message_id IN (${messages})`,
    ...['enrollments', 'notes', 'tasks', 'meetings'].map(unlink),
    `DELETE FROM attachments WHERE org_id = @org AND message_id IN (${messages})`,
    `DELETE FROM message_aliases WHERE org_id = @org AND message_id IN (${messages})`,
    `DELETE FROM message_headers WHERE org_id = @org AND message_id IN (${messages})`,
    `DELETE FROM jobs WHERE org_id = @org AND (key = @id OR key IN (${messages}))`,
    'DELETE FROM messages WHERE org_id = @org AND conversation_id = @id',
    `UPDATE conversations SET is_merged = 0 WHERE org_id = @org AND id IN
       (SELECT from_id FROM conversation_moves WHERE org_id = @org AND to_id = @id AND kind = 'merge' AND undone_at IS NULL)`,
    'DELETE FROM conversations WHERE org_id = @org AND id = @id',
  ].map((text) => db.prepare(text))

  return function remove(org: number, id: string): void {
    search.remove(org, id)
    const now = clock.now()
    for (const statement of statements) statement.run({ org, id, now })
  }
}
