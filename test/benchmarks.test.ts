import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOthers, withSection } from '../scripts/bench/report.ts'
import { judged } from '../scripts/bench/soak/judge.ts'
import type { Sample } from '../scripts/bench/soak/sample.ts'
import { soakText } from '../scripts/bench/soak/text.ts'

test('sections of the benchmarks that were not measured stay as they are', () => {
  const before =
    '# Benchmarks\n\nOld\n\n## Deals\n\nold\n\n## Screens\n\n### Small\n\nkept\n\n## Under attack\n\nkept\n'
  assert.equal(
    withOthers('# Benchmarks\n\nNew\n\n## Deals\n\nnew\n\n## Import\n\nnew\n', before),
    '# Benchmarks\n\nNew\n\n## Deals\n\nnew\n\n## Import\n\nnew\n\n## Screens\n\n### Small\n\nkept\n\n## Under attack\n\nkept\n',
  )
  assert.equal(withOthers(before, before), before, 'and with all measured, nothing is kept twice')
})

test('a section that was measured alone takes the place of the one before', () => {
  const page = '# Benchmarks\n\nWords\n\n## Soak\n\nold\n\n## Soak of others\n\nkept\n'
  const after = '# Benchmarks\n\nWords\n\n## Soak\n\nnew\n\n## Soak of others\n\nkept\n'
  assert.equal(withSection('## Soak\n\nnew\n', page), after)
  assert.equal(withSection('## Soak\n\nnew\n', after), after)
  assert.equal(withSection('## Soak\n\nnew\n', '# Benchmarks\n'), '# Benchmarks\n\n## Soak\n\nnew\n')
})

/** An hour in which everything stays the same, except for what is given for a minute. */
const hour = (more: (minute: number) => Partial<Sample>): Sample[] =>
  Array.from({ length: 60 }, (_, index) => {
    const wait = { count: 1000, p50: 2, p99: 20, max: 100 }
    return {
      ...{
        minute: index + 1,
        days: index,
        rssMb: 300,
        heapMb: 90,
        externalMb: 9,
        cpuShare: 0.3,
        lagP99Ms: 2,
        lagMaxMs: 50,
      },
      ...{
        databaseMb: 60,
        usedMb: 50,
        logMb: 8,
        descriptors: 50,
        connections: 10,
        threads: 15,
        backups: 9,
        nights: index,
      },
      ...{ jobs: { due: 0, later: 9, running: 0, givenUp: 0 }, deliveries: 0, mailsToImport: 0, sent: {}, logged: {} },
      ...{ rows: { deals: 10_000 + index, events: 40_000 }, streams: { events: 9, signedIn: 1 } },
      ...{ chores: { imports: 9, undone: 6, exports: 3, failed: 0 } },
      ...{ requests: 3600, waits: { reads: wait, writes: wait, screens: wait, bare: wait }, failed: {}, examples: [] },
      ...more(index + 1),
    }
  })

const growing = (samples: Sample[]): string[] => judged(samples).flatMap(({ isLevel, name }) => (isLevel ? [] : name))

test('a soak tells what grows until its end from what has levelled off', () => {
  assert.deepEqual(growing(hour(() => ({}))), [])
  assert.deepEqual(growing(hour((minute) => ({ rssMb: 300 + 2 * minute }))), ['memory, MiB'], 'by 30 in a quarter')
  assert.deepEqual(growing(hour((minute) => ({ rssMb: 300 + 2 * Math.min(minute, 30) }))), [], 'in the first half only')
  assert.deepEqual(growing(hour((minute) => ({ descriptors: 500 - minute }))), [], 'what falls has levelled off')
  assert.deepEqual(growing(hour((minute) => ({ descriptors: 50 + Math.floor(minute / 5) }))), ['file descriptors'])
  assert.deepEqual(growing(hour((minute) => ({ logMb: minute === 59 ? 90 : 8 }))), [], 'a single minute says nothing')
  const wait = { count: 600, p50: 1, p99: 5, max: 10 }
  const slower = { count: 1000, p50: 2, p99: 40, max: 100 }
  const slow = hour((minute) =>
    minute > 45 ? { waits: { reads: slower, writes: slower, screens: slower, bare: wait } } : {},
  )
  assert.deepEqual(growing(slow), ['p99 of reads, ms', 'p99 of writes, ms', 'p99 of screens, ms'])
  assert.deepEqual(growing(hour((minute) => ({ usedMb: 50 + minute }))), ['database, bytes a row'])
  assert.deepEqual(growing(hour((minute) => ({ usedMb: 50 + minute, rows: { deals: 1000 * (50 + minute) } }))), [])
})

test('the section of a soak says what failed, what was logged, and what did not level off', () => {
  const about = {
    minutes: 60,
    day: 72,
    perS: 60,
    server: 'the executable',
    node: '26',
    machine: '2 × X',
    date: '2026-11-23',
  }
  const level = soakText(
    about,
    hour(() => ({})),
  )
  assert.match(level, /^216,000 requests, of which 0 failed\. /m)
  assert.match(level, /^All of them level off\./m)
  assert.match(level, /The server logged no warning/)
  assert.equal(level.match(/^\d+ \| 300 \| /gm)?.length, 13, 'the first minute, and every fifth one')
  const worse = soakText(
    about,
    hour((minute) => ({ rssMb: 300 + 2 * minute, failed: { 503: 1 }, logged: { 'warn mailbox fails': minute } })),
  )
  assert.match(worse, /of which 60 failed \(60 × 503\)/)
  assert.match(worse, /Warnings and errors in the log: 60 × warn mailbox fails\./)
  assert.match(worse, /^\*\*Not levelled off: memory\.\*\*/m)
})
