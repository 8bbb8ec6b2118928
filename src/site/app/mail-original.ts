import { pipeline } from 'node:stream'
import { attachmentHeader } from '../../http/file.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { columns } from '../../inbox/messages/message.ts'
import { messageStore } from '../../inbox/messages/messages.ts'
import { MAX_HEAD_BYTES, originalStore } from '../../inbox/messages/originals.ts'
import type { Caller } from '../../lib/caller.ts'
import { fileName } from '../../lib/file-name.ts'
import { UUID } from '../../lib/id.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import type { Handler } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { hidingTokens, withoutTokens } from '../rating/hide.ts'

/**
 * The original of a mail: /app/mail-original?message=ID is its header as text, and how much of it is kept;
 * /app/mail-original.eml?message=ID its bytes, to be saved. Both are for whoever sees the message. Nothing of it is ever a page
 * here: the header is a text inside JSON, and the bytes are a download of a type that no browser shows. Links by which a
 * customer answers how our answer was have dots for their tokens.
 */
export const mailOriginalHandlers = ({ deps }: Pick<ScreenParts, 'deps'>): Handler[] => {
  const { find } = messageStore(deps)
  const { byId } = conversationStore(deps)
  const originals = originalStore(deps)

  function messageOf(who: Caller, asked: unknown) {
    const id = String(asked ?? '')
    if (!UUID.test(id)) throw notFound()
    return columns.present(find(who, id))
  }

  return [
    {
      method: 'GET',
      path: '/app/mail-original',
      role: 'viewer',
      answer: async (ctx, { who }) => {
        const { id } = messageOf(who, ctx.query.message)
        const kept = originals.limits(who.org)
        const row = originals.find(who.org, id)
        if (!row) {
          ctx.body = { original: null, kept }
          return
        }
        const head = await originals.headOf(who.org, row)
        const { size_bytes, kept_bytes } = row
        const is_head_cut = head.length >= MAX_HEAD_BYTES
        ctx.body = { original: { size_bytes, kept_bytes, is_head_cut, header: textOf(withoutTokens(head)) }, kept }
      },
    },
    {
      method: 'GET',
      path: '/app/mail-original.eml',
      role: 'viewer',
      answer: (ctx, { who }) => {
        const { id, conversation_id } = messageOf(who, ctx.query.message)
        const row = originals.find(who.org, id)
        if (!row) throw new Problem(404, 'no_original', 'The original of this message is not kept.')
        const { subject } = byId(who, conversation_id)
        ctx.set({
          'Content-Type': 'application/octet-stream',
          'Content-Length': String(row.kept_bytes),
          'Content-Disposition': attachmentHeader(fileName(`${(subject ?? '').slice(0, 100) || 'mail'}.eml`)),
          'Content-Security-Policy': "default-src 'none'; sandbox",
        })
        const bytes = originals.read(who.org, row)
        const shown = hidingTokens()
        pipeline(bytes, shown, () => {}) // a failure of one ends the other, which the answer sees
        ctx.body = shown
      },
    },
  ]
}

/** Headers are UTF-8 or ASCII; of old programs they have one byte a character. Without NUL, which no screen shows. */
function textOf(head: Buffer): string {
  const text = new TextDecoder().decode(head)
  return (text.includes('\ufffd') ? head.toString('latin1') : text).replaceAll('\0', '\ufffd')
}
