import { foldWhole } from '../../lib/pure/fold.ts'
import { matches, queryOf, wordsOf } from '../../lib/words.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { namesIn, wordsIn, wordsOfMessage } from './message-effects.ts'
import { saidIn } from './words.ts'

/** Why a conversation was found: the line of a message with what was searched for. */
export type Hit = { conversation_id: string; message_id: string; kind: 'text' | 'name'; text: string }

/** How many characters of texts, names and files are looked through for one request. */
const MAX_READ = 2_097_152
/** What a message costs beside its characters, and how many of one conversation are read: short mails take time, too. */
const COST_OF_ONE = 200
const MAX_MESSAGES = 500
/** Of a line that is longer, what is around the hit. */
const MAX_LINE = 160
const BEFORE = 15

type Row = { id: string; body_text: string; author: string; sent_to: string; sent_cc: string; attachments: string }

/** What is read of one conversation, the newest message first; and the one with a number. */
export const SQL = {
  text: `SELECT id, body_text, author, sent_to, sent_cc, attachments FROM messages INDEXED BY messages_conversation
     WHERE org_id = ? AND conversation_id = ? AND send_at IS NULL ORDER BY id DESC LIMIT ${MAX_MESSAGES}`,
  number: 'SELECT id FROM conversations WHERE org_id = ? AND number = ? AND is_merged = 0',
}

/** Finds where in conversations the words of a search are, in the newest message that has the most of them. */
export function searchHits(db: Database) {
  const messages = db.prepare(SQL.text)
  const byNumber = db.prepare(SQL.number).pluck()

  /** The conversation with this number, if the text is one alone: 4507 or #4507. */
  function numbered(org: number, text: string): string | null {
    const [, digits] = /^\s*#?(\d{1,15})\s*$/.exec(text) ?? []
    return digits === undefined ? null : ((byNumber.get(org, Number(digits)) as string | undefined) ?? null)
  }

  /** Of conversations with no message that has any of the words, as where the subject alone has them, there is nothing. */
  function hitsIn(org: number, ids: readonly string[], text: string): Hit[] {
    const words = [...new Set(queryOf(text).flat())]
    let left = MAX_READ
    const hits: Hit[] = []
    for (const id of ids) {
      let best: { row: Row; count: number } | undefined
      for (const row of messages.iterate(org, id) as IterableIterator<Row>) {
        const count = countIn(wordsOfMessage(saidIn(row)), words)
        if (count > (best?.count ?? 0)) best = { row, count }
        left -= costOf(row)
        if (count === words.length || left <= 0) break
      }
      if (best) hits.push({ conversation_id: id, message_id: best.row.id, ...lineIn(best.row, words) })
      if (left <= 0) break
    }
    return hits
  }

  return { numbered, hitsIn }
}

const costOf = ({ body_text, author, sent_to, sent_cc, attachments }: Row): number =>
  [body_text, author, sent_to, sent_cc, attachments].reduce((cost, { length }) => cost + length, COST_OF_ONE)

const countIn = (found: readonly string[], words: readonly string[]): number => {
  const joined = found.join(' ')
  return words.filter((word) => matches(joined, [[word]])).length
}

/** The line of a message with the most of the words; one of its text before a name. */
function lineIn(row: Row, words: readonly string[]): Pick<Hit, 'kind' | 'text'> {
  const best = { kind: 'text' as Hit['kind'], text: '', count: 0 }
  const look = (kind: Hit['kind'], text: string): void => {
    const count = countIn(kind === 'text' ? wordsIn(text) : wordsOf([text]), words)
    if (count > best.count) Object.assign(best, { kind, text, count })
  }
  for (const line of row.body_text.split('\n')) look('text', line.trim())
  for (const name of namesIn(saidIn(row))) look('name', name)
  return { kind: best.kind, text: around(best.text, words) }
}

/** The part of a line around the first of the words. Folding changes few lengths, so its place is near enough. */
function around(text: string, words: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ')
  if (line.length <= MAX_LINE) return line
  const folded = foldWhole(line)
  const places = words.map((word) => folded.indexOf(word)).filter((at) => at >= 0)
  const first = places.length === 0 ? 0 : Math.min(...places)
  const start = first <= BEFORE ? 0 : line.lastIndexOf(' ', first - BEFORE) + 1 || first - BEFORE
  const end = start + MAX_LINE
  return `${start > 0 ? '…' : ''}${line.slice(start, end).toWellFormed()}${end < line.length ? '…' : ''}`
}
