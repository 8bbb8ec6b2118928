import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../../../src/store/open.ts'
import { litestreamConfig, litestreamEnvironment, litestreamProgram, urlOf } from '../../support/litestream.ts'
import { makeOrg } from '../../support/org.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { BUCKET, KEYS } from '../../support/versitygw.ts'
import { commonNetwork, type Network, separateNetwork } from './network.ts'
import { run, startServer } from './server.ts'
import { type Acknowledged, startWriters, titlesAt } from './writers.ts'

export const CAUSES = ['killed', 'cut off', 'full disk'] as const
/** `stopped` is a process that stands still and goes on later, as on a machine that sleeps: only when asked for. */
export type Cause = (typeof CAUSES)[number] | 'stopped'

export type Outcome = {
  cause: Cause
  acknowledged: number
  /** From the command to its answer, and to the first write that the new primary acknowledged. */
  answeredMs: number
  servedMs: number
  lost: number
  /** Those that were acknowledged more than two seconds before the failure. */
  lostOld: number
  /** The oldest of them, before the failure. */
  oldestLostMs: number
  /** What must not be, in sentences. */
  faults: string[]
}

const WRITERS = 8
const DISK_KB = 64 * 1024
const OLD_URL = 'http://old.example.com'

/** Lets a primary fail under load, promotes its standby, and compares what both have with what was acknowledged. */
export async function failover(number: number, cause: Cause, loadMs: number, storage: number): Promise<Outcome> {
  const root = mkdtempSync(join(tmpdir(), 'dealbox-failover-'))
  const disk = cause === 'full disk' ? smallDisk(DISK_KB) : undefined
  if (cause === 'full disk' && !disk) throw new Error('no file system could be mounted')
  const network = cause === 'cut off' ? await separateNetwork(number, storage) : commonNetwork(storage)
  const undo: (() => unknown)[] = [
    () => rmSync(root, { recursive: true, force: true }),
    () => disk?.drop(),
    network.drop,
  ]
  try {
    return await attempt({ number, cause, loadMs, storage, root, network, disk, undo })
  } finally {
    for (const step of undo.reverse()) await step()
  }
}

type Attempt = {
  number: number
  cause: Cause
  loadMs: number
  storage: number
  root: string
  network: Network
  disk: ReturnType<typeof smallDisk>
  undo: (() => unknown)[]
}

