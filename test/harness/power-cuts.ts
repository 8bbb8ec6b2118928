// npm run power-cuts: records all writes and syncs of a server under load with strace, builds states in which a power cut
// could have left the disk, and opens each: the database has to be whole, with every write that was acknowledged before.
//   npm run power-cuts                                     20,000 states after 2,000 requests
// The same with "dealbox restore" and "dealbox backup": the data folder is the old one or the new one, and a backup is whole.
//   npm run power-cuts -- --states 500 --requests 2000 --commands 200 --seed 1
// As a control, the same recordings have to lose something: without the syncs of the log, as with synchronous=NORMAL, and
// those of commands without any.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { cutCommand, scenarios } from './power-cuts/commands.ts'
import type { Random } from './power-cuts/content.ts'
import { disk, type State } from './power-cuts/disk.ts'
import { hasStrace, record } from './power-cuts/record.ts'
import { FILES, type Op, readTrace } from './power-cuts/trace.ts'

const { values: given } = parseArgs({
  options: {
    states: { type: 'string', default: '20000' },
    requests: { type: 'string', default: '2000' },
    commands: { type: 'string', default: '4000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
if (!hasStrace()) {
  process.stderr.write('This needs strace, which Debian has as a package of that name.\n')
  process.exit(1)
}
const [states, requests, commands, seed] = [given.states, given.requests, given.commands, given.seed].map(Number) as [
  number,
  number,
  number,
  number,
]
/** A response that leaves in two writes is not recognised in the recording. */
const SPARE = 20
/** Compares all indexes with their tables, which takes longer. */
const FULL_EVERY = 20
/** States of the control: it loses something in most of them. */
const CONTROL = 200

const folder = mkdtempSync(join(tmpdir(), 'dealbox-power-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const { before, trace } = await record(folder, requests + SPARE)
const ops = await readTrace(trace)
const count = (type: Op['type']): number => ops.filter((op) => op.type === type).length
process.stdout.write(
  `seed ${seed}: ${count('acknowledged')} acknowledged requests, ${count('write')} writes, ${count('sync')} syncs\n`,
)
if (count('acknowledged') < requests) throw new Error('too many responses were not found in the recording')

const faults = faultsOf(ops, states)
for (const fault of faults.slice(0, 10)) process.stdout.write(`✖ ${fault}\n`)
process.stdout.write(`${states} states, ${faults.length} with a fault\n`)
const unsynced = ops.filter((op) => op.type !== 'sync' || op.file !== 'dealbox.db-wal')
const lost = faultsOf(unsynced, Math.min(CONTROL, states))
process.stdout.write(`control without syncs of the log: ${lost.length} of ${Math.min(CONTROL, states)} with a fault\n`)
let isGood = faults.length === 0 && lost.length > 0
for (const scenario of await scenarios(folder)) isGood = (await cutAll(scenario)) && isGood
process.exitCode = isGood ? 0 : 1

/** Cuts the power of a command, and as a control without its syncs. */
async function cutAll(scenario: Awaited<ReturnType<typeof scenarios>>[number]): Promise<boolean> {
  const { faults, seen, steps, syncs } = await cutCommand(scenario, commands, randomOf(seed))
  for (const fault of faults.slice(0, 10)) process.stdout.write(`✖ ${scenario.name} ${fault}\n`)
  const many = Math.min(CONTROL, commands)
  const control = await cutCommand(scenario, many, randomOf(seed), false)
  process.stdout.write(
    `${scenario.name}: ${steps} calls, ${syncs} of them syncs; ${commands} states (${seen.join(', ')}), ${faults.length} with a fault; control without syncs: ${control.faults.length} of ${many} with a fault\n`,
  )
  return faults.length === 0 && control.faults.length > 0
}

/** Cuts the power at random moments, and says what is wrong with what was left. */
function faultsOf(all: readonly Op[], many: number): string[] {
  const random = randomOf(seed)
  const moments = Array.from({ length: many }, () => Math.floor(random() * (all.length + 1))).sort((a, b) => a - b)
  const device = disk({ 'dealbox.db': before, 'dealbox.db-wal': undefined })
  const versions = new Map<string, number>()
  const found: string[] = []
  let at = 0
  for (const [index, moment] of moments.entries()) {
    for (; at < moment; at++) {
      const op = all[at] as Op
      device.apply(op)
      if (op.type === 'acknowledged') versions.set(op.id, Math.max(op.version, versions.get(op.id) ?? 0))
    }
    const fault = faultIn(device.cut(random), versions, index % FULL_EVERY === 0)
    if (fault !== undefined) found.push(`after ${moment} of ${all.length} calls: ${fault}`)
  }
  return found
}

/** Opens a state as the next start does. Returns what is wrong. */
function faultIn(state: State, versions: ReadonlyMap<string, number>, isFull: boolean): string | undefined {
  const path = join(folder, 'cut')
  rmSync(path, { recursive: true, force: true })
  rmSync(`${path}-wal`, { force: true })
  rmSync(`${path}-shm`, { force: true })
  for (const file of FILES) {
    const content = state[file]
    if (content) writeFileSync(path + file.slice('dealbox.db'.length), content)
  }
  const db = connection(openSqlite(path))
  try {
    const [check] = db.pragma(isFull ? 'integrity_check' : 'quick_check') as Record<string, string>[]
    const said = Object.values(check ?? {})[0]
    if (said !== 'ok') return `${said}`
    if (isFull && (db.pragma('foreign_key_check') as unknown[]).length > 0) return 'a reference without its target'
    const stored = new Map(db.prepare('SELECT id, version FROM deals').raw().all() as [string, number][])
    for (const [id, version] of versions) {
      const now = stored.get(id)
      if (now === undefined) return `the acknowledged deal ${id} is not there`
      if (now < version) return `the acknowledged version ${version} of deal ${id} is not there, but ${now}`
    }
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    db.close()
  }
}

/** The same numbers for the same seed, from 0 up to but excluding 1. */
function randomOf(start: number): Random {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
