// npm test: format, lint, types and every test.
//   npm test -- test/crm/deals.test.ts     some test files only
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const files = process.argv.slice(2)

/** Every file is a process, and many start others: what one has compiled, all others need not. */
const env = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/dealbox/compiled'), ...process.env }

function run(...argv: string[]): void {
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit', cwd: root, env })
  if (status !== 0) process.exit(status ?? 1)
}

if (files.length === 0) run(join(root, 'scripts/check.ts'))
run(
  '--disable-warning=ExperimentalWarning',
  '--import',
  pathToFileURL(join(root, 'test/support/seed.ts')).href,
  '--test',
  '--test-concurrency=3', // some of them mostly wait, for servers of other programs
  '--test-timeout=300000',
  '--test-reporter=spec',
  ...(files.length > 0 ? files : ['test/**/*.test.ts']),
)
