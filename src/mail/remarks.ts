import type { Draft } from '../inbox/messages/message-writer.ts'
import type { Role } from './internal-mails.ts'

const NONE = 'Forwarded without a remark.'

/** What a colleague wrote above the mail that they forward, as a note. */
export function remarkOf(
  { forwarded, author, doubt }: Extract<Role, { kind: 'forward' }>,
  { at, date, external_id }: Pick<Draft, 'at' | 'date' | 'external_id'>,
): Draft {
  return {
    direction: 'note',
    body_text: forwarded.remark || NONE,
    body_html: null,
    author,
    at,
    // By which a copy of the same mail is known.
    date: date ?? null,
    external_id,
    files: [],
    in_reply_to: null,
    status: 'sent',
    error: doubt ?? null,
    isAnswer: false,
  }
}

const MAX_ERROR = 2048

/** What is to be said about a mail, one sentence each. */
export const errorOf = (notes: readonly string[]): string | null =>
  notes.filter(Boolean).join(' ').slice(0, MAX_ERROR).toWellFormed() || null

/** Of a forward, the note says it. */
export const doubtOf = (role: Role): string =>
  role.kind === 'note' || role.kind === 'received' ? (role.doubt ?? '') : ''
