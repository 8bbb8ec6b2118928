import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { resourceDeps } from '../../src/app/deps.ts'
import { keyring } from '../../src/auth/keys.ts'
import { makeMissingKeys } from '../../src/auth/needed-keys.ts'
import { openServedStore } from '../../src/cli/serve/served-store.ts'
import type { Every } from '../../src/lib/every.ts'
import { night } from '../../src/ops/backup/night.ts'
import { startNightly } from '../../src/ops/backup/nightly.ts'
import { lastBackup } from '../../src/ops/backup/state.ts'
import { type Finding, health } from '../../src/ops/monitoring/health.ts'
import { fenceOf, whenHeld } from '../../src/ops/replication/commands/serve-lease.ts'
import { servePrimary } from '../../src/ops/replication/commands/serve-primary.ts'
import { folderOfEpoch } from '../../src/ops/replication/epochs.ts'
import { removeCopy } from '../../src/ops/replication/followed/files.ts'
import { readKnown } from '../../src/ops/replication/known.ts'
import type { ReplicaStorage } from '../../src/ops/replication/replica/copy.ts'
import type { Moment } from '../../src/store/folder/fence.ts'
import { lockInstance } from '../../src/store/folder/lock.ts'
import { positionOf } from '../../src/store/folder/marks.ts'
import { DATABASE, requireDatabase } from '../../src/store/open.ts'
import { replicationRow } from '../../src/store/replication.ts'
import { connection, type Database } from '../../src/store/sqlite/driver.ts'
import type { network } from './place.ts'
import { received, send } from './place.ts'
import { BEGAN } from './template.ts'

/** What a person starts a server with. */
export type Start = { isReplicated?: boolean; isOldOff?: boolean }

type Timer = { ms: number; job: () => void; at: number }

export type Machine = ReturnType<typeof machine>

/** What all machines have in common: the network, and the time that passes. */
export type Shared = { net: ReturnType<typeof network>; passed: () => number }

const EPOCH = Date.UTC(2026, 10, 20)

