import { randomUUID } from 'node:crypto'
import type * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { UploadedFile } from '../../http/body/form-parts.ts'
import { createRoute, isRepeated, type Need, type Repeated, type Route } from '../../http/route.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { MAX_FILES } from '../../inbox/messages/attachments.ts'
import { draftFileStore } from '../../inbox/messages/draft-files.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import { heldStore } from '../../inbox/messages/held.ts'
import { columns, Message, MessageCreate } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { writtenHtml } from '../../inbox/messages/written-html.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { checkDraftKey } from '../../personal/drafts.ts'
import { noticeQueue } from '../../personal/notices.ts'

const DraftFiles = f.object({ key: f.line(200), ids: f.arrayOf(f.id, MAX_FILES) })

export const Sent = f.object({
  ...MessageCreate.entries,
  draft_files: f.optional(f.doc(DraftFiles, 'Files of a draft of mine, which become attachments in this order.')),
})

export type Sent = v.InferOutput<typeof Sent>

const TakenBack = f.object({ key: f.line(200) })

/** Sends what the screens send: with the files of a draft, and to people who may be new here. Call it in a transaction. */
export const sentMessages = once((deps: Deps) => {
  const { post } = messageStore(deps)
  const { take, drop } = draftFileStore(deps)
  const { contactOf } = senders(deps)
  const { byId } = conversationStore(deps)
  const notices = noticeQueue(deps)

  /** A new mail opens a conversation with the first of those whom it goes to, who may be new here. */
  function withContact(who: Caller, given: MessageCreate): MessageCreate {
    const { conversation_id, contact_id, direction, to: [first] = [] } = given
    if (conversation_id !== undefined || contact_id !== undefined || direction !== 'outbound' || !first) return given
    return { ...given, contact_id: contactOf(who, first).id }
  }

  /** What a member marks in a mail leaves as HTML, too, with the pictures that stand in it. */
  function withHtml(
    who: Caller,
    given: MessageCreate,
    files: readonly UploadedFile[],
  ): [MessageCreate, UploadedFile[]] {
    const { body_text = '', body_html, direction, conversation_id, channel } = given
    const isMail = (conversation_id ? byId(who, conversation_id).channel : channel) === 'email'
    if (direction !== 'outbound' || !isMail || body_html || !body_text) return [given, [...files]]
    const cids = new Map<string, string>()
    const html = writtenHtml(body_text, (name) => {
      if (!files.some((file) => file.name === name && file.content_type.startsWith('image/'))) return undefined
      if (!cids.has(name)) cids.set(name, newCid())
      return cids.get(name)
    })
    if (html === null) return [given, [...files]]
    return [{ ...given, body_html: html }, files.map((file) => ({ ...file, ...cidOf(cids.get(file.name)) }))]
  }

  function send(who: Caller, { draft_files, ...rest }: Sent): Message | Repeated<Message> {
    const asked = withContact(who, rest)
    if (!draft_files) return post(who, ...withHtml(who, asked, []))
    const { key } = draft_files
    const ids = [...new Set(draft_files.ids)]
    const made = post(who, ...withHtml(who, asked, take(who, key, ids)))
    if (!isRepeated(made)) drop(who, key, ids)
    notices.put(who.org, who.member, { kind: 'draft_files', key })
    return made
  }

  return { send }
})

const newCid = (): string => `${randomUUID()}@dealbox`
const cidOf = (cid: string | undefined): { cid?: string } => (cid === undefined ? {} : { cid })

/** What the screens send: a message takes the files of a draft over, and gives them back. */
export function messageRoutes(deps: Deps): Route<Need>[] {
  const { find } = messageStore(deps)
  const { send } = sentMessages(deps)
  const { cancel, sendNow } = heldStore(deps)
  const { copy } = draftFileStore(deps)
  const notices = noticeQueue(deps)
  const common = { role: 'member', name: 'message' } as const
  const held = {
    ...common,
    kind: 'write',
    method: 'post',
    returns: Message,
    status: 200,
    find: (who: Caller, id?: string) => columns.present(find(who, id as string)),
  } as const

  const tell = ({ org, member }: Caller, key: string): void => notices.put(org, member, { kind: 'draft_files', key })

  return [
    createRoute({
      ...common,
      path: '/messages',
      summary: 'Send a message with the files of my draft',
      description:
        'As `POST /messages`, and an email with `to` that opens a conversation needs no `contact_id`: its contact is the first of them, who is made if nobody has the address.',
      body: Sent,
      returns: Message,
      replays: 'The stored message with this `external_id`.',
      run: ({ who, body }) => send(who, body),
    }),
    {
      ...held,
      path: '/messages/:id/send-now',
      summary: 'Let a held message go at once',
      run: ({ who, record }) => sendNow(who, record as Message),
    },
    {
      ...held,
      path: '/messages/:id/take-back',
      summary: 'Take a held message back, and its files into my draft',
      body: TakenBack,
      run: ({ who, record, body }) => {
        const { key } = body as v.InferOutput<typeof TakenBack>
        checkDraftKey(key)
        copy(who, key, record.id, { isBack: true })
        cancel(who, record as Message)
        tell(who, key)
        return record as Message
      },
    },
  ]
}
