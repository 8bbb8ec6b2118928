import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { importFile } from '../../src/imports/csv/import.ts'
import { importMeetings } from '../../src/imports/ics/import.ts'
import { undoImport } from '../../src/imports/journal/undo.ts'
import { BATCH_GAP_MS, MAX_BATCH_MS } from '../../src/store/batches.ts'
import { LOCK_RETRY_MS } from '../../src/store/commit.ts'
import { DATABASE } from '../../src/store/open.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { slowPace } from '../support/pace.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A row takes 10 ms on the clock of these tests, so that a transaction has time for four of them.

const ROW_MS = 10
const ROWS = 23
const FOURS = [4, 8, 12, 16, 20, 23]

let server: TestServer
/** The server on the same folder. */
let other: Connection
let folder: string
before(async () => {
  server = await startServer()
  folder = server.dataDir
  other = openSqlite(join(folder, DATABASE), { timeout: 0 })
})
after(async () => {
  other.close()
  await server.stop()
})

/** Counts the gaps, in each of which another process can write. */
function watchedPace() {
  const gaps: number[] = []
  const pace = slowPace(ROW_MS, (ms) => {
    gaps.push(ms)
    other.exec('BEGIN IMMEDIATE; ROLLBACK') // throws SQLITE_BUSY where the command has the lock
  })
  return { gaps, pace }
}

test('a gap is long enough for some tries of a server, and short beside a batch', () => {
  assert.ok(BATCH_GAP_MS >= 4 * LOCK_RETRY_MS)
  assert.ok(BATCH_GAP_MS < MAX_BATCH_MS && MAX_BATCH_MS < 50)
  assert.ok(Math.ceil(MAX_BATCH_MS / ROW_MS) === 4)
})

describe('an import', () => {
  const file = () => join(folder, 'people.csv')
  const contacts = () =>
    server.store.db.prepare('SELECT count(*) FROM contacts WHERE org_id = ?').pluck().get(server.a.org)
  let id: string

  test('frees the lock for a while when the time of a transaction is over', async () => {
    writeFileSync(file(), `Name\n${Array.from({ length: ROWS }, (_, n) => `Ana ${n}`).join('\n')}\n`)
    const { gaps, pace } = watchedPace()
    const done: number[] = []
    const options = { org: server.a.org, object: 'contact' as const, file: file(), pace }
    const result = await importFile(server.store, { ...options, onProgress: (rows) => done.push(rows) })
    assert.deepEqual([result.created, done], [ROWS, FOURS])
    assert.deepEqual(gaps, Array(FOURS.length).fill(BATCH_GAP_MS))
    id = result.id
  })

  test('that is taken back does so, too', async () => {
    const { gaps, pace } = watchedPace()
    const done: number[] = []
    const onProgress = (records: number) => void done.push(records)
    const { deleted } = await undoImport(server.store, { org: server.a.org, id, pace, onProgress })
    assert.deepEqual([deleted, done, contacts()], [ROWS, FOURS, 0])
    assert.equal(gaps.length, FOURS.length)
  })

  test('frees it also between the two runs of a batch that had something to undo', async () => {
    // The second row makes its company, and is refused then: its email is that of the first one.
    writeFileSync(file(), 'Name,Email,Company\nBo,bo@one.example,One\nCy,bo@one.example,Two\n')
    const { gaps, pace } = watchedPace()
    const result = await importFile(server.store, { org: server.a.org, object: 'contact', file: file(), pace })
    assert.deepEqual([result.created, result.rejected], [1, 1])
    // One after each run, and another one if upkeep of the search index was due.
    assert.ok(gaps.length >= 2)
    assert.ok(gaps.every((ms) => ms === BATCH_GAP_MS))
  })

  test('of meetings frees it, too', async () => {
    const event = (n: number) =>
      `BEGIN:VEVENT\r\nUID:${n}\r\nSUMMARY:Talk ${n}\r\nDTSTART:20261118T${String(n).padStart(2, '0')}0000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n`
    const events = Array.from({ length: ROWS }, (_, n) => event(n)).join('')
    writeFileSync(join(folder, 'm.ics'), `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events}END:VCALENDAR\r\n`)
    const { gaps, pace } = watchedPace()
    const done: number[] = []
    const options = { org: server.a.org, file: join(folder, 'm.ics'), pace }
    const result = await importMeetings(server.store, { ...options, onProgress: (rows) => done.push(rows) })
    assert.deepEqual([result.created, done], [ROWS, FOURS])
    assert.equal(gaps.length, FOURS.length)
  })

  test('that is only tried never takes the lock, and leaves nothing', async () => {
    writeFileSync(file(), 'Name,Email,Company\nDi,di@two.example,Two\nEd,di@two.example,Two\n')
    const was = contacts()
    other.exec('BEGIN IMMEDIATE') // another one writes all the time
    const tried = await importFile(server.store, {
      org: server.a.org,
      object: 'contact',
      file: file(),
      dryRun: true,
      onProgress: () => assert.deepEqual(readdirSync(folder).filter((name) => name.startsWith('dry-run-')).length, 1),
    })
    other.exec('ROLLBACK')
    assert.deepEqual([tried.created, tried.rejected, contacts()], [1, 1, was])
    mkdirSync(join(folder, 'dry-run-999999999-left')) // by a process that was killed
    await importFile(server.store, { org: server.a.org, object: 'contact', file: file(), dryRun: true })
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('dry-run-')),
      [],
    )
  })
})