/** A machine with a data folder. Its server is put together as `serveFolder` does, without listeners and threads. */
export function machine(name: string, root: string, { net, passed }: Shared) {
  let dataDir = join(root, name)
  let skew = 0
  let running: Awaited<ReturnType<typeof serve>> | undefined
  const self = {
    name,
    /** The folder of its replica. */
    place: '',
    option: 'replica' as 'replica' | 'follow',
    isCut: false,
    /** Since when a backup of it may be missing. */
    began: BEGAN,
    /** Whether Litestream runs, where a server does. */
    isSending: true,
    /** Why its last start was refused. */
    refusal: undefined as string | undefined,
  }
  const wall = (): number => EPOCH + passed() + skew
  const now = (): Moment => ({ monotonic: 1_000_000 + passed(), wall: wall() })
  const copy = (): ReplicaStorage => net.seenBy(() => self.isCut, self.place)

  async function serve({ isReplicated = true, isOldOff = false }: Start) {
    const timers: Timer[] = []
    const every: Every = (ms, job) => {
      const timer = { ms, job, at: passed() }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    }
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const undo: (() => void | Promise<void>)[] = []
    const stop = async (): Promise<void> => {
      for (const step of undo.splice(0).reverse()) await step()
    }
    try {
      requireDatabase(dataDir)
      undo.push(lockInstance(dataDir))
      const { fence, start } = fenceOf(dataDir, {
        ...{ copy: isReplicated ? copy() : undefined, option: self.option, isOldOff, every, now },
      })
      const folder = join(root, `${name}-backups`)
      const store = openServedStore(dataDir, log, { fence, backupDir: folder, minFree: 0, isReplicated, wall })
      store.db.prepare('PRAGMA synchronous = OFF').run() // no test of power cuts
      undo.push(store.close)
      const lease = await start({ store, log, url: `http://${name}.example.com` })
      if (lease) undo.push(lease.stop)
      const { epoch } = replicationRow(store.db).read()
      const replicated = isReplicated
        ? { copy: copy().below(folderOfEpoch(epoch)), encryption: undefined, replicaUrl: undefined }
        : undefined
      const served = { log, dataDir, replicated, url: undefined, every, elapsed: passed }
      const primary = await servePrimary({ ...served, store: whenHeld(store, lease), ...(lease && { lease }) })
      undo.push(primary.stop)
      if (lease) undo.push(() => lease.release())
      keyring(dataDir, store)
      makeMissingKeys(store, dataDir)
      const nightly = startNightly({
        ...{ store, log, dataDir, at: '03:15', folder, keep: { days: 7, weeks: 4, months: 6 }, timezone: 'UTC' },
        work: async (options) => night(options),
      })
      undo.push(nightly.stop)
      const { findings } = health({
        ...{ store, deps: resourceDeps(store), dataDir, stopping: { aborted: false }, log },
        ...{ replication: primary.status, lease: lease?.status, backups: () => lastBackup(dataDir) },
      })
      return {
        store,
        lease,
        epoch,
        timers,
        lines,
        nightly,
        findings,
        stop,
        isReplicated,
        startedAt: passed(),
      }
    } catch (error) {
      await stop()
      throw error
    }
  }

  const served = () => {
    if (!running) throw new Error(`No server runs on ${name}.`)
    return running
  }

  return Object.assign(self, {
    dataDir: () => dataDir,
    wall,
    copy,
    server: () => running,
    /** The name of the replica that its folder remembers. */
    replica: () => readKnown(dataDir)?.replica,
    /** Resolves with whether it was started; otherwise `refusal` is the reason. */
    async start(how: Start = {}): Promise<boolean> {
      try {
        running = await serve(how)
        self.refusal = undefined
      } catch (error) {
        const { code } = error as { code?: string }
        if (code === undefined) throw error
        self.refusal = code
      }
      return running !== undefined
    },
    async stop(): Promise<void> {
      await served().stop()
      running = undefined
    },
    /** With kill -9, or without power: what is in the folder at this moment is left. */
    async kill(): Promise<void> {
      const left = `${dataDir}-left`
      cpSync(dataDir, left, { recursive: true })
      const wasCut = self.isCut
      self.isCut = true
      await served().stop()
      self.isCut = wasCut
      running = undefined
      rmSync(dataDir, { recursive: true })
      renameSync(left, dataDir)
    },
    /** What its timers do, and its Litestream. */
    tick(): void {
      if (!running) return
      running.store.wallClock.jumped()
      for (const timer of [...running.timers]) {
        if (passed() - timer.at < timer.ms) continue
        timer.at = passed()
        timer.job()
      }
    },
    /** What it does at night, if a night has passed. */
    night: async (): Promise<void> => running?.nightly.tick(),
    send(): void {
      if (!running?.isReplicated || !self.isSending || self.isCut) return
      const { store, epoch, lease } = running
      // One that gave way writes no heartbeat, so that nothing new is sent which would pass for a change of the one that serves.
      if (lease?.other() || lease?.successor()) return
      const whole = () => (connection(store.db) as never as { serialize: () => Buffer }).serialize()
      send(dataDir, join(self.place, folderOfEpoch(epoch)), wall(), whole)
    },
    /** Whether a change is acknowledged. */
    async write(event: string): Promise<boolean> {
      const { store } = served()
      try {
        await store.write(() => insert(store.db, event))
        return true
      } catch (error) {
        if ((error as { status?: number }).status === 503) return false
        throw error
      }
    },
    checks: (): Record<string, Finding> => served().findings() as never,
    setClock: (ms: number): void => void (skew = ms),
    /** Another folder of the same machine. */
    move(): void {
      const to = `${dataDir}-moved`
      renameSync(dataDir, to)
      dataDir = to
    },
    /** The folder as it is becomes that of another machine. */
    cloneTo: (folder: string): void => cpSync(dataDir, folder, { recursive: true }),
    /** Its copy becomes the newest that the place has. */
    follow(epoch: number): boolean {
      const found = received(join(self.place, folderOfEpoch(epoch)))
      if (!found || self.isCut) return false
      const file = join(dataDir, DATABASE)
      mkdirSync(dataDir, { recursive: true })
      removeCopy(file)
      writeFileSync(file, found, { mode: 0o600 })
      writeFileSync(positionOf(file), String(epoch))
      return true
    },
  })
}

const insert = (db: Database, id: string): null => {
  db.prepare(
    `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data)
     SELECT id, (SELECT coalesce(max(seq), 0) + 1 FROM events WHERE org_id = orgs.id), ?, 'deal.created', 'd', 0, 'system', '{}' FROM orgs LIMIT 1`,
  ).run(id)
  return null
}
