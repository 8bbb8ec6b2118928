import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { attachmentStore } from '../../../src/inbox/messages/attachments.ts'
import { contentOf } from '../../../src/inbox/messages/contents.ts'
import { largeFiles } from '../../../src/mail/sync/large-files.ts'
import { inboxOf } from '../../support/inbox.ts'
import type { Row } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The files of a large mail are written before the transaction that imports it, one chunk at a time.

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
const mailOf = (...sizes: number[]) => {
  const files = sizes.map((size, at) => {
    const bytes = Buffer.alloc(size, String(at))
    return { name: `${at}`, content_type: 'a/b', bytes, sha256: contentOf(bytes).sha256 }
  })
  return { files } as never
}
/** Adds the first file to a message, as the import of a mail does. */
const use = ({ files: [file] }: { files: { name: string; content_type: string; bytes: Buffer }[] }) => {
  const { attachmentOf, add } = attachmentStore(server.deps)
  assert.ok(file)
  return write(() => void add(server.a.org, message.id, attachmentOf(file, contentOf(file.bytes))))
}

test('they are there when the mail is imported, and what it does not use is deleted', async () => {
  const mail = mailOf(4 * MIB, MIB)
  await largeFiles(server.store.db, write).ready(server.a.org, mail, () => {
    assert.deepEqual([rows(), writes], [[2, 8, 0], 8])
    return use(mail)
  })
  assert.deepEqual(rows(), [1, 6, 1])
})

test('a mail that cannot be imported leaves nothing', async () => {
  const before = rows()
  const why = new Error('It is wrong.')
  const failing = largeFiles(server.store.db, write).ready(server.a.org, mailOf(5 * MIB), async () => {
    throw why
  })
  await assert.rejects(failing, why)
  assert.deepEqual(rows(), before)
})

test('those of other mails are written with it', async () => {
  const { ready } = largeFiles(server.store.db, write)
  await ready(server.a.org, mailOf(2 * MIB, 2 * MIB), async () => assert.equal(writes, 0))
  assert.equal(writes, 0)
})
