import type { Deps } from '../../deps.ts'
import { createRoute, type Route } from '../../http/route.ts'
import { downloadRoute, MAX_BODY_BYTES, messageForm } from './attachments.ts'
import { heldStore } from './held.ts'
import { columns, Message, MessageCreate } from './message.ts'
import { filters, messageStore, sorts } from './messages.ts'

export const messages = (deps: Deps): Route[] => {
  const { post, find, show, open } = messageStore(deps)
  const { cancel } = heldStore(deps)
  return [
    {
      kind: 'list',
      method: 'get',
      path: '/conversations/:id/messages',
      scope: 'rest.inbox.conversations.read',
      name: 'message',
      operation: 'listMessagesOfConversation',
      summary: 'List the messages of a conversation',
      item: Message,
      open,
      filters,
      sorts,
    },
    createRoute({
      path: '/messages',
      scope: 'rest.inbox.messages.write',
      name: 'message',
      summary: 'Send or record a message',
      description:
        'Adds a message to a conversation or, with a `channel` and a `contact_id` or `from`, opens a new conversation. An inbound message reopens a conversation that is closed, snoozed or pending; an outbound message of a member answers it; a note does neither. Files can be sent in base64 or, smaller and faster, in a form (`multipart/form-data`): its part `message` has the JSON, and every part with a file name is an attachment. The body can have up to 54 MiB.',
      body: MessageCreate,
      returns: Message,
      form: messageForm(deps, MessageCreate),
      maxBytes: MAX_BODY_BYTES,
      replays: 'The stored message with this `external_id`.',
      run: ({ who, body, files }) => post(who, body, files),
    }),
    {
      kind: 'read',
      method: 'get',
      path: '/messages/:id',
      scope: 'rest.inbox.messages.read',
      name: 'message',
      summary: 'Get one message',
      parameters: {
        include: {
          schema: { type: 'string', enum: ['attachments'] },
          description: 'With `attachments`, each attachment has its `data` in base64.',
        },
      },
      columns,
      returns: Message,
      find,
      show,
    },
    {
      kind: 'write',
      method: 'post',
      path: '/messages/:id/cancel',
      scope: 'rest.inbox.messages.write',
      name: 'message',
      operation: 'cancelMessage',
      summary: 'Take a held message back',
      description:
        'Deletes an email that is held until its `send_at`, and answers with it as it was. One that has left, or was never held, is 409 `not_held`.',
      returns: Message,
      status: 200,
      find: (who, id) => columns.present(find(who, id as string)),
      run: ({ who, record }) => {
        cancel(who, record as Message)
        return record as Message
      },
    },
    downloadRoute(deps),
  ]
}
