import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Which test files run, in which processes and in which order.

const root = join(import.meta.dirname, '../..')

/** The slowest files and sets, slowest first: started last, they would leave the other core idle. */
const LONGEST = [
  ...[
    'screens',
    'records',
    'shell',
    'deals',
    'tables',
    'looks',
    'forms',
    'lists',
    'products',
    'walks',
    'pages',
    'calendars',
    'imports',
  ],
  'test/mail/year/year.test.ts',
  'test/web/data/schedules.test.ts',
]

/**
 * Minutes of whole servers that are killed, flooded, measured or promoted, of programs that not every machine has, and of a
 * browser that looks at every screen, or at thousands of rows: a step of .ci/run of their own, `npm test -- --slow`. The rules
 * that they rest on have tests that `npm test` runs.
 */
export const SLOW = [
  'test/http/strangers.test.ts',
  'test/ops/replication/primary.test.ts',
  'test/ops/replication/failover.test.ts',
  'test/ops/replication/crash.test.ts',
  'test/ops/replication/standby.test.ts',
  'test/ops/replication/guide.test.ts',
  'test/ops/replication/s3.test.ts',
  'test/sequences/crash.test.ts',
  'test/webhooks/crash.test.ts',
  'test/mail/accounted.test.ts',
  'test/mail/thousand.test.ts',
  'test/http/floods.test.ts',
  'test/flood.test.ts',
  'test/readers/linear.test.ts',
  'test/scale.test.ts',
  'test/web/accessible.test.ts',
  'test/web/components/gallery.test.ts',
  'test/web/deals/board-large.test.ts',
  'test/web/tables/large.test.ts',
  'test/demo/replay/replay.test.ts',
  'test/ops/moves/failures.test.ts',
]

/** These mostly wait for other programs and for servers that start: one after the other, beside all others. */
const WAITING = ['test/runner.test.ts', 'replication', 'programs', 'mailboxes']

/**
 * Files that have a process of their own, and why. All others share one with those of their folder: most of the cost of a small
 * file is to start a process and to load the sources.
 */
export const APART: Record<string, string> = {
  'test/runner.test.ts': 'runs other tests, and looks at what they leave behind',
  'test/http/hostile.test.ts': 'counts the sockets of its process',
  'test/imports/csv/file/read.test.ts': 'measures memory',
  'test/webhooks/delivery/delivery-worker.test.ts': 'counts the threads of its process',
  'test/mail/year/year.test.ts': 'takes as long as a set',
  'test/web/data/schedules.test.ts': 'takes as long as a set',
}

/**
 * Files that share a process, one after the other. A file is of the first set that names it; one that none names is of the
 * last. A file that measures memory, threads or the event loop, or leaves the process changed, belongs in APART.
 */
const SHARED: Record<string, string[]> = {
  screens: ['test/web/{accessible,walk}.test.ts'],
  records: ['test/web/record/**', 'test/web/components/gallery.test.ts'],
  shell: ['test/web/shell/{bin,frame,first-run,members-apart,my-changes,notices,sign-in,typed-ahead,undo}.test.ts'],
  deals: ['test/web/deals/{board,board-access,deals-table,links,new-deal,selection,sums,table-commands}.test.ts'],
  tables: ['test/web/tables/{clipboard,copied,late,large,links,tables,typed}.test.ts', 'test/web/tasks/tasks.test.ts'],
  looks: ['test/web/{font,layout,look,look-places,paper}.test.ts', 'test/web/components/{looks,tint}.test.ts'],
  forms: ['test/web/{forms,members,operation}/**'],
  walks: ['test/{operations,fuzz}/**', 'test/openapi.test.ts'],
  lists: ['test/store/list/**', 'test/crm/lists/trees.test.ts'],
  pages: [
    'test/web/deals/hand.test.ts',
    'test/web/larger.test.ts',
    'test/web/shell/{base-path,front,lasting,schedules}.test.ts',
  ],
  calendars: ['test/imports/ics/**'],
  products: ['test/imports/products/**'],
  imports: ['test/imports/**'],
  programs: ['test/{crash,clock}.test.ts', 'test/cli/{beside-server,ending,process,serve/serve}.test.ts'],
  mailboxes: ['test/mail/{mailbox-listener,mailbox-sync,oauth,outbound-mail,real-servers}.test.ts'],
  replication: ['test/ops/replication/**'],
  backup: ['test/ops/backup/**'],
  demo: ['test/{demo,exports,upgrades}/**'],
  mail: ['test/mail/**', 'test/lib/mail/**'],
  crm: ['test/{crm,records,cleanup}/**'],
  inbox: ['test/{inbox,meetings}/**'],
  written: ['test/{lib/written,personal,ops/monitoring/notify}/**'],
  lib: ['test/{lib,events,support}/**'],
  http: ['test/http/**'],
  webhooks: ['test/{webhooks,auth}/**'],
  sequences: ['test/sequences/**', 'test/app/settings/**', 'test/store/jobs/**', 'test/cli/serve/recurring.test.ts'],
  store: ['test/store/**'],
  web: ['test/web/**', 'test/release/**'],
  commands: [
    'test/{command,ops/doctor,ops/moves}/**',
    'test/cli/{commands,install,jobs,key-files,proxies,versions}.test.ts',
  ],
  cli: ['test/cli/**', 'test/readme.test.ts'],
  others: ['test/**'],
}

export function urlOf(file: string): string {
  return pathToFileURL(join(root, file)).href
}

/**
 * What each process starts with, a test file, or a file that imports several: by lane, in the order in which they start. Without
 * those of SLOW.
 */
export function lanesOfAll(): string[][] {
  const left = new Set(globSync('test/**/*.test.ts').filter((file) => !SLOW.includes(file)))
  const entries = new Map<string, string>()
  for (const file of Object.keys(APART)) if (left.delete(file)) entries.set(file, join(root, file))
  for (const [name, patterns] of Object.entries(SHARED)) {
    const files = patterns.flatMap((pattern) => globSync(pattern)).filter((file) => left.delete(file))
    if (files.length > 0) entries.set(name, entryOf({ name, files }))
  }
  const others = [...new Set([...LONGEST, ...entries.keys()])].filter((name) => !WAITING.includes(name))
  return [others, WAITING].map((names) => names.map((name) => entries.get(name) as string))
}

const SUITE = `
import { after, afterEach, describe } from 'node:test'
import { assertNoComplaints } from '${urlOf('test/support/complaints.ts')}'
import { noteCost } from '${urlOf('test/support/cost.ts')}'
const suite = (file, load) => describe(file, async () => {
  await load()
  afterEach(assertNoComplaints)
  after(() => noteCost(file)) // when the file has let go of all that it had
})
`

/** Each file is a suite of its own, so that its hooks run before and after its own tests only. */
function entryOf({ name, files }: { name: string; files: string[] }): string {
  const folder = join(root, 'node_modules/.cache/dealbox/shared-tests')
  mkdirSync(folder, { recursive: true })
  const entry = join(folder, `${name}.test.mjs`)
  const suites = files.sort().map((file) => `suite('${file}', async () => void (await import('${urlOf(file)}')))\n`)
  writeFileSync(entry, `${SUITE}${suites.join('')}`)
  return entry
}
