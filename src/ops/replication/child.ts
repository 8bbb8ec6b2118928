import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { trustingEnvironment } from '../../lib/net/trust.ts'

/** How a program has ended, and what it said last. */
export type Ended = { code: number | string | null; said: readonly string[] }

export type Child = {
  /** False if there is no such program. */
  isStarted: boolean
  ended: Promise<Ended>
  /** Lets it finish what it does; a program that takes longer is killed. */
  stop: () => Promise<void>
}

const GRACE_MS = 5000
/** Lines of which the last are remembered, each up to a length. */
const MAX_LINES = 5
const MAX_LINE = 2000

/**
 * Starts a program that must not outlive this process, nor run twice: a note of it is in `note`, and one that was left
 * behind by a killed process is ended first. It gets the environment of this process, with its credentials, and trusts
 * what this process trusts.
 */
export function startChild(
  program: string,
  argv: readonly string[],
  note: string,
  onLine: (line: string) => void,
): Child {
  endLeftBehind(note, argv)
  const child = spawn(program, argv, { env: trustingEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      said.push(line.slice(0, MAX_LINE))
      if (said.length > MAX_LINES) said.shift()
      onLine(line.slice(0, MAX_LINE))
    })
  }
  const failure = child.pid === undefined ? undefined : failureOfNote(note, child.pid)
  if (failure) child.kill('SIGKILL')
  const ended = endOf(child, said)
    .then((end) => (failure ? { code: failure.code ?? null, said: [failure.message] } : end))
    .finally(() => rmSync(note, { force: true }))

  async function stop(): Promise<void> {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    await ended
    clearTimeout(late)
  }

  return { isStarted: child.pid !== undefined, ended, stop }
}

/** Without its note, as on a full disk, a program could be left behind: it must not run then. */
function failureOfNote(note: string, pid: number): NodeJS.ErrnoException | undefined {
  try {
    writeFileSync(note, String(pid), { mode: 0o600 })
    return undefined
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

async function endOf(child: ChildProcess, said: readonly string[]): Promise<Ended> {
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    return { code: signal ?? code, said }
  } catch (error) {
    return { code: (error as NodeJS.ErrnoException).code ?? null, said: [(error as Error).message] }
  }
}

/** A program of another process with the same arguments would write to the same file. */
export function endLeftBehind(note: string, argv: readonly string[]): void {
  const pid = existsSync(note) ? Number(readFileSync(note, 'utf8')) : 0
  if (!Number.isInteger(pid) || pid <= 1 || !isRunning(pid, argv)) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    return // it has just ended
  }
  while (isRunning(pid, argv)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
}

/** Elsewhere than on Linux nobody can tell, and such a program ends by itself once it has something to say. */
function isRunning(pid: number, argv: readonly string[]): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1).join('\0') === argv.join('\0')
  } catch {
    return false
  }
}
