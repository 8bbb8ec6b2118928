import type * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { Conversation } from '../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { moveStore } from '../../inbox/conversations/moves.ts'
import { draftFileStore } from '../../inbox/messages/draft-files.ts'
import { type Message, columns as messageColumns } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import * as f from '../../lib/fields.ts'
import { draftStore } from '../../personal/drafts.ts'

const Merge = f.object({
  into_id: f.doc(f.id, 'The conversation that stays. One that was merged itself stands for where its messages are.'),
})

const ToMailbox = f.object({
  mailbox_id: f.doc(f.id, 'The mailbox whose view it stands in from then on, and which replies leave by.'),
})

/** Merging conversations, moving them to another mailbox, and splitting a message off: docs/decisions/078-triage.md. */
export function triageRoutes(deps: Deps): Route<Need>[] {
  const { columns, find } = conversationStore(deps)
  const { find: findMessage } = messageStore(deps)
  const { merge, split, toMailbox } = moveStore(deps)
  const drafts = draftStore(deps)
  const files = draftFileStore(deps)
  const common = { kind: 'write', method: 'post', role: 'member' } as const
  return [
    {
      ...common,
      path: '/conversations/:id/merge',
      name: 'conversation',
      summary: 'Merge a conversation into another one',
      body: Merge,
      returns: Conversation,
      status: 200,
      find: (who, id) => columns.present(find(who, id as string)),
      run: ({ who, record, body }) => {
        const { into_id } = body as v.InferOutput<typeof Merge>
        const after = merge(who, record as Conversation, into_id)
        for (const kind of DRAFTS) {
          const [from, to] = [record, after].map(({ id }) => `${kind}:conversations:${id}`) as [string, string]
          drafts.carry(who.org, from, to)
          files.carry(who.org, from, to)
        }
        return after
      },
    },
    {
      ...common,
      path: '/conversations/:id/mailbox',
      name: 'conversation',
      summary: 'Move a conversation to another mailbox',
      body: ToMailbox,
      returns: Conversation,
      status: 200,
      find: (who, id) => columns.present(find(who, id as string)),
      run: ({ who, record, body }) =>
        toMailbox(who, record as Conversation, (body as v.InferOutput<typeof ToMailbox>).mailbox_id),
    },
    {
      ...common,
      path: '/messages/:id/split',
      name: 'message',
      summary: 'Make a message a conversation of its own',
      returns: Conversation,
      status: 201,
      find: (who, id) => messageColumns.present(findMessage(who, id as string)),
      run: ({ who, record }) => split(who, record as Message),
    },
  ]
}

/** What a member has begun in a conversation. */
const DRAFTS = ['reply', 'aside', 'inbox-note', 'task']
