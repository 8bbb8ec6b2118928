import { type Deps, once } from '../../deps.ts'
import { type FieldError, field } from '../../lib/problem.ts'
import type { Conversation } from '../conversations/conversation.ts'
import type { MessageCreate } from './message.ts'

type Forwarded = { conversation_id: string; direction: string; send_at: number | null }

/** What is wrong about an email that passes a message on. A note has no way out, and neither has what is not sent yet. */
export const forwarding = once(({ db }: Deps) => {
  const byId = db.prepare('SELECT conversation_id, direction, send_at FROM messages WHERE org_id = ? AND id = ?')

  return (org: number, given: MessageCreate, conversation?: Conversation): FieldError[] => {
    const { forwards_message_id: id, direction, to } = given
    if (id === undefined || id === null) return []
    const wrong = (code: string, text: string) => [field('/forwards_message_id', code, text)]
    if (!conversation || direction !== 'outbound' || conversation.channel !== 'email')
      return wrong('not_outbound_email', 'must be omitted unless the message is an outbound email of a conversation')
    const message = byId.get(org, id) as Forwarded | undefined
    if (message?.conversation_id !== conversation.id || message.direction === 'note' || message.send_at !== null)
      return wrong('not_found', 'must be a message of this conversation that was sent or received, and no note')
    return to?.length ? [] : [field('/to', 'required', 'is required: those whom the message is passed on to')]
  }
})
