import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openServedStore } from '../../src/cli/serve/served-store.ts'
import { silentLog } from '../../src/lib/log.ts'
import { backupsFolder } from '../../src/ops/backup/folders.ts'
import { unwatchOrg, watchOrg } from '../../src/ops/moves/changed-rows.ts'
import { recordsOf } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// While an organisation is paused, what writes for it waits. Only a command may wait by blocking its thread: that of a
// server has the requests of all others.

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the store of a server has no method that blocks, for types and at run time', () => {
  const store = openServedStore(server.dataDir, silentLog, { backupDir: backupsFolder(server.dataDir) })
  try {
    // @ts-expect-error: with such a method in the type of the server's store, this line is an error.
    assert.equal(store.transaction, undefined)
    assert.equal(Object.hasOwn(store, 'transaction'), false)
  } finally {
    store.close()
  }
})

test('a write at once throws for a paused organisation, where a command waits until it goes on', async (t) => {
  const { store, a } = server
  const tag = await newRecord('/tags', { name: 'T' })
  const set = store.db.prepare('UPDATE orgs SET state = ? WHERE id = ?')
  store.transaction(() => {
    watchOrg(store.db, a.org, a.id)
    set.run('paused', a.org)
  })
  let waits = 0
  const goOn = () => {
    if (++waits === 3) set.run('open', a.org)
    return 'timed-out' as const
  }
  t.mock.method(Atomics, 'wait', goOn)
  const change = () => void store.db.prepare("UPDATE tags SET name = name || 'x' WHERE id = ?").run(tag.id)
  assert.throws(() => store.writeAtOnce(change), { status: 503, code: 'moving' })
  assert.equal(waits, 0)
  store.transaction(change)
  assert.equal(waits, 3)
  store.transaction(() => unwatchOrg(store.db))
  assert.equal((await server.call('GET', `/tags/${tag.id}`)).body.name, 'Tx')
})
