import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { attachmentStore } from '../../src/inbox/messages/attachments.ts'
import { type Content, contentOf } from '../../src/inbox/messages/contents.ts'
import { largeFiles } from '../../src/inbox/messages/large-files.ts'
import { inboxOf } from '../support/inbox.ts'
import { type Row, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Large files are written before the transaction of their message, one chunk at a time.

const MIB = 1_048_576
let server: TestServer
let message: Row
let writes = 0
before(async () => {
  server = await startServer()
  message = await inboxOf(server).say('inbound')
})
after(() => server.stop())
beforeEach(() => {
  writes = 0
})

const write: TestServer['store']['write'] = (job) => {
  writes++
  return server.store.write(job)
}
const rows = () =>
  ['file_contents', 'file_chunks', 'attachments'].map((table) =>
    server.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  )
const contentsOf = (...sizes: number[]) => sizes.map((size, at) => contentOf(Buffer.alloc(size, String(at))))
/** Adds a file to a message, as an import or a request does. */
const use = (content: Content) => {
  const { attachmentOf, add } = attachmentStore(server.deps)
  return write(() => void add(server.a.org, message.id, attachmentOf({ name: 'a' }, content)))
}
const ready = (contents: Content[], take: () => Promise<void>) =>
  largeFiles(server.store.db).ready(write, server.a.org, contents, take)

test('they are there when the message is written, and what it does not use is deleted', async () => {
  const [used, other] = contentsOf(4 * MIB, MIB) as [Content, Content]
  await ready([used, other], () => {
    assert.deepEqual([rows(), writes], [[2, 8, 0], 8])
    return use(used)
  })
  assert.deepEqual(rows(), [1, 6, 1])
})

test('a message that is refused leaves nothing', async () => {
  const before = rows()
  const why = new Error('It is wrong.')
  const failing = ready(contentsOf(5 * MIB), async () => {
    throw why
  })
  await assert.rejects(failing, why)
  assert.deepEqual(rows(), before)
})

test('small ones are written with it', async () => {
  await ready(contentsOf(MIB / 2, MIB / 2), async () => assert.equal(writes, 0))
  assert.equal(writes, 0)
})

test('those of a form are among them, and nothing is left of one that is refused', async () => {
  const before = rows()
  const post = (given: object) => {
    const parts = [
      ['name="message"', JSON.stringify(given)],
      ['name="file"; filename="a"', 'x'.repeat(3 * MIB)],
    ].map(([name, body]) => `--XX\r\nContent-Disposition: form-data; ${name}\r\n\r\n${body}\r\n`)
    const headers = { 'content-type': 'multipart/form-data; boundary=XX' }
    return server.call('POST', '/messages', undefined, { raw: `${parts.join('')}--XX--\r\n`, headers })
  }
  const staged: unknown[] = []
  const unsubscribe = server.store.committed.subscribe(() => staged.push(rows()[1]))
  assert.equal((await post({ direction: 'note', conversation_id: UNKNOWN })).status, 422)
  assert.deepEqual([rows(), staged.includes((before[1] as number) + 4)], [before, true])
  assert.equal((await post({ direction: 'note', conversation_id: message.conversation_id })).status, 201)
  unsubscribe()
  assert.deepEqual(rows(), [(before[0] as number) + 1, (before[1] as number) + 4, (before[2] as number) + 1])
})
