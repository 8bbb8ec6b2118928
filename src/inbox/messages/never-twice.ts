import { type Deps, once } from '../../deps.ts'
import { conflict } from '../../lib/problem.ts'
import type { MessageCreate } from './message.ts'

/** What keeps two members from answering one message. */
export const neverTwice = once(({ db }: Deps) => {
  const newer = db.prepare(
    `SELECT id, direction FROM messages INDEXED BY messages_conversation
     WHERE org_id = ? AND conversation_id = ? AND id > ? AND direction <> 'note' AND is_automatic = 0
       AND status <> 'failed' AND NOT (direction = 'outbound' AND EXISTS (SELECT 1 FROM message_headers AS mail
         WHERE mail.org_id = messages.org_id AND mail.message_id = messages.id AND mail.is_aside = 1)) ORDER BY id LIMIT 1`,
  )

  /**
   * Throws 409 if a person has written since the message that the writer has seen. Notes and machines do not count. The id is a
   * place in the order in which messages were stored: that of one that was taken back since is as good. `conversation` is where
   * the reply goes: the other one, if that which the writer has on the screen was merged.
   */
  return (
    org: number,
    conversation: string | undefined,
    { direction, last_seen_message_id: seen }: MessageCreate,
  ): void => {
    if (!conversation || !seen || direction !== 'outbound') return
    const since = newer.get(org, conversation, seen) as { id: string; direction: string } | undefined
    if (!since) return
    const by = since.direction === 'inbound' ? 'A new message has come' : 'Somebody else has answered'
    throw conflict('newer_message', `${by} since you read this conversation. Read it, then send yours or drop it.`, {
      message_id: since.id,
    })
  }
})
