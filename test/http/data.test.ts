import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { cursorSecret } from '../../src/auth/keys.ts'
import { cursors } from '../../src/http/cursor.ts'
import { answerData } from '../../src/http/data.ts'
import type { DataRoute, Need } from '../../src/http/route.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Large answers are compressed once for all who ask the same: of one organisation, and with one query.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the compressed answer that is kept is that of the organisation and the query', async () => {
  let reads = 0
  let newest = 'now'
  const route: DataRoute & Need = {
    kind: 'data',
    method: 'get',
    path: '/large',
    role: 'viewer',
    name: 'large',
    summary: 'Get something large',
    parameters: { of: { schema: { type: 'string' }, description: 'What of.' } },
    shared: true,
    newest: () => newest,
    read: ({ org }, _ids, { given }) => {
      reads++
      return { json: JSON.stringify({ org, of: given.get('of'), text: 'x'.repeat(70_000) }) }
    },
  }
  const sealed = cursors(cursorSecret(server.dataDir))
  async function ask(org: number, of: string): Promise<{ org: number; of: string }> {
    const req = { headers: { 'accept-encoding': 'gzip' } } as unknown as IncomingMessage
    const target = { path: '/large', query: `of=${of}`, req }
    const { status, body } = await answerData(route, { org, member: null }, [], target, sealed)
    assert.equal(status, 200)
    const { org: about, of: asked } = JSON.parse(gunzipSync(body as Buffer).toString())
    return { org: about, of: asked }
  }

  for (const org of [1, 2]) for (const which of ['a', 'b']) assert.deepEqual(await ask(org, which), { org, of: which })
  assert.equal(reads, 4)
  for (const org of [1, 2]) for (const which of ['a', 'b']) assert.deepEqual(await ask(org, which), { org, of: which })
  assert.equal(reads, 4, 'each was kept')
  newest = 'later'
  await ask(1, 'a')
  assert.equal(reads, 5, 'and is made again after a change')
})
