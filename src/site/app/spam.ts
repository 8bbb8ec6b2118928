import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Need, Route } from '../../http/route.ts'
import { Conversation } from '../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { spamStore } from '../../inbox/conversations/spam.ts'
import * as f from '../../lib/fields.ts'

const Mark = f.object({
  confirm: f.optional(
    f.doc(v.boolean(), 'Needed for a contact with an open deal, and for our own domain: 409 without it.'),
  ),
})
const Release = f.object({ email: f.doc(f.line(320), 'As the list has it.') })

/** Spam, and whose mails are: docs/decisions/078-triage.md. */
export function spamRoutes(deps: Deps): Route<Need>[] {
  const { columns, find } = conversationStore(deps)
  const { mark, release, list } = spamStore(deps)
  return [
    {
      kind: 'write',
      method: 'post',
      path: '/conversations/:id/spam',
      role: 'member',
      name: 'conversation',
      summary: 'Mark a conversation as spam, and list its sender',
      body: Mark,
      returns: Conversation,
      status: 200,
      find: (who, id) => columns.present(find(who, id as string)),
      run: ({ who, record, body }) =>
        mark(who, record as Conversation, (body as v.InferOutput<typeof Mark>).confirm === true),
    },
    {
      kind: 'data',
      method: 'get',
      path: '/inbox/spam',
      role: 'viewer',
      name: 'inbox',
      summary:
        'Get whose mails are spam: who listed them, when, how many were held since, and the last; and which conversations are',
      read: ({ org }) => ({ json: JSON.stringify(list(org)) }),
    },
    {
      kind: 'write',
      method: 'post',
      path: '/inbox/spam/release',
      role: 'member',
      name: 'inbox',
      summary: 'Take a sender off the list of spam, with all that was held of them',
      body: Release,
      returns: f.object({ has_more: f.doc(v.boolean(), 'There are too many for one request: repeat it.') }),
      status: 200,
      audit: { action: 'spam.released' },
      run: ({ who, body }) => release(who, (body as v.InferOutput<typeof Release>).email),
    },
  ]
}
