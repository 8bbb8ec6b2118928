import type { Connection } from '../../sqlite/driver.ts'

/**
 * Makes the owner of each deal one of the words that it is found by. The index gets only the new words: it has one list of
 * documents for each word, whichever entry brought them.
 */
export function addOwnerWords(db: Connection): void {
  const doc = 'doc.kind = 0 AND deal.org_id = doc.org_id AND deal.id = doc.record_id AND deal.owner_id IS NOT NULL'
  const word = "char(65536 + 16 * doc.org_id, 57344) || replace(deal.owner_id, '-', '')" // 57344 is U+E000
  db.exec(`INSERT INTO search (rowid, words)
    SELECT doc.docid, ${word} FROM search_docs AS doc CROSS JOIN deals AS deal WHERE ${doc} ORDER BY doc.docid`)
  db.exec(`UPDATE search_docs AS doc SET words = ltrim(doc.words || ' ' || ${word}) FROM deals AS deal WHERE ${doc}`)
  db.exec('DROP INDEX deals_amount')
  db.exec('CREATE INDEX deals_amount ON deals (org_id, amount_micros, id, owner_id)')
}
