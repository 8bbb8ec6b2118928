import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyFaultsOf } from '../../src/auth/needed-keys.ts'
import { makeBackup } from '../../src/ops/backup/make.ts'
import { restoreBackup } from '../../src/ops/backup/restore.ts'
import { lastBackup } from '../../src/ops/backup/state.ts'
import { verifyBackup } from '../../src/ops/backup/verify.ts'
import { epochToFollow } from '../../src/ops/replication/epochs.ts'
import { promoteCopy } from '../../src/ops/replication/followed/promotion.ts'
import { registerStandby } from '../../src/ops/replication/holder.ts'
import { claimNext } from '../../src/ops/replication/promotion.ts'
import { folderCopy } from '../../src/ops/replication/replica/folder.ts'
import { LEASE_MS } from '../../src/store/folder/fence.ts'
import { isCopy } from '../../src/store/folder/marks.ts'
import { lastCommit } from '../../src/store/newest.ts'
import { DATABASE } from '../../src/store/open.ts'
import { replicationRow } from '../../src/store/replication.ts'
import { connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import type { Random } from '../web/data/support/dice.ts'
import { eventsOf, holdsIn, namedEvents } from './events.ts'
import { type Machine, machine, type Start } from './machine.ts'
import { network, received } from './place.ts'
import { templateOf } from './template.ts'

/** Every state of the network and of Litestream is seen, and acted upon, within these. */
const SEEN_MS = 6000
const UNPROTECTED_MS = 120_000
const STEP_MS = 500
const CHUNK_MS = 30_000
const HOUR_MS = 3_600_000
const OLD_MS = 37 * HOUR_MS

/** What was acknowledged: by whom, and when. */
type Acknowledged = { event: string; by: Machine; at: number }

export type World = Awaited<ReturnType<typeof makeWorld>>

/** Some machines, two places for replicas, and who knows what was acknowledged. */
export async function makeWorld(dice: Random, say: (what: string) => void) {
  const root = mkdtempSync(join(tmpdir(), 'dealbox-operations-'))
  const net = network()
  let at = 0
  /** When something changed last that servers need a moment to see. */
  let changedAt = 0
  let startedAt = 0
  /** A person has said that others are off: from then on two may acknowledge. */
  let hasInsisted = false
  let events = 0
  const acknowledged: Acknowledged[] = []
  const shared = { net, passed: () => at }
  const places = ['replica-1', 'replica-2'].map((name) => join(root, name)) as [string, string]
  for (const place of places) mkdirSync(place)
  const machines: Machine[] = []

  function newMachine(name: string): Machine {
    const made = machine(name, root, shared)
    made.place = places[0]
    machines.push(made)
    return made
  }

  const first = newMachine('a')
  const template = await templateOf()
  cpSync(template, first.dataDir(), { recursive: true })
  const standby = newMachine('b')
  mkdirSync(standby.dataDir())
  cpSync(join(template, 'keys'), join(standby.dataDir(), 'keys'), { recursive: true })
  standby.option = 'follow'
  let isPromoted = false

  /** Time passes, in steps that looks and leases need at its end. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; ) {
      const step = left > 10 * STEP_MS ? Math.min(left - 10 * STEP_MS, ms > HOUR_MS ? 12 * HOUR_MS : CHUNK_MS) : STEP_MS
      at += step
      left -= step
      for (const each of machines) each.tick()
      await net.quiet()
      if (step > CHUNK_MS) for (const each of running()) await each.night()
      for (const each of machines) each.send()
    }
  }

  async function write(by: Machine): Promise<boolean> {
    const event = `e${++events}`
    const isDone = await by.write(event)
    if (isDone) acknowledged.push({ event, by, at })
    return isDone
  }

  const running = (): Machine[] => machines.filter((each) => each.server())
  const stopped = (): Machine[] => machines.filter((each) => !each.server() && hasDatabase(each) && !isFollower(each))
  const isFollower = (each: Machine): boolean => each === standby && !isPromoted
  const changed = (): void => void (changedAt = at)

  async function start(which: Machine, how: Start = {}): Promise<void> {
    if (how.isOldOff) hasInsisted = true
    changed()
    startedAt = at
    const isStarted = await which.start(how)
    say(`start ${which.name} ${JSON.stringify(how)}: ${isStarted ? 'serves' : which.refusal}`)
    await pass(STEP_MS)
  }

  async function follow(): Promise<number | undefined> {
    if (standby.isCut) return undefined
    const epoch = await epochToFollow(standby.copy())
    await registerStandby(standby.copy(), epoch, standby.wall())
    return standby.follow(epoch) ? epoch : undefined
  }

  async function promote(isOldOff: boolean): Promise<void> {
    const file = join(standby.dataDir(), DATABASE)
    const epoch = await follow().catch(() => undefined)
    if (epoch === undefined || !isCopy(file)) return say('promote: nothing to promote')
    const db = openSqlite(file, { readonly: true })
    const lacks = keyFaultsOf(db, standby.dataDir())
    const position = { commit_seq: lastCommit(db), beat: replicationRow(db).read().beat }
    const own = replicationRow(db).read().epoch
    db.close()
    if (lacks.length > 0) return say(`promote: the standby lacks ${lacks.map(({ name }) => name).join()}`)
    try {
      const claim = await claimNext({
        ...{
          copy: standby.copy(),
          standby: { epoch: own, arrived: () => position },
          url: null,
          abandons: false,
          isOldOff,
        },
        ...{ now: standby.wall, monotonic: () => at, wait: pass },
      })
      if (isOldOff) hasInsisted = true
      await promoteCopy(standby.dataDir(), { epoch: claim.epoch, url: null, now: standby.wall(), isUnchecked: true })
      isPromoted = true
      say(`promote: epoch ${claim.epoch}`)
      await standby.start()
      await net.quiet()
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === undefined) throw error
      say(`promote: ${code}`)
    }
  }

  /** A copy of the folder of one machine is another one. */
  async function clone(of: Machine): Promise<void> {
    const made = newMachine(String.fromCharCode(97 + machines.length))
    Object.assign(made, { place: of.place, option: of.option, began: of.began })
    of.cloneTo(made.dataDir())
    if (hasLostKeys(of)) cpSync(aside(of), aside(made), { recursive: true })
    say(`clone ${of.name} to ${made.name}`)
    await start(made)
  }

  async function restore(into: Machine): Promise<void> {
    const folder = join(root, `${into.name}-backups`)
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.tar')) : []
    if (names.length === 0) return say('restore: there is no backup')
    const file = join(folder, dice.pick(names))
    verifyBackup(file)
    const { aside } = restoreBackup({
      file,
      dataDir: into.dataDir(),
      now: into.wall(),
      dryRun: false,
      describe: () => null,
    })
    into.began = into.wall() // it comes of a backup
    rmSync(join(root, `${into.name}-keys`), { recursive: true, force: true }) // and so do its keys
    say(`restore ${into.name}, what was there is in ${aside ?? 'nothing'}`)
    changed()
  }

  function backUp(of: Machine): void {
    try {
      const { file } = makeBackup({
        ...{ dataDir: of.dataDir(), folder: join(root, `${of.name}-backups`), reason: 'command', now: of.wall() },
      })
      verifyBackup(file)
      say(`backup of ${of.name}`)
    } catch (error) {
      const { code } = error as { code?: string }
      assert.equal(code, 'keys_missing', `${error}`)
      assert.ok(hasLostKeys(of))
      say(`backup of ${of.name}: ${code}`)
    }
  }

  const aside = (of: Machine): string => join(root, `${of.name}-keys`)
  const hasLostKeys = (of: Machine): boolean => existsSync(aside(of))

  function loseKeys(of: Machine): void {
    if (hasLostKeys(of)) {
      rmSync(join(of.dataDir(), 'keys'), { recursive: true, force: true })
      renameSync(aside(of), join(of.dataDir(), 'keys'))
    } else renameSync(join(of.dataDir(), 'keys'), aside(of))
    say(`${of.name} ${hasLostKeys(of) ? 'has lost its keys' : 'has its keys again'}`)
  }

  const full = new Set<Machine>()

  function fill(of: Machine): void {
    const db = connection((of.server() as NonNullable<ReturnType<Machine['server']>>).store.db)
    const isFull = !full.has(of)
    const pages = db.pragma('page_count', { simple: true })
    db.pragma(`max_page_count = ${isFull ? pages : 1_000_000}`)
    if (isFull) full.add(of)
    else full.delete(of)
    say(`the disk of ${of.name} is ${isFull ? 'full' : 'free'}`)
  }

  /** At any moment. */
  async function check(): Promise<void> {
    await net.quiet()
    const writing: Machine[] = []
    for (const each of running()) if (await write(each)) writing.push(each)
    checkOne(writing)
    for (const each of running()) checkSaid(each)
  }

  /** Never two that acknowledge, but where no storage is between them that both reach. */
  function checkOne(writing: readonly Machine[]): void {
    if (hasInsisted) return
    const isLone = (each: Machine) => each.server()?.lease?.status().isFenced === false
    // One that gives way to another server of its folder writes until its next look, or until its last one is over.
    const hasSeen = (each: Machine) => (isLone(each) ? at - changedAt >= SEEN_MS : at - startedAt >= LEASE_MS)
    const bound = writing.filter((each) => hasSeen(each) && !(isLone(each) && each.isCut))
    for (const place of places) {
      const all = bound.filter((each) => each.place === place)
      assert.ok(all.length <= 1, `${all.map(({ name }) => name).join(' and ')} acknowledge`)
    }
    const fenced = bound.filter((each) => !isLone(each))
    assert.ok(fenced.length <= 1, `${fenced.map(({ name }) => name).join(' and ')} acknowledge`)
  }

  /** No check says that all is well while protection is off for more than two minutes. */
  function checkSaid(each: Machine): void {
    const server = each.server() as NonNullable<ReturnType<Machine['server']>>
    const checks = each.checks()
    const said = JSON.stringify(checks)
    const isWell = (name: string): boolean => checks[name]?.status === 'pass'
    const isOver = Object.values(checks).some(({ status }) => status === 'fail')
    if (hasLostKeys(each)) assert.ok(!isWell('keys') || isOver, `keys are lost: ${said}`)
    checkBackup(each, isWell('backup') && !isOver)
    if (!server.isReplicated) return
    // Nobody can tell of a time in which the server did not run: it counts from the start.
    if (at - server.startedAt <= UNPROTECTED_MS) return
    const late = acknowledged.filter(({ by, at: then }) => by === each && at - then > UNPROTECTED_MS)
    const newest = late.at(-1)
    if (!newest || !eventsOf(join(each.dataDir(), DATABASE)).has(newest.event)) return
    const copied = received(
      server.epoch === 1 ? each.place : join(each.place, `epoch-${String(server.epoch).padStart(8, '0')}`),
    )
    if (copied && holdsIn(root, copied, newest.event)) return
    assert.ok(
      !isWell('replication') || isOver,
      `${newest.event} of ${each.name} is in no replica after ${at - newest.at} ms: ${said}`,
    )
  }

  const verified = new Set<string>()

  /** A server that runs for longer than a night has a backup that can be restored, or says that it has none. */
  function checkBackup(each: Machine, isWell: boolean): void {
    const { last } = lastBackup(each.dataDir())
    const age = each.wall() - (last ? Date.parse(last.made_at) : each.began)
    assert.ok(!isWell || age <= OLD_MS, `the last backup of ${each.name} is ${age} ms old`)
    if (!last || !isWell || verified.has(last.file)) return
    verifyBackup(last.file)
    verified.add(last.file)
  }

  /** All comes back, and everything that was acknowledged is served, or named in a file. */
  async function heal(): Promise<void> {
    for (const each of machines) Object.assign(each, { isCut: false, isSending: true })
    for (const each of full) if (each.server()) fill(each)
    for (const each of machines) {
      if (hasLostKeys(each)) loseKeys(each)
      each.setClock(0)
      if (!each.server()) each.place = places.find((place) => folderCopy(place).name === each.replica()) ?? each.place
    }
    for (const each of stopped()) await start(each)
    await pass(180_000)
    // One that gave way, or is not started any more, has what it wrote where it says so.
    await check()
    const found = namedEvents(root)
    for (const each of machines) {
      const isNamed = each.server() || each.refusal === 'another_server' || each.refusal === 'replica_changed'
      if (isNamed && hasDatabase(each)) for (const event of eventsOf(join(each.dataDir(), DATABASE))) found.add(event)
    }
    const lost = acknowledged.filter(({ event }) => !found.has(event))
    assert.deepEqual(
      lost.map(({ event, by, at: then }) => `${event} by ${by.name} at ${then}`),
      [],
      'acknowledged, and neither served nor in a file',
    )
  }

  async function end(): Promise<void> {
    for (const each of running()) await each.stop()
    rmSync(root, { recursive: true, force: true })
  }

  return {
    ...{
      dice,
      places,
      machines,
      standby,
      running,
      stopped,
      pass,
      write,
      start,
      follow,
      promote,
      clone,
      restore,
      backUp,
    },
    ...{ loseKeys, hasLostKeys, fill, check, heal, end, say, changed, first, isPromoted: () => isPromoted },
    acknowledged: () => acknowledged.length,
  }
}

const hasDatabase = (each: Machine): boolean => existsSync(join(each.dataDir(), DATABASE))
