import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startStore } from './store.ts'
import { CALLS } from './trace.ts'

// Runs a server under strace, and clients that write.

const MAIN = join(import.meta.dirname, '../../../src/main.ts')
const CLIENTS = 24
/** Longer than any write to a file. */
const LONGEST = 1_048_576

export const hasStrace = (): boolean => spawnSync('strace', ['-V']).status === 0

const straceOf = (trace: string, calls: string): string[] => {
  const signals = ['-e', 'signal=none', '-e', `trace=${calls}`]
  return ['-f', '-xx', '-qq', '-s', String(LONGEST), ...signals, '-o', trace]
}

/** Records what a command of Dealbox does to files. Returns its answer. */
export async function recordCommand(trace: string, calls: string, argv: readonly string[]): Promise<unknown> {
  const child = spawn('strace', [...straceOf(trace, calls), process.execPath, MAIN, ...argv, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`dealbox ${argv[0]} ended with ${code}`)
  return JSON.parse(out)
}

/** Records what a server does while it acknowledges so many writes. Returns the database before, and the recording. */
export async function record(folder: string, requests: number): Promise<{ before: Buffer; trace: string }> {
  const dataDir = join(folder, 'data')
  const trace = join(folder, 'trace')
  const token = await startStore(dataDir)
  const before = readFileSync(join(dataDir, 'dealbox.db'))
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--backup-at', 'off', '--rate-limit', 'off']
  const server = [process.execPath, MAIN, 'serve', '--data', dataDir, '--json', '--log-level', 'info', ...listen]
  const child = spawn('strace', [...straceOf(trace, CALLS), ...server], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.stdout.resume()
  const { api } = JSON.parse(String(line).split('\n')[0] as string)
  await write(`${api}/api/v1/deals`, token, requests)
  process.kill(-(child.pid as number), 'SIGKILL') // strace and the server: an orderly end would write a checkpoint
  await once(child, 'close')
  return { before, trace }
}

/** Two thirds make a deal, and the rest change the title of one. */
async function write(url: string, token: string, requests: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made: string[] = []
  let left = requests

  async function client(): Promise<void> {
    while (left-- > 0) {
      const id = left % 3 === 0 ? made[left % Math.max(1, made.length)] : undefined
      const body = JSON.stringify({ title: `Rollout of ${left} seats` })
      const answer = await fetch(id === undefined ? url : `${url}/${id}`, {
        method: id === undefined ? 'POST' : 'PATCH',
        headers,
        body,
      })
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
      const record = (await answer.json()) as { id: string }
      if (id === undefined) made.push(record.id)
    }
  }

  await Promise.all(Array.from({ length: CLIENTS }, client))
}
