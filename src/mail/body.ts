import { MAX_STORED_HTML_BYTES } from '../inbox/messages/message.ts'
import { shownHtml, textIn } from '../inbox/messages/texts.ts'
import type { MailIn } from '../lib/mail/mail.ts'

export type Content = { text: string; html: string | null; notes: string[] }

/** What a message stores of the text of a mail, with what was written to the answer of a calendar. */
export function bodyOf({ text: given, html, invitations }: MailIn): Content {
  const comments = invitations.map(({ comment }) => comment ?? '').filter((comment) => !given.includes(comment))
  const text = [given, ...new Set(comments)].filter(Boolean).join('\n\n')
  const shown = html === null ? null : shownHtml(html) || null
  if (shown === null || Buffer.byteLength(shown) <= MAX_STORED_HTML_BYTES)
    return { text: text.trim() ? text : textIn(shown ?? ''), html: shown, notes: [] }
  const plain = text.trim() ? text : textIn(shown).slice(0, 262_144)
  return { text: plain, html: null, notes: ['Its HTML was too long to store; only the text was stored.'] }
}
