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
