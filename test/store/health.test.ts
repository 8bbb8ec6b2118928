import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Problem } from '../../src/lib/problem.ts'
import { type FailureReport, storageHealth } from '../../src/store/health.ts'
import { openStore } from '../../src/store/open.ts'
import { failureOf, storageProblem } from '../../src/store/sqlite/failures.ts'

const sqlite = (code: string) => Object.assign(new Error(`the text of ${code}`), { code })

function observed() {
  let now = 1_000_000
  const reports: FailureReport[] = []
  const health = storageHealth({ wall: () => now, report: (report) => void reports.push(report) })
  return {
    ...health,
    advance: (ms: number) => {
      now += ms
    },
    /** Returns what was reported since the last call. */
    reported: () => reports.splice(0).map(({ failure, omitted }) => [failure, omitted]),
  }
}

test('errors of the storage are told apart, and others are none', () => {
  const kinds = [
    ['SQLITE_CORRUPT', 'damaged'],
    ['SQLITE_CORRUPT_VTAB', 'damaged'],
    ['SQLITE_CORRUPT_INDEX', 'damaged'],
    ['SQLITE_NOTADB', 'damaged'],
    ['SQLITE_FULL', 'full'],
    ['SQLITE_IOERR_SHMSIZE', 'full'],
    ['SQLITE_BUSY', 'locked'],
    ['SQLITE_LOCKED_SHAREDCACHE', 'locked'],
    ['SQLITE_IOERR_READ', 'failed'],
    ['SQLITE_READONLY', 'failed'],
    ['SQLITE_CONSTRAINT_UNIQUE', undefined],
    ['SQLITE_ERROR', undefined],
    ['ENOSPC', undefined],
  ] as const
  for (const [code, failure] of kinds) assert.equal(failureOf(sqlite(code)), failure, code)
  for (const error of [new Error('x'), undefined, null, 'SQLITE_FULL']) assert.equal(failureOf(error), undefined)
})

test('a read and a write are answered each in its own words, and only passing failures ask for another try', () => {
  const problem = (code: string, access: 'read' | 'write') => storageProblem(sqlite(code), access) as Problem
  for (const [code, name, retry] of [
    ['SQLITE_CORRUPT', 'database_damaged', undefined],
    ['SQLITE_NOTADB', 'database_damaged', undefined],
    ['SQLITE_FULL', 'storage_full', '5'],
    ['SQLITE_BUSY', 'busy', '5'],
    ['SQLITE_IOERR', 'storage_failed', '5'],
  ] as const) {
    for (const access of ['read', 'write'] as const) {
      const made = problem(code, access)
      assert.deepEqual([made.status, made.code, made.headers?.['Retry-After']], [503, name, retry])
    }
    assert.match(problem(code, 'write').message, /nothing was written/i)
    if (code !== 'SQLITE_BUSY') assert.doesNotMatch(problem(code, 'read').message, /written/)
  }
  const other = new Error('of another kind')
  assert.equal(storageProblem(other), other)
})

test('each kind is reported once a minute, with a count of what was left out', () => {
  const { note, reported, advance } = observed()
  for (let count = 0; count < 5; count++) assert.equal(note(sqlite('SQLITE_IOERR')), true)
  assert.equal(note(sqlite('SQLITE_BUSY')), true)
  assert.deepEqual(reported(), [
    ['failed', 0],
    ['locked', 0],
  ])
  advance(59_999)
  note(sqlite('SQLITE_IOERR'))
  assert.deepEqual(reported(), [])
  advance(1)
  note(sqlite('SQLITE_IOERR'))
  note(sqlite('SQLITE_BUSY'))
  assert.deepEqual(reported(), [
    ['failed', 5],
    ['locked', 0],
  ])
  advance(-3_600_000) // the clock is set back
  note(sqlite('SQLITE_IOERR'))
  assert.deepEqual(reported(), [['failed', 0]])
  assert.equal(note(new Error('of another kind')), false)
  assert.deepEqual(reported(), [])
})

test('a problem that was made of an error counts once, however often it is noted, and one of another make not at all', () => {
  const { note, reported, advance, damage } = observed()
  const made = storageProblem(sqlite('SQLITE_NOTADB'))
  for (let count = 0; count < 3; count++) assert.equal(note(made), true)
  assert.deepEqual(reported(), [['damaged', 0]])
  assert.equal(damage(), 'SQLITE_NOTADB: the text of SQLITE_NOTADB')
  advance(60_000)
  note(sqlite('SQLITE_CORRUPT'))
  assert.deepEqual(reported(), [['damaged', 0]])
  assert.equal(damage(), 'SQLITE_NOTADB: the text of SQLITE_NOTADB', 'the first one stays')
  assert.equal(note(new Problem(503, 'stopping', 'It stops.')), false)
})

test('damage ends writes and deletions for good; a full disk without a reserve only what fails by itself', () => {
  const { note, refusal, isDiskFull, written } = observed()
  note(sqlite('SQLITE_FULL'))
  assert.deepEqual([isDiskFull(), refusal(), refusal({ frees: true })], [true, undefined, undefined])
  written()
  assert.equal(isDiskFull(), false)
  note(sqlite('SQLITE_CORRUPT'))
  written()
  assert.deepEqual([refusal()?.code, refusal({ frees: true })?.code], ['database_damaged', 'database_damaged'])
  assert.equal(note(refusal()), true)
})

test('writes of a later batch are refused when one before it has found damage, and so are transactions', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-health-'))
  const store = openStore(dataDir, { create: true })
  t.after(() => {
    store.close()
    rmSync(dataDir, { recursive: true })
  })
  let begun = 0
  const broken = store.write(() => {
    throw sqlite('SQLITE_CORRUPT')
  })
  const others = Array.from({ length: 300 }, () => store.write(() => ++begun)) // more than fit into two batches
  const ends = await Promise.allSettled([broken, ...others])
  for (const end of ends) assert.equal(end.status === 'rejected' && end.reason.code, 'database_damaged')
  assert.equal(begun, 0)
  assert.throws(() => store.transaction(() => ++begun), { code: 'database_damaged' })
  assert.equal(begun, 0)
})

test('damage that a transaction comes to is known from then on', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-health-'))
  const store = openStore(dataDir, { create: true })
  t.after(() => {
    store.close()
    rmSync(dataDir, { recursive: true })
  })
  const job = () => {
    throw sqlite('SQLITE_CORRUPT')
  }
  assert.throws(() => store.transaction(job), { code: 'SQLITE_CORRUPT' })
  assert.match(store.health.damage() ?? '', /SQLITE_CORRUPT/)
})
