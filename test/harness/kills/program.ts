import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { bundled } from '../../support/bundle.ts'

export type Ended = { code: number | null; signal: NodeJS.Signals | null; out: string }
export type Run = { child: ChildProcess; ended: Promise<Ended> }
export type Program = Awaited<ReturnType<typeof programOf>>

/** What is killed: an executable, or the sources as one file. Only the latter makes more than one backup a minute. */
export async function programOf(executable: string | undefined) {
  const bundle = executable === undefined ? await bundled('src/main.ts') : undefined
  const command = bundle ? process.execPath : resolve(executable as string)
  const first = bundle ? [bundle.file] : []
  // Threads find the files of the bundle by the current directory.
  const cwd = bundle && dirname(bundle.file)
  const often = bundle ? ['--import', join(import.meta.dirname, 'often.mjs')] : []
  const setClock = bundle ? ['--import', join(import.meta.dirname, '../../support/set-clock.ts')] : []
  const alive = new Set<ChildProcess>()
  process.once('exit', () => {
    for (const child of alive) child.kill('SIGKILL')
  })

  /** Runs a command. What it says on stderr goes to the log. */
  function run(args: readonly string[], log: string, before: readonly string[] = [], more = {}): Run {
    const stderr = openSync(log, 'a')
    const env = { ...process.env, ...bundle?.env, ...more }
    const child = spawn(command, [...before, ...first, ...args], { stdio: ['ignore', 'pipe', stderr], env, cwd })
    closeSync(stderr)
    alive.add(child)
    child.once('exit', () => alive.delete(child))
    let out = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, out }) as Ended)
    return { child, ended }
  }

  return {
    run,
    /** Its clock may be ahead. */
    serve: (args: readonly string[], log: string, aheadMs = 0): Run =>
      run(['serve', ...args], log, [...often, ...(aheadMs > 0 ? setClock : [])], { DEALBOX_TEST_SHIFT_MS: aheadMs }),
    remove: () => bundle?.remove(),
  }
}

export function kill({ child, ended }: Run): Promise<Ended> {
  child.kill('SIGKILL')
  return ended
}
