import { searchIndex } from '../../store/search/search.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { Conversation } from './conversation.ts'
import { MAX_WORDS, type Said, wordsIn, wordsOfAll, wordsOfMessage } from './message-effects.ts'

type Named = Pick<Conversation, 'id' | 'subject'>

type Row = {
  body_text: string
  author: string
  sent_to: string
  sent_cc: string
  attachments: string
  copies: string
}

/** What is said in a row of a message. */
export const saidIn = ({ body_text, author, sent_to, sent_cc, attachments }: Omit<Row, 'copies'>): Said => ({
  body_text,
  author: JSON.parse(author),
  to: JSON.parse(sent_to),
  cc: JSON.parse(sent_cc),
  attachments: JSON.parse(attachments),
})

/** The words by which a conversation is found: of its subject and its messages. */
export function conversationWords(db: Database) {
  const search = searchIndex(db, 'conversation')
  const texts = db.prepare(
    `SELECT body_text, author, sent_to, sent_cc, attachments, copies FROM messages
       WHERE org_id = ? AND conversation_id = ? AND send_at IS NULL`,
  )

  /** Writes them anew: messages were moved, or a person is erased. */
  const reindex = (org: number, record: Named): void => search.put(org, record.id, wordsNow(org, record))

  const wordsNow = (org: number, { id, subject }: Named): string[] => wordsOfAll(subject, wordsOfMessages(org, id))

  /** Returns the words of its messages, reading no more of them than the search index can hold. */
  function wordsOfMessages(org: number, id: string): Set<string> {
    const words = new Set<string>()
    for (const row of texts.iterate(org, id) as IterableIterator<Row>) {
      for (const word of wordsOfMessage(saidIn(row))) words.add(word)
      for (const { body_text } of JSON.parse(row.copies) as { body_text: string | null }[])
        for (const word of wordsIn(body_text ?? '')) words.add(word)
      if (words.size >= MAX_WORDS) break
    }
    return words
  }

  return { reindex, wordsNow }
}
