import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inboxOf } from '../support/inbox.ts'
import { startServer } from '../support/server.ts'

const AHEAD_MS = 400 * 86_400_000

test('a message that came in while the clock was ahead is answered, and followed by others, when it was put right', async (t) => {
  const server = await startServer()
  t.after(server.stop)
  const { conversation, inMs, opened, say } = inboxOf(server)
  server.jump(AHEAD_MS)
  const { id, last_message_at } = await opened()
  server.jump(-AHEAD_MS)
  await say('outbound', id, { body_text: 'Answered', sent_at: inMs(0) })
  const answered = await conversation(id)
  assert.ok(answered.last_message_at < last_message_at)
  assert.deepEqual([answered.preview, answered.waiting_since], ['Answered', null])
  server.advance(1000)
  await say('inbound', id, { body_text: 'Thanks' })
  const { preview, waiting_since } = await conversation(id)
  assert.deepEqual([preview, waiting_since], ['Thanks', inMs(0)])
})
