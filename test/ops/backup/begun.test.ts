import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { DAY_MS, MINUTE_MS } from '../../../src/lib/time.ts'
import { beginWork } from '../../../src/ops/backup/begun.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { type Night, type NightOptions, night } from '../../../src/ops/backup/night.ts'
import { startNightly } from '../../../src/ops/backup/nightly.ts'
import { lastBackup, notedState, noteMade } from '../../../src/ops/backup/state.ts'
import { installedAt } from '../../../src/store/installation.ts'
import { failingRecurring, workOutcomes } from '../../../src/store/jobs/recurring.ts'
import type { OpenedStore } from '../../../src/store/open.ts'
import { places } from './backup-fixture.ts'

// Backups that end the server, as for lack of memory, and backups that are not begun for it.

const { temporaryFolder, dataFolder } = places()
let dataDir: string
let store: OpenedStore
let folder: string
let now: number
before(async () => {
  ;({ dataDir, store } = await dataFolder())
})
beforeEach(() => {
  folder = join(temporaryFolder(), 'backups')
  rmSync(join(dataDir, 'backups.json'), { force: true })
  store.db.prepare('DELETE FROM recurring_jobs').run()
  now = installedAt(store.db) + 2 * DAY_MS
})

function start(work: (options: NightOptions) => Night | Promise<Night> = night) {
  const lines: string[] = []
  let nights = 0
  const nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: () => now } },
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) }),
    ...{ dataDir, at: '03:15', folder, keep: { days: 7, weeks: 4, months: 6 }, timezone: 'UTC' },
    outcome: workOutcomes(store),
    work: async (options) => {
      nights++
      return work(options)
    },
  })
  return { ...nightly, lines, nights: () => nights }
}

/** A server that is killed in the middle of its night: nothing of it goes on. */
async function die(): Promise<void> {
  const begun = Promise.withResolvers<void>()
  const { tick } = start(() => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  void tick()
  await begun.promise
}

const failures = () => failingRecurring(store.db).map(({ name, failures }) => [name, failures])

describe('a server that ends in the middle of its backup', () => {
  test('tries it once more, and then waits, and says so', async () => {
    await die()
    assert.equal(notedState(dataDir).begun?.is_running, true)
    now += MINUTE_MS
    await die()
    assert.match(lastBackup(dataDir).failure?.message ?? '', /^The server ended while .*tried once more\.$/)
    assert.deepEqual(failures(), [['nightly backup', 1]])
    now += MINUTE_MS
    const third = start()
    for (let minute = 0; minute < 61; minute++, now += MINUTE_MS) await third.tick()
    assert.equal(third.nights(), 0)
    const { message, code } = lastBackup(dataDir).failure ?? {}
    assert.equal(code, 'server_ended')
    assert.match(
      message ?? '',
      /the 2nd time in a row\. .*288 MiB.* It is tried again in a week, or after "dealbox backup"/,
    )
    assert.deepEqual(third.lines, [message])
    assert.deepEqual(failures(), [['nightly backup', 4]], 'so that the owners get notice')
    await third.stop()
    const fourth = start()
    await fourth.tick()
    assert.equal(fourth.nights(), 0, 'nor after a further start')
    now += 7 * DAY_MS
    await fourth.tick()
    assert.equal(fourth.nights(), 1)
    assert.deepEqual([notedState(dataDir).begun, lastBackup(dataDir).failure, failures()], [undefined, null, []])
    await fourth.stop()
  })

  test('goes on once a person has made one', async () => {
    for (let deaths = 0; deaths < 2; deaths++, now += MINUTE_MS) await die()
    const server = start()
    await server.tick()
    assert.equal(server.nights(), 0)
    const { file, bytes, manifest } = makeBackup({ dataDir, folder, reason: 'command', now })
    noteMade(dataDir, { made_at: manifest.made_at, file, bytes, duration_ms: 1 })
    now += DAY_MS
    await server.tick()
    assert.equal(server.nights(), 1)
    await server.stop()
  })

  test('is no end that was meant: a server that is stopped has done nothing wrong', async () => {
    const begun = Promise.withResolvers<void>()
    const server = start(() => {
      begun.resolve()
      throw new Error('stopped')
    })
    const ticking = server.tick()
    await begun.promise
    await Promise.all([server.stop(), ticking])
    const next = start()
    await next.tick()
    assert.deepEqual([next.lines, next.nights()], [[], 1])
    await next.stop()
  })

  test('leaves parts, which the next one removes although it makes no backup', async () => {
    for (let deaths = 0; deaths < 2; deaths++) await die()
    for (const place of [dataDir, folder]) {
      const part = join(place, 'dealbox.part-dead')
      mkdirSync(part, { recursive: true })
      writeFileSync(join(part, 'backup.tar'), 'half')
      utimesSync(part, 1, 1)
    }
    const server = start()
    await server.tick()
    assert.equal(server.nights(), 0)
    const parts = [dataDir, folder].flatMap((place) => readdirSync(place).filter((name) => name.includes('.part-')))
    assert.deepEqual(parts, [])
    await server.stop()
  })

  test('is known after a kill', async () => {
    const code = `import { beginWork } from ${JSON.stringify(join(import.meta.dirname, '../../../src/ops/backup/begun.ts'))}
      beginWork(${JSON.stringify(dataDir)}, ${now}); setInterval(() => {}, 1000); console.log('begun')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    const server = start()
    await server.tick()
    assert.match(server.lines[0] ?? '', /^The server ended while it made or copied the backup/)
    await server.stop()
  })
})

describe('a backup with a passphrase', () => {
  // More than any machine has.
  const encryption = { passphrase: 'a lake in the north', workFactor: 33 }

  test('is not begun without the memory that it needs, and says how much', async () => {
    const server = start((options) => night({ ...options, encryption }))
    await server.tick()
    const { code, message } = lastBackup(dataDir).failure ?? {}
    assert.equal(code, 'memory_short')
    assert.match(message ?? '', /^To encrypt a backup with a passphrase, Dealbox needs 8192 GiB of memory for a moment/)
    assert.ok(!existsSync(folder), 'nothing was begun')
    await server.stop()
  })

  test('is made where it is free', () => {
    beginWork(dataDir, now)
    makeBackup({ dataDir, folder, reason: 'nightly', now, encryption: { ...encryption, workFactor: 10 } })
    assert.equal(readdirSync(folder).length, 1)
  })
})
