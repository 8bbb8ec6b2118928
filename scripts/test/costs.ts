import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Where the processor time of the tests goes: test/support/cost.ts notes it for each file.

/** How many files are listed, unless TEST_COST=all. */
const MOST_COSTLY = 12

const notes = join(tmpdir(), `dealbox-costs-${process.pid}`)
process.env.TEST_COSTS = notes
process.on('exit', () => rmSync(notes, { force: true }))

/** A line for the sum, and one for each of the files that took the most; none after a run of few files, unless TEST_COST=all. */
export function costs(): string[] {
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : []
  if (lines.length <= MOST_COSTLY && process.env.TEST_COST !== 'all') return []
  const each = lines.map((line) => ({ seconds: Number.parseInt(line, 10) / 1000, file: line.replace(/^\S+ /, '') }))
  const sum = each.reduce((sum, { seconds }) => sum + seconds, 0)
  each.sort((a, b) => b.seconds - a.seconds)
  const told = each.slice(0, process.env.TEST_COST === 'all' ? undefined : MOST_COSTLY)
  return [
    `${sum.toFixed(0)} s of processor time for ${lines.length} files, most of it for`,
    ...told.map(({ seconds, file }) => `${seconds.toFixed(1).padStart(7)} ${file}`),
  ]
}
