// npm test: format, lint, types and every test.
//   npm test -- test/crm/deals.test.ts     some test files only
//   TEST_SEED=7 npm test                   with different random examples
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
process.chdir(root)

/** The slowest test files, slowest first: started last, they would leave the other core idle. */
const LONGEST = [
  'test/crash.test.ts',
  'test/sequences/crash.test.ts',
  'test/mail/sync/real-servers.test.ts',
  'test/crm/lists/trees.test.ts',
  'test/store/list/walks.test.ts',
  'test/mail/sync/outbound-mail.test.ts',
  'test/webhooks/crash.test.ts',
  'test/demo/replay/replay.test.ts',
  'test/store/list/plans.test.ts',
  'test/mail/transport/imap.test.ts',
  'test/cli/export.test.ts',
]

/** With DEALBOX_TEST_ALL=1, as in CI, a skipped test fails, so that a missing tool is noticed; these are exceptions. */
const MAY_BE_SKIPPED = ['root may write everywhere', 'this machine has no address beside loopback']
const skipped: string[] = []

const given = process.argv.slice(2)
const rest = globSync('test/**/*.test.ts').filter((file) => !LONGEST.includes(file))
const files = given.length > 0 ? given : [...LONGEST, ...rest.sort()]

// Each file runs in its own process, and many start others: they share compiled code.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules/.cache/dealbox/compiled')
process.env.TEST_SEED ??= '1'

if (given.length === 0) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/check.ts')], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const seed = () => process.stdout.write(`random examples: TEST_SEED=${process.env.TEST_SEED}\n`)
seed()
run({
  files: files.map((file) => join(root, file)),
  concurrency: 4, // some mostly wait for servers of other programs
  timeout: 300_000,
  execArgv: [
    '--disable-warning=ExperimentalWarning',
    '--import',
    pathToFileURL(join(root, 'test/support/seed.ts')).href,
  ],
})
  .on('test:fail', ({ todo }) => {
    if (!todo) process.exitCode = 1
  })
  .on('test:pass', ({ name, skip }) => {
    if (process.env.DEALBOX_TEST_ALL !== '1' || skip === undefined || MAY_BE_SKIPPED.includes(String(skip))) return
    skipped.push(`${name}: ${skip}`)
    process.exitCode = 1
  })
  .compose(spec)
  .on('end', () => {
    for (const each of skipped) process.stdout.write(`must not be skipped here: ${each}\n`)
    seed()
  })
  .pipe(process.stdout)