async function attempt({ number, cause, loadMs, storage, root, network, disk, undo }: Attempt): Promise<Outcome> {
  const [old, standby] = [join(disk?.folder ?? root, 'old'), join(root, 'standby')]
  const prefix = `failover-${number}`
  const store = openStore(old, { create: true })
  const { token } = await makeOrg(store, old, 'Acme')
  store.close()
  const keyFile = join(root, 'keys.txt')
  writeFileSync(keyFile, `[default]\naws_access_key_id = ${KEYS.id}\naws_secret_access_key = ${KEYS.secret}\n`, {
    mode: 0o600,
  })

  const replica = ['--replicated', '--replica', `http://127.0.0.1:${network.storagePort}/${BUCKET}/${prefix}`]
  const listen = [
    '--api-listen',
    `${network.host}:0`,
    '--screens-listen',
    'off',
    '--rate-limit',
    'off',
    '--min-free',
    'off',
  ]
  const serveOld = [
    'serve',
    '--data',
    old,
    ...listen,
    ...replica,
    '--replica-key-file',
    keyFile,
    '--public-url',
    OLD_URL,
  ]
  const server = await startServer(network.prefix, serveOld)
  undo.push(() => server.child.kill('SIGKILL'))
  const litestream = startLitestream(network, join(old, 'dealbox.db'), prefix, join(root, 'litestream.yml'))
  undo.push(() => litestream.kill('SIGKILL'))
  await pause(1500) // the first snapshot
  cpSync(join(old, 'keys'), join(standby, 'keys'), { recursive: true })

  const follow = urlOf({ port: storage, prefix })
  const common = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--rate-limit', 'off', '--min-free', 'off']
  const serveNew = ['serve', '--data', standby, ...common, '--follow', follow, '--litestream', litestreamProgram()]
  const reader = await startServer([], serveNew, litestreamEnvironment())
  undo.push(() => endAndWait(reader.child))

  const urls: Record<'old' | 'new', string | undefined> = { old: server.api, new: undefined }
  const writers = startWriters({ count: WRITERS, token, urls })
  await pause(loadMs)

  const failedAt = performance.now()
  if (cause === 'killed') for (const child of [server.child, litestream]) child.kill('SIGKILL')
  if (cause === 'cut off') network.cut()
  if (cause === 'full disk') disk?.fill()
  if (cause === 'stopped') server.child.kill('SIGSTOP')
  await pause(500) // somebody notices

  const askedAt = performance.now()
  const asked = run([], ['promote', '--data', standby, '--yes', '--json'])
  const code = await asked.ended
  const answeredAt = performance.now()
  if (code !== 0) throw new Error(`promote failed (${code}): ${asked.lines.join(' ')} | ${reader.lines.join(' ')}`)
  const { api } = JSON.parse(asked.lines.join('\n'))
  urls.new = api
  await pause(2000)
  if (cause === 'cut off') network.mend()
  if (cause === 'full disk') disk?.free()
  if (cause === 'stopped') server.child.kill('SIGCONT')

  const faults: string[] = []
  const file = join(old, 'unreplicated-epoch-1.ndjson')
  if (cause === 'killed') await comesBack(serveOld, faults)
  else
    await until(20_000, () => server.lines.some((line) => /never reached the replica|has everything that/.test(line)))
  await pause(500)
  await writers.end()
  const found = await titlesAt(api, token)
  const { acknowledged } = writers
  const ofOld = acknowledged.filter(({ server }) => server === 'old')
  const lost = ofOld.filter(({ title }) => !found.has(title))
  const firstNew = acknowledged.find(({ server }) => server === 'new')
  faults.push(...doubled(ofOld, answeredAt, firstNew))
  if (!firstNew) faults.push('the new primary acknowledged nothing')
  const missing = acknowledged.filter(({ title, server }) => server === 'new' && !found.has(title)).length
  if (missing > 0) faults.push(`the new primary lost ${missing} of its own`)
  const noted = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const unnoted = lost.filter(({ title }) => !noted.includes(`"title":"${title}"`))
  if (unnoted.length > 0)
    faults.push(`${unnoted.length} of ${lost.length} lost writes are not in the file of the old primary`)
  const before = lost.map(({ at }) => failedAt - at)
  if (faults.length > 0)
    faults.push(
      [...server.lines.slice(-5), ...reader.lines.slice(-5), JSON.stringify([...writers.refusals])].join('\n'),
    )
  return {
    ...{ cause, acknowledged: acknowledged.length, answeredMs: answeredAt - askedAt, lost: lost.length, faults },
    servedMs: (firstNew?.at ?? Number.POSITIVE_INFINITY) - askedAt,
    lostOld: before.filter((ms) => ms > 2000).length,
    oldestLostMs: Math.max(0, ...before),
  }
}

/** Two primaries must never both acknowledge. */
function doubled(ofOld: readonly Acknowledged[], answeredAt: number, firstNew: Acknowledged | undefined): string[] {
  const after = ofOld.filter(({ at }) => at > Math.min(answeredAt, firstNew?.at ?? answeredAt))
  return after.length === 0 ? [] : [`the old primary acknowledged ${after.length} writes after the new one served`]
}

/** The old primary is started again as it was, and must refuse. */
async function comesBack(argv: readonly string[], faults: string[]): Promise<void> {
  const again = run([], argv)
  const code = await Promise.race([again.ended, pause(20_000)])
  if (code === undefined) {
    again.child.kill('SIGKILL')
    faults.push('the old primary came back, and serves')
  } else if (!again.lines.join(' ').includes('is no longer the primary'))
    faults.push(`the old primary ended with ${code}: ${again.lines.join(' ')}`)
}

function startLitestream({ prefix: before, storagePort }: Network, database: string, prefix: string, config: string) {
  writeFileSync(config, litestreamConfig(database, { port: storagePort, prefix }, { everyMs: 1000 }))
  const [program, ...argv] = [...before, litestreamProgram(), 'replicate', '-config', config]
  return spawn(program as string, argv, { env: litestreamEnvironment(), stdio: 'ignore' })
}

async function endAndWait(child: ReturnType<typeof run>['child']): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await Promise.race([ended, pause(10_000)])
  child.kill('SIGKILL')
}

async function until(patienceMs: number, isTrue: () => boolean): Promise<void> {
  for (const end = performance.now() + patienceMs; !isTrue() && performance.now() < end; ) await pause(50)
}
