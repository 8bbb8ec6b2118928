import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

// Which test files run, in which processes and in which order.

const root = join(import.meta.dirname, '../..')

/** The slowest test files and sets of SHARED, slowest first: started last, they would leave the other core idle. */
const LONGEST = [
  'screens',
  'records',
  'shell',
  'deals',
  'tables',
  'looks',
  'forms',
  'test/web/data/schedules.test.ts',
  'test/imports/ics/import.test.ts',
  'test/crm/lists/trees.test.ts',
  'test/store/list/walks.test.ts',
  'test/store/list/plans.test.ts',
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
const WAITING = [
  'test/runner.test.ts',
  'replication',
  'test/mail/real-servers.test.ts',
  'test/crash.test.ts',
  'test/cli/beside-server.test.ts',
  'test/cli/ending.test.ts',
  'test/cli/serve/serve.test.ts',
  'test/cli/process.test.ts',
  'test/clock.test.ts',
  'test/mail/mailbox-listener.test.ts',
  'test/mail/mailbox-sync.test.ts',
  'test/mail/oauth.test.ts',
  'test/mail/outbound-mail.test.ts',
]

/**
 * Files that share a process, one after the other: most of the cost of a small file is to start a process and to load the
 * sources. Not for files that measure memory, threads or the event loop, or leave the process changed.
 */
const SHARED: Record<string, { files: string[]; apart?: string[] }> = {
  screens: { files: ['test/web/{accessible,walk}.test.ts'] },
  deals: {
    files: ['test/web/deals/{board,board-access,deals-table,links,new-deal,selection,sums,table-commands}.test.ts'],
  },
  looks: {
    files: ['test/web/{font,layout,look,look-places,paper}.test.ts', 'test/web/components/{looks,tint}.test.ts'],
  },
  forms: { files: ['test/web/{forms,members,operation}/**'] },
  shell: {
    files: ['test/web/shell/{bin,frame,first-run,members-apart,my-changes,notices,sign-in,typed-ahead,undo}.test.ts'],
  },
  records: { files: ['test/web/record/**', 'test/web/components/gallery.test.ts'] },
  tables: {
    files: ['test/web/tables/{clipboard,copied,late,large,links,tables,typed}.test.ts', 'test/web/tasks/tasks.test.ts'],
  },
  demo: { files: ['test/demo/**', 'test/exports/**', 'test/upgrades/**'] },
  mail: {
    files: [
      'test/lib/mail/parse/{addresses,cid,forwarded,invitations,read,wrappers}.test.ts',
      'test/lib/mail/oauth/**',
      'test/mail/{authentication,calendar-answers,ends,incoming,incoming-rules,invitation-forms,invitations,partly-refused,recipients,sender-limits,sent-copies,threads,withdrawn,writers}.test.ts',
      'test/lib/mail/transport/{assigned-ids,compose,imap,refusals,smtp}.test.ts',
    ],
  },
  crm: { files: ['test/{crm,records,cleanup}/**'], apart: ['test/crm/lists/trees.test.ts'] },
  inbox: { files: ['test/inbox/**', 'test/meetings/**'], apart: ['test/inbox/settings/mailboxes.test.ts'] },
  lib: {
    files: ['test/{lib,events,support}/**'],
    apart: ['test/lib/{html/browser,log}.test.ts', 'test/lib/{mail,written}/**'],
  },
  http: {
    files: [
      'test/http/{listener/certificate,conditional,listener/connection,cursors,filters,body/forms,headers,idempotency,lists,order,pages,ratelimit,search,sharing,stop,sweeps}.test.ts',
      'test/{catalog,layers,openapi-rules,orgs}.test.ts',
    ],
  },
  webhooks: {
    files: ['test/webhooks/**', 'test/auth/**'],
    apart: ['test/webhooks/delivery/delivery-worker.test.ts'],
  },
  sequences: {
    files: ['test/sequences/**', 'test/app/settings/**', 'test/store/jobs/**', 'test/cli/serve/recurring.test.ts'],
    apart: ['test/store/jobs/crash.test.ts'],
  },
  imports: {
    files: ['test/imports/**'],
    apart: ['test/imports/**/command.test.ts', 'test/imports/csv/file/read.test.ts', 'test/imports/ics/import.test.ts'],
  },
  store: {
    files: [
      'test/store/{door,health,open,schema,schema-rules,search-pending,upkeep,watch}.test.ts',
      'test/store/{folder/{disk-space,key-file,vault},rows/columns,search/search,sqlite/prepared}.test.ts',
      'test/store/list/conditions.test.ts',
    ],
  },
  web: {
    files: [
      'test/web/{data,filters,lib}/**',
      'test/web/deals/{board-large,board-moves,board-rules,windows}.test.ts',
      'test/web/shell/{guesses,keys,match,router}.test.ts',
      'test/web/{components/contrast,tables/engine,tables/rows,tasks/quick-add}.test.ts',
      'test/web/{budgets,build}.test.ts',
      'test/release/**',
    ],
    apart: ['test/web/data/schedules.test.ts'],
  },
  written: {
    files: ['test/{lib/written,personal,ops/monitoring/notify}/**', 'test/store/list/{by-reference,skip}.test.ts'],
  },
  replication: { files: ['test/ops/replication/**'] },
  backup: { files: ['test/ops/backup/**'], apart: ['test/ops/backup/commands/resume-sending.test.ts'] },
  cli: {
    files: [
      'test/{command/config,ops/doctor,ops/moves}/**',
      'test/cli/{commands,install,jobs,key-files,proxies,versions,serve/workers}.test.ts',
      'test/http/listener/front.test.ts',
    ],
  },
  app: { files: ['test/site/**', 'test/ops/monitoring/*', 'test/fuzz/{enrollments,mail,sequences}.test.ts'] },
}

export function urlOf(file: string): string {
  return pathToFileURL(join(root, file)).href
}

/**
 * What each process starts with, a test file, or a file that imports several: by lane, in the order in which they start. Without
 * those of SLOW.
 */
export function lanesOfAll(): string[][] {
  const all = globSync('test/**/*.test.ts').filter((file) => !SLOW.includes(file))
  const shared = Object.entries(SHARED).map(([name, { files, apart = [] }]) => {
    const without = new Set(apart.flatMap((pattern) => globSync(pattern)))
    return {
      name,
      files: files.flatMap((pattern) => globSync(pattern)).filter((file) => all.includes(file) && !without.has(file)),
    }
  })
  const ordered = [...LONGEST, ...Object.keys(SHARED)]
  const taken = new Set([...WAITING, ...ordered, ...shared.flatMap(({ files }) => files)])
  const rest = all.filter((file) => !taken.has(file)).sort()
  const others = [...new Set([...ordered, ...rest])].filter((name) => !WAITING.includes(name))
  const entries = new Map(shared.map((each) => [each.name, each]))
  return [others, WAITING].map((names) =>
    names.map((name) => {
      const set = entries.get(name)
      return set ? entryOf(set) : join(root, name)
    }),
  )
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
