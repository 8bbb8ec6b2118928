// npm test: format, lint, types and every test.
//   npm test -- test/crm/deals.test.ts     some test files only
//   npm test -- --slow                     those that it leaves out, which .ci/run runs as well
//   TEST_SEED=7 npm test                   with different random examples
import { spawn } from 'node:child_process'
import { join, relative, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { inspect } from 'node:util'
import { bundled } from '../test/support/bundle.ts'
import { costs } from './test/costs.ts'
import { lanesOfAll, SLOW, urlOf } from './test/files.ts'
import { watchFiles } from './test/watch.ts'

const root = join(import.meta.dirname, '..')
process.chdir(root)

/** With TEST_ALL=1, as in CI, a skipped test fails, so that a missing tool is noticed; these are exceptions. */
const MAY_BE_SKIPPED = ['root may write everywhere', 'this machine has no address beside loopback']
const skipped: string[] = []
/** What went wrong, told once more at the very end: all that is left of a log of which only the end is kept. */
const failed: string[] = []

const given = process.argv.slice(2)
const isSlow = given.includes('--slow')
const named = isSlow ? SLOW : given
const lanes = named.length > 0 ? [named.map((file) => resolve(file))] : lanesOfAll()
/** With more, browsers have to wait for too long, and what is slow takes the time of others. */
const AT_ONCE = isSlow ? 2 : 3

// Many processes load the same sources: they share compiled code.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/dealbox/compiled')
process.env.TEST_SEED ??= '1'

// Format, lint and types take half a minute, beside the first tests. If they fail, nothing else is worth waiting for.
const ending = new AbortController()
if (given.length === 0)
  spawn(process.execPath, [join(root, 'scripts/check.ts')], { stdio: 'inherit' }).once('exit', (code) => {
    if (code === 0) return
    ending.abort()
    process.exit(code ?? 1)
  })
// Some hundred tests start the program.
if (given.length === 0 || isSlow) {
  const program = await bundled('src/main.ts')
  process.env.TEST_PROGRAM = program.file
  process.on('exit', program.remove)
}
const seed = () => process.stdout.write(`random examples: TEST_SEED=${process.env.TEST_SEED}\n`)
seed()
const runs = lanes.map((files, lane) =>
  run({
    files,
    concurrency: lane === 0 ? AT_ONCE : 1,
    timeout: 1_800_000, // of all files that share a process: one that hangs is ended by its silence
    signal: ending.signal,
    execArgv: [
      '--disable-warning=ExperimentalWarning',
      ...['seed.ts', 'cost.ts', 'without-fetch.ts'].flatMap((name) => ['--import', urlOf(`test/support/${name}`)]),
    ],
  })
    .on('test:fail', ({ name, file, todo, details: { error } }) => {
      if (todo) return
      process.exitCode = 1
      if (!/^\d+ subtests? failed$/.test(error.message))
        failed.push(`${relative(root, file ?? '')}, ${name}: ${shorten(error)}`)
    })
    .on('test:pass', ({ name, skip }) => {
      if (process.env.TEST_ALL !== '1' || skip === undefined || MAY_BE_SKIPPED.includes(String(skip))) return
      skipped.push(`${name}: ${skip}`)
      process.exitCode = 1
    }),
)
const hung = watchFiles(runs, lanes.flat(), Number(process.env.TEST_TICK_MS ?? 5000))
Readable.from(oneAfterTheOther(runs))
  .compose(spec)
  .on('end', () => {
    for (const each of costs()) process.stdout.write(`${each}\n`)
    for (const each of hung) process.stdout.write(`${each}\n`)
    for (const each of failed) process.stdout.write(`failed: ${each}\n`)
    for (const each of skipped) process.stdout.write(`must not be skipped here: ${each}\n`)
    seed()
  })
  .pipe(process.stdout)

/** The first lines of an error, and of where it was thrown. */
function shorten({ cause }: Error): string {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause)
  const lines = text.split('\n').filter((line) => !/ \(?node:internal/.test(line))
  return lines.slice(0, 20).join('\n').slice(0, 2000)
}

/** Both run at once, and are told in this order: their lines would mix. */
async function* oneAfterTheOther(streams: Readable[]) {
  for (const stream of streams) yield* stream
}
