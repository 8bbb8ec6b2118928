import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeExport } from '../../../src/exports/write.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { night } from '../../../src/ops/backup/night.ts'
import { startNightly } from '../../../src/ops/backup/nightly.ts'
import { restoreBackup } from '../../../src/ops/backup/restore.ts'
import { lastBackup } from '../../../src/ops/backup/state.ts'
import { installedAt } from '../../../src/store/installation.ts'
import { openStore } from '../../../src/store/open.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { places } from './backup-fixture.ts'

const { temporaryFolder } = places()

const WRITERS = 4
let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

type Line = { id: string; version: number; title: string }
type Event = { seq: number; type: string; data: { object: Line } }

const linesOf = (folder: string, name: string): string[] =>
  readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')

test('a backup under load has one moment of the server: all that was acknowledged before, and nothing by half', async () => {
  const acknowledged = new Map<string, number>()
  let isDone = false
  let written = 0

  async function write(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const number = written++
      const { body } = await server.call('POST', '/deals', { title: `Deal ${number}` })
      acknowledged.set(body.id, body.version)
      const { body: changed } = await server.call('PATCH', `/deals/${body.id}`, { title: `Deal ${number}, changed` })
      acknowledged.set(changed.id, changed.version)
    }
  }

  await Promise.all(Array.from({ length: WRITERS }, () => write(() => written >= 20)))
  const before = new Map(acknowledged)
  const seqBefore = server.lastSeq()
  const folder = temporaryFolder()
  const nightly = startNightly({
    store: { ...server.store, clock: { ...server.store.clock, now: () => installedAt(server.store.db) + 2 * DAY_MS } },
    ...{ log: silentLog, dataDir: server.dataDir, at: '03:15', folder, timezone: 'UTC' },
    keep: { days: 7, weeks: 4, months: 6 },
  })
  const made = nightly.tick().then(() => {
    isDone = true
  })
  await Promise.all([made, ...Array.from({ length: WRITERS }, () => write(() => isDone))])
  await nightly.stop()

  const restored = join(temporaryFolder(), 'restored')
  restoreBackup({
    ...{ file: lastBackup(server.dataDir).last?.file as string, dataDir: restored, now: 0, dryRun: false },
    describe: () => undefined,
  })
  const [live, copy] = [join(temporaryFolder(), 'live'), join(temporaryFolder(), 'copy')]
  writeExport(server.store, server.a.org, live)
  const store = openStore(restored, { wall: server.now })
  const { last_seq, files } = writeExport(store, server.a.org, copy)
  store.close()

  assert.ok(last_seq >= seqBefore, 'what was acknowledged before is in it')
  assert.ok(last_seq < server.lastSeq(), 'writes went on while it was made')
  assert.deepEqual(linesOf(copy, 'events'), linesOf(live, 'events').slice(0, last_seq))
  const atThatMoment = new Map<string, Line>()
  for (const text of linesOf(live, 'events').slice(0, last_seq)) {
    const event = JSON.parse(text) as Event
    if (event.type.startsWith('deal.')) atThatMoment.set(event.data.object.id, event.data.object)
  }
  const found = linesOf(copy, 'deals').map((text) => JSON.parse(text) as Line)
  assert.deepEqual(new Map(found.map((deal) => [deal.id, deal])), atThatMoment)
  for (const [id, version] of before) assert.ok((found.find((each) => each.id === id)?.version ?? 0) >= version)
  // What the writers left alone is equal to the byte.
  const others = files.map(({ name }) => name).filter((name) => !/^(deals|events)\./.test(name))
  assert.ok(others.length > 10)
  for (const name of others) assert.ok(readFileSync(join(copy, name)).equals(readFileSync(join(live, name))), name)
})

test('without writes the copy is equal in every file of the export', () => {
  const folder = temporaryFolder()
  const options = { keep: { days: 1, weeks: 0, months: 0 }, timezone: 'UTC', mayPrune: false, now: server.now() }
  const { last } = night({ dataDir: server.dataDir, folder, installation: server.store.installation, ...options })
  const restored = join(temporaryFolder(), 'restored')
  restoreBackup({ file: last?.file as string, dataDir: restored, now: 0, dryRun: false, describe: () => undefined })
  const [live, copy] = [join(temporaryFolder(), 'live'), join(temporaryFolder(), 'copy')]
  const store = openStore(restored, { wall: server.now })
  const { files } = writeExport(server.store, server.a.org, live)
  assert.deepEqual(writeExport(store, server.a.org, copy).files, files)
  store.close()
})
