import { type Deps, once } from '../../deps.ts'
import { conflict } from '../../lib/problem.ts'
import type { Conversation } from './conversation.ts'

/** Who gets a conversation that is given to whoever has the fewest open ones. */
export const byLoad = once(({ db }: Deps) => {
  const waiting = db
    .prepare(
      `SELECT asked.value FROM json_each(?) AS asked LEFT JOIN conversations ON conversations.org_id = ? AND conversations.id = asked.value
       ORDER BY waiting_since IS NULL, waiting_since, asked.value`,
    )
    .pluck()
  // The conversation itself is no load of its owner, who keeps it if nobody has fewer.
  const fewest = db
    .prepare(
      `SELECT id FROM members WHERE org_id = @org AND status = 'active' AND role <> 'viewer'
       ORDER BY (SELECT count(*) FROM conversations INDEXED BY conversations_load
           WHERE conversations.org_id = @org AND conversations.owner_id = members.id
             AND conversations.status IN ('open', 'pending') AND conversations.id <> @conversation),
         members.id IS NOT @owner, members.id LIMIT 1`,
    )
    .pluck()

  /** Who waits longest comes first; who does not wait comes last. */
  const longestFirst = (org: number, ids: readonly string[]): string[] =>
    waiting.all(JSON.stringify(ids), org) as string[]

  /** Throws 409 for a closed one, which is no work for anybody. */
  function ownerFor(org: number, { id, status, owner_id }: Conversation): string | null {
    if (status === 'closed')
      throw conflict('conversation_closed', 'This conversation is closed: nobody has to work on it.')
    return (fewest.get({ org, conversation: id, owner: owner_id }) as string | undefined) ?? null
  }

  return { longestFirst, ownerFor }
})
