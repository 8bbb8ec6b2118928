import { searchIndex } from '../../store/search/search.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { Conversation } from './conversation.ts'
import { MAX_WORDS, wordsIn, wordsOfAll } from './message-effects.ts'

type Named = Pick<Conversation, 'id' | 'subject'>

/** The words by which a conversation is found: of its subject and its messages. */
export function conversationWords(db: Database) {
  const search = searchIndex(db, 'conversation')
  const texts = db
    .prepare('SELECT body_text FROM messages WHERE org_id = ? AND conversation_id = ? AND send_at IS NULL')
    .pluck()

  /** Writes them anew: messages were moved, or a person is erased. */
  const reindex = (org: number, record: Named): void => search.put(org, record.id, wordsNow(org, record))

  const wordsNow = (org: number, { id, subject }: Named): string[] => wordsOfAll(subject, wordsOfMessages(org, id))

  /** Returns the words of its messages, reading no more of them than the search index can hold. */
  function wordsOfMessages(org: number, id: string): Set<string> {
    const words = new Set<string>()
    for (const text of texts.iterate(org, id) as IterableIterator<string>) {
      for (const word of wordsIn(text)) words.add(word)
      if (words.size >= MAX_WORDS) break
    }
    return words
  }

  return { reindex, wordsNow }
}
