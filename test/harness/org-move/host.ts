import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openStore } from '../../../src/store/open.ts'
import { allOrgsEver } from '../../../src/store/orgs/orgs.ts'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/dealbox/compiled'),
}

type Ended = { code: number | null; out: string; err: string }

/** Runs a command in a process of its own, which `signal` kills. */
export async function dealbox(
  argv: readonly string[],
  more: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended: Ended = { code: null, out: '', err: '' }
  const kill = () => void child.kill('SIGKILL')
  signal?.addEventListener('abort', kill)
  child.stdout.on('data', (bytes) => {
    ended.out += bytes
  })
  child.stderr.on('data', (bytes) => {
    ended.err += bytes
  })
  const [code] = (await once(child, 'close')) as [number | null]
  signal?.removeEventListener('abort', kill)
  return { ...ended, code }
}

export type Host = Awaited<ReturnType<typeof startHost>>

/** A server in a process of its own, which keeps its port when it is started again. */
export async function startHost(dataDir: string) {
  const host = {
    dataDir,
    url: '',
    child: undefined as ChildProcess | undefined,
    isRunning: () => host.child !== undefined && host.child.exitCode === null && host.child.signalCode === null,
    start,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }

  async function start(): Promise<void> {
    const listen = host.url === '' ? '127.0.0.1:0' : new URL(host.url).host
    const options = [
      '--screens-listen',
      'off',
      '--backup-at',
      'off',
      '--rate-limit',
      'off',
      '--webhook-allow',
      '127.0.0.1',
    ]
    const argv = [MAIN, 'serve', '--data', dataDir, '--json', '--log-level', 'info', '--api-listen', listen, ...options]
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    host.child = child
    const lines = createInterface({ input: child.stdout })
    host.url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
      lines.on('line', (line) => {
        const said = JSON.parse(line)
        if (said.api) resolve(said.api)
        if (said.level >= 50) process.stderr.write(`${dataDir}: ${line}\n`)
      })
    })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!host.isRunning()) return
    const { child } = host
    child?.kill(signal)
    await once(child as ChildProcess, 'exit')
  }

  await start()
  return host
}

/** The number of the last event of an organisation. */
export function lastSeq(dataDir: string, publicId: string): number {
  const store = openStore(dataDir)
  try {
    return allOrgsEver(store.db).find(({ public_id }) => public_id === publicId)?.last_seq ?? 0
  } finally {
    store.close()
  }
}
