import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const MAIN = join(import.meta.dirname, '../../../src/main.ts')

/** Keys of the storage; AWS_CA_BUNDLE makes Litestream fail where the file has not the form that it expects. */
export type Environment = Record<string, string | undefined>

export type Started = Awaited<ReturnType<typeof startServer>>

/** Starts `dealbox serve` in a process of its own, and waits until it listens. */
export async function startServer(prefix: readonly string[], argv: readonly string[], env: Environment = {}) {
  const { child, lines, ended } = run(prefix, argv, env)
  const api = await Promise.race([listening(child, lines), ended])
  if (typeof api !== 'string') throw new Error(`the server ended (${api}): ${lines.slice(-3).join(' ')}`)
  return { child, lines, ended, api }
}

/** Runs `dealbox`, which writes lines. */
export function run(prefix: readonly string[], argv: readonly string[], env: Environment = {}) {
  const [program, ...rest] = [...prefix, process.execPath, MAIN, ...argv]
  const child = spawn(program as string, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream as NonNullable<typeof stream> }).on('line', (line) => lines.push(line))
  const ended = once(child, 'close').then(([code, signal]) => (signal ?? code) as number | NodeJS.Signals)
  return { child, lines, ended }
}

async function listening(child: ChildProcess, lines: readonly string[]): Promise<string> {
  while (child.exitCode === null) {
    for (const line of lines) {
      const [, api] = /^api +(\S+)$/.exec(line) ?? []
      if (api) return api
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return new Promise(() => undefined)
}
