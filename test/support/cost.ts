import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

// Loaded before every test file. Notes for scripts/test.ts how much processor time each file takes, with all programs that it
// starts: unlike its duration, this is the same on a busy machine.

let toldBefore = 0

/** Of this process and of its programs that have ended, in milliseconds. A tick of /proc/PID/stat (see proc(5)) is 10 ms. */
function costMs(): number {
  const { user, system } = process.cpuUsage()
  let ofPrograms = 0
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    ofPrograms = (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    // Without /proc it is not known.
  }
  return Math.round((user + system) / 1000) + ofPrograms
}

/** Notes what has been used since the last note. */
export function noteCost(file: string): void {
  if (process.env.TEST_COSTS === undefined) return
  const now = costMs()
  appendFileSync(process.env.TEST_COSTS, `${now - toldBefore} ${file}\n`)
  toldBefore = now
}

if (process.argv[1]?.endsWith('.test.ts')) process.on('exit', () => noteCost(relative('', process.argv[1] as string)))
