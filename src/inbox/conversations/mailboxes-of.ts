import { type Deps, once } from '../../deps.ts'
import { firstIdAt } from '../../lib/id.ts'
import type { Conversation } from './conversation.ts'

/** A mailbox in whose view a conversation stands. `chosen_at` in ms: when somebody moved it there. */
export type InMailbox = { mailbox_id: string; chosen_at: number | null }

/** In whose mailboxes' views conversations stand. */
export const mailboxesOf = once(({ db }: Pick<Deps, 'db'>) => {
  const select = db.prepare(
    `SELECT mailbox_id, chosen_at FROM conversation_mailboxes INDEXED BY conversation_mailboxes_conversation
     WHERE org_id = ? AND conversation_id = ? ORDER BY mailbox_id`,
  )
  const insert = db.prepare(
    `INSERT INTO conversation_mailboxes (org_id, conversation_id, mailbox_id, chosen_at)
     VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const ofMessage = db.prepare(
    `INSERT INTO conversation_mailboxes (org_id, conversation_id, mailbox_id)
     SELECT org_id, conversation_id, @mailbox FROM messages WHERE org_id = @org AND id = @message
     ON CONFLICT DO NOTHING`,
  )
  const derived = db.prepare(
    `INSERT INTO conversation_mailboxes (org_id, conversation_id, mailbox_id)
     SELECT DISTINCT message.org_id, message.conversation_id, mail.mailbox_id FROM messages AS message
       JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.org_id = ? AND message.conversation_id = ? AND message.id >= ? AND mail.mailbox_id IS NOT NULL
     ON CONFLICT DO NOTHING`,
  )
  const clear = db.prepare('DELETE FROM conversation_mailboxes WHERE org_id = ? AND conversation_id = ?')

  const of = (org: number, { id }: Pick<Conversation, 'id'>): InMailbox[] => select.all(org, id) as InMailbox[]

  function set(org: number, { id }: Pick<Conversation, 'id'>, given: readonly InMailbox[]): void {
    clear.run(org, id)
    for (const { mailbox_id, chosen_at } of given) insert.run(org, id, mailbox_id, chosen_at)
  }

  return {
    of,
    set,
    /** A mail of it came or leaves by this mailbox. Whether it was not there yet. */
    add: (org: number, message: string, mailbox: string): boolean =>
      ofMessage.run({ org, message, mailbox }).changes > 0,
    /** Those by which the messages came and left that it has now, or since then, in ms, beside what it has. */
    addOfMessages: (org: number, { id }: Pick<Conversation, 'id'>, since = 0): void =>
      void derived.run(org, id, firstIdAt(since)),
    /** A conversation that takes the messages of another one stands where that one stood, too; what this has added. */
    join(org: number, from: Pick<Conversation, 'id'>, into: Pick<Conversation, 'id'>): InMailbox[] {
      const others = of(org, from).map(({ mailbox_id }) => ({ mailbox_id, chosen_at: null }))
      return others.filter(({ mailbox_id }) => insert.run(org, into.id, mailbox_id, null).changes > 0)
    },
    /** Takes away what a merge at `at`, in ms, has added, but for where it was moved or has had mails since. */
    part(org: number, into: Pick<Conversation, 'id'>, added: readonly InMailbox[], at: number): void {
      const all = of(org, into)
      if (all.some(({ chosen_at }) => (chosen_at ?? 0) >= at)) return
      const isAdded = (id: string) => added.some(({ mailbox_id }) => mailbox_id === id)
      set(
        org,
        into,
        all.filter(({ mailbox_id }) => !isAdded(mailbox_id)),
      )
      derived.run(org, into.id, firstIdAt(at))
    },
  }
})
