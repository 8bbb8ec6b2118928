import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexes } from '../../../src/store/list/indexes.ts'
import { startServer } from '../../support/server.ts'

test('an index of all rows is taken before one that has only some of them, whatever their names', async () => {
  const server = await startServer()
  try {
    const { db } = server.store
    const indexOf = indexes(db)
    assert.equal(indexOf('conversations', 'owner_id'), 'conversations_owner')
    // Where there is no other, a condition that fits it can use it.
    assert.equal(indexOf('conversations', 'spam_at'), 'conversations_spam')
    // No column of the lists has only a part of an index, but for that.
    const columns = ['status', 'priority', 'channel', 'contact_id', 'waiting_since', 'due_rank', 'last_message_at']
    const partial = db.prepare("SELECT partial FROM pragma_index_list('conversations') WHERE name = ?").pluck()
    for (const column of columns) assert.equal(partial.get(indexOf('conversations', column)), 0, column)
  } finally {
    await server.stop()
  }
})
