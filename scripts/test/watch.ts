import { type ChildProcess, spawnSync } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { relative } from 'node:path'
import type { TestsStream } from 'node:test'

// A test file may be unable to end itself, and no time limit inside of its process comes to pass: when Node cannot close a
// handle at the end, or a test never returns. The test runner of Node would wait for it for ever.

/**
 * How long a file may be silent while no test of it is known to run: while it is loaded, or ends, or runs a test that has not
 * let go of its process since it began. With the usual ticks, six minutes.
 */
const QUIET_TICKS = 72
/** While a test runs: eleven minutes, after its own time limit. */
const SILENT_TICKS = 132

type Watched = { child: ChildProcess; running: Set<string>; ticks: number; last: string }

/**
 * Ends each test file whose process is silent for too long: its runner counts it as failed then. Returns what to say of them.
 * Time is counted in ticks of the runner: while the machine is asleep or too busy for it, none pass.
 */
export function watchFiles(streams: TestsStream[], files: string[], tickMs: number): string[] {
  const open = new Map<ChildProcess, Watched>()
  const ended: string[] = []
  /** Whose messages are read in this moment: the events do not tell of which process they are. */
  let current: Watched | undefined

  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess }
    child.once('spawn', () => {
      if (!files.some((file) => child.spawnargs.includes(file))) return
      const watched: Watched = { child, running: new Set(), ticks: 0, last: '' }
      open.set(child, watched)
      child.once('exit', () => open.delete(child))
      child.stderr?.on('data', () => (watched.ticks = 0))
      child.stdout?.prependListener('data', () => (current = Object.assign(watched, { ticks: 0 })))
      child.stdout?.on('data', () => (current = undefined)) // behind the listener of the runner
    })
  })
  for (const stream of streams) {
    stream.on('test:dequeue', ({ name }) => current?.running.add(name))
    stream.on('test:complete', ({ name }) => {
      current?.running.delete(name)
      if (current) current.last = name
    })
  }
  setInterval(() => [...open.values()].forEach(tick), tickMs).unref()

  function tick(watched: Watched): void {
    const { child, running, last } = watched
    if (++watched.ticks < (running.size > 0 ? SILENT_TICKS : QUIET_TICKS)) return
    open.delete(child)
    const file = relative('', files.find((each) => child.spawnargs.includes(each)) as string)
    const where = running.size > 0 ? `in ${[...running].join(', ')}` : last ? `after ${last}` : 'before its first test'
    ended.push(`${file} did not end by itself, and was silent ${where}`)
    end(child)
  }

  return ended
}

/** Also the programs that it has started. */
function end(child: ChildProcess): void {
  for (const pid of descendants(child.pid as number)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // it has just ended
    }
  }
  child.kill('SIGKILL')
}

function descendants(root: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const all = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    all.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...below(pid)] : []))
  return below(root)
}
