// npm run bench: the throughput of the API, as ratios to a bare node:http server in the same run, since machines differ
// and are shared. Needs wrk. Runs the server on one core and wrk on another if taskset is installed.
//   npm run bench                         prints the tables
//   npm run bench -- --write              also writes docs/benchmarks.md, where screens and attack stay as they are
//   npm run bench -- --seconds 5 --sizes 10k,100k,1m
//   npm run bench -- --dealbox dist/dealbox   the executable instead of the sources
//   npm run bench -- --only webhooks          only that section; also inbox, sequences, writes, backup, attack, screens, pocketbase,
//                                         search (what scripts cost the index, for docs/decisions/005-search.md); of these, inbox and pocketbase need wrk, screens Chromium, pocketbase Go
//   npm run bench -- --only capacity --orgs 2800 --org-deals 1k --folders 8 --hooks 10k
//                                         many at once: 200 writers, several folders with their backups, a webhook of each organisation
//   npm run bench -- --only attack --seconds 60 --attack pipelined,tokens
//                                         the server under attack; all attacks together without --attack
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Attacked, attacked, attackText, readAttacks } from './bench/attack.ts'
import { type Backups, backups } from './bench/backup.ts'
import { beside, besideText, type Target } from './bench/beside.ts'
import { CAPACITY_OPTIONS, runCapacity } from './bench/capacity.ts'
import { importSeconds } from './bench/import.ts'
import { type Inbox, inbox } from './bench/inbox.ts'
import { waits } from './bench/large.ts'
import { pagesWritten, WRITES, type Written } from './bench/pages.ts'
import { buildPocketBase, servePocketBase } from './bench/pocketbase.ts'
import {
  backupsText,
  inboxText,
  type Row,
  report,
  type Sizes,
  sequencesText,
  webhooksText,
  withOthers,
  writesText,
} from './bench/report.ts'
import { searchedText } from './bench/search-words.ts'
import { type Sequences, sequences } from './bench/sequences.ts'
import { ended, type Found, type Server, serving } from './bench/serving.ts'
import { type Webhooks, webhooks } from './bench/webhooks.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string' },
    sizes: { type: 'string', default: '10k,100k,1m' },
    large: { type: 'string', default: '1m' },
    dealbox: { type: 'string' },
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    attack: { type: 'string' },
    ...CAPACITY_OPTIONS,
  },
})
const root = join(import.meta.dirname, '..')
const seconds = options.seconds ?? '5'
const page = join(root, 'docs/benchmarks.md')
const servers = serving(options.dealbox)
const { dealbox, onCore, copied, serve, newToken } = servers

async function wrk(
  url: string,
  env: Record<string, string>,
  connections = 32,
  script = 'requests',
): Promise<Omit<Row, 'name'>> {
  const [program = '', ...argv] = onCore(1, [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '-s',
    join(root, `scripts/bench/${script}.lua`),
    url,
  ])
  const child = spawn(program, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  await new Promise((done) => child.once('exit', done))
  return JSON.parse(out.trim().split('\n').at(-1) as string)
}

/** The maximum of the machine: a bare server that answers with five bytes. */
async function bare(): Promise<Omit<Row, 'name'>> {
  const code =
    "require('node:http').createServer((_, res) => res.end('hello')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
  const [program = '', ...argv] = onCore(0, [process.execPath, '-e', code])
  const child = spawn(program, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise((found) => child.stdout.once('data', (data) => found(String(data).trim())))
  const row = await wrk(`http://127.0.0.1:${port}/`, { KIND: 'url' })
  await ended(child)
  return row
}

async function operations(server: Server): Promise<Row[]> {
  const stages = (await server.call('/stages')).data
  const [first, second] = stages.filter((stage) => stage.is_open).map((stage) => stage.id)
  const reason = (await server.call('/close-reasons')).data.find((each) => each.outcome === 'won')?.id as string
  const all = await walk(server, '/deals?limit=50', 1000)
  const open = await walk(server, '/deals?limit=100&status=open', 600)
  const file = (name: string, ids: string[]) => {
    const path = join(tmpdir(), `dealbox-bench-${process.pid}-${name}`)
    writeFileSync(path, ids.join('\n'))
    return path
  }
  const some = file('some', all.ids.slice(0, 10_000))
  const moving = file('moving', open.ids.slice(0, 5000))
  const closing = file('closing', open.ids.slice(5000))
  const list = `${server.url}/api/v1/deals?limit=50`
  const scenarios: [string, string, Record<string, string>][] = [
    ['list of 50', list, { KIND: 'url' }],
    ['list of 50, fresh', server.url, { KIND: 'paths', IDS: file('fresh', await freshLists(server, stages)) }],
    ['list of 50, filtered by stage', `${list}&stage=${second}`, { KIND: 'url' }],
    ['list of 50, 1,000 pages deep', `${list}&cursor=${all.cursor}`, { KIND: 'url' }],
    ['get', server.url, { KIND: 'get', IDS: some }],
    ['create', server.url, { KIND: 'create' }],
    ['PATCH of the title', server.url, { KIND: 'title', IDS: some }],
    ['PATCH of the stage', server.url, { KIND: 'stage', IDS: moving, VALUES: `${first},${second}` }],
    ['close', server.url, { KIND: 'close', IDS: closing, VALUES: reason }],
  ]
  const rows: Row[] = []
  for (const [name, url, env] of scenarios) rows.push({ name, ...(await wrk(url, { TOKEN: server.token, ...env })) })
  return rows
}

/** Lists that were not asked for before: half of them before a time, a quarter of a stage too, and a quarter by amount. */
async function freshLists(server: Server, stages: Found['data']): Promise<string[]> {
  const timeOf = async (sort: string) =>
    Date.parse((await server.call(`/deals?limit=1&sort=${sort}`)).data[0]?.created_at as string)
  const [first, last] = [await timeOf('created_at'), await timeOf('-created_at')]
  return Array.from({ length: 200_000 }, (_, n) => {
    const before = `limit=50&created_at[lt]=${new Date(first + Math.random() * (last - first)).toISOString()}`
    if (n % 4 < 2) return `/deals?${before}`
    if (n % 4 === 2) return `/deals?${before}&stage=${stages[Math.floor(Math.random() * stages.length)]?.id}`
    return `/deals?limit=50&sort=-amount&amount[lte]=${(Math.random() * 100_000).toFixed(2)}`
  })
}

async function walk(server: Server, path: string, pages: number): Promise<{ ids: string[]; cursor: string }> {
  const ids: string[] = []
  let cursor = ''
  for (let page = 0; page < pages; page++) {
    const { data, next_cursor } = await server.call(`${path}${cursor && `&cursor=${cursor}`}`)
    ids.push(...data.map((record) => record.id))
    if (next_cursor === null) break
    cursor = next_cursor
  }
  return { ids, cursor }
}

/** The same page at each size. The sizes take turns, so that a busy moment of the machine affects all of them. */
async function pages(sizes: string[]): Promise<Sizes> {
  const servers = await Promise.all(sizes.map(async (size) => ({ size, server: await serve(size) })))
  const best = new Map<string, number>()
  for (let round = 0; round < 3; round++) {
    for (const { size, server } of servers) {
      const { per_s } = await wrk(`${server.url}/api/v1/deals?limit=50`, { KIND: 'url', TOKEN: server.token })
      best.set(size, Math.max(best.get(size) ?? 0, per_s))
    }
  }
  for (const { server } of servers) await server.stop()
  return [...best].map(([size, per_s]) => ({ size, per_s }))
}

/** On all cores, as in production: the thread that sends webhooks has its own. */
async function sending(): Promise<Webhooks> {
  const server = await serve('10k', { core: null, more: ['--webhook-allow', '127.0.0.1'] })
  try {
    return await webhooks(server)
  } finally {
    await server.stop()
  }
}

const applyTo =
  ({ folder }: Server) =>
  (document: object): void => {
    const file = join(tmpdir(), `dealbox-bench-${process.pid}-settings`)
    writeFileSync(file, JSON.stringify(document))
    dealbox('settings', 'apply', file, '--data', folder)
  }

async function following(): Promise<Sequences> {
  const server = await serve('10k', { core: null })
  try {
    return await sequences({ ...server, apply: applyTo(server) })
  } finally {
    await server.stop()
  }
}

/** On all cores, as in production, and "each night" in the next minute. */
async function backingUp(): Promise<Backups> {
  const soon = new Date(Date.now() + 60_000).toTimeString().slice(0, 5)
  const server = await serve('100k', { core: null, more: ['--backup-at', soon] })
  try {
    return await backups(server)
  } finally {
    await server.stop()
  }
}

/** In this process, since they are only counted. */
async function counting(): Promise<Written[]> {
  const written: Written[] = []
  for (const name of Object.keys(WRITES) as (keyof typeof WRITES)[]) {
    const folder = copied('100k')
    try {
      written.push(await pagesWritten(folder, name))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return written
}

async function answering(): Promise<Inbox> {
  const server = await serve('10k')
  try {
    return await inbox({ ...server, apply: applyTo(server), measure: (env) => wrk(server.url, env, 1) })
  } finally {
    await server.stop()
  }
}

/** On all cores and with the limits of production, except that it may have tens of thousands of connections. */
async function underAttack(): Promise<Attacked> {
  const attacks = readAttacks(options.attack)
  const server = await serve('10k', { core: null, screens: true, rate: '60000/60s', descriptors: 65_536 })
  try {
    const tokens = Array.from({ length: 20 }, () => newToken(server.folder))
    return await attacked(server, { attacks, seconds: Number(options.seconds ?? 60), tokens })
  } finally {
    await server.stop()
  }
}

async function besidePocketBase(): Promise<string> {
  const program = buildPocketBase()
  if (!program) return '## Beside PocketBase\n\nNot measured: this needs Go.\n'
  const server = await serve('100k', { core: null })
  const pocketbase = await servePocketBase(program, join(server.folder, 'dealbox.db'))
  try {
    const measure = ({ url, env }: Target) => wrk(url, env, 32, 'lines')
    return besideText(await beside(server, pocketbase, { wrk: measure, bare, random: Math.random }), seconds)
  } finally {
    await pocketbase.stop()
    await server.stop()
  }
}

if (options.only === 'capacity') {
  await runCapacity(servers, options)
  process.exit(0)
}
if (options.only === 'attack') {
  console.log(attackText(await underAttack()))
  process.exit(0)
}
if (options.only === 'search') {
  console.log(searchedText(100_000))
  process.exit()
}
if (options.only === 'writes') {
  console.log(writesText(await counting()))
  process.exit(0)
}
if (options.only === 'webhooks') {
  console.log(webhooksText(await sending()))
  process.exit(0)
}
// A program of its own: its types are those of a page.
if (options.only === 'screens') {
  const more = options.dealbox ? ['--dealbox', options.dealbox] : []
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/bench/screens.ts'), ...more], {
    stdio: 'inherit',
  })
  process.exit(status ?? 1)
}
if (options.only === 'sequences') {
  console.log(sequencesText(await following()))
  process.exit(0)
}
if (options.only === 'backup') {
  console.log(backupsText(await backingUp()))
  process.exit(0)
}
if (spawnSync('wrk', ['-v']).error) {
  console.error('This needs wrk, which Debian and Homebrew have as a package of that name.')
  process.exit(1)
}
if (options.only === 'inbox') {
  console.log(inboxText(await answering()))
  process.exit(0)
}
if (options.only === 'pocketbase') {
  console.log(await besidePocketBase())
  process.exit(0)
}
const before = await bare()
const server = await serve('100k')
const rows = await operations(server)
const memoryMb = server.memoryMb()
await server.stop()
const after = await bare()
const large = await serve(options.large)
const waiting = await waits({
  ...large,
  call: large.call as never,
  measure: (env) => wrk(large.url, env, 1),
})
await large.stop()
const sizes = await pages(options.sizes.split(',').filter((size) => size !== ''))
const text = report({
  bare: [before, after],
  rows,
  sizes,
  waiting: { profile: options.large, rows: waiting },
  importSeconds: importSeconds(dealbox),
  webhooks: await sending(),
  writes: await counting(),
  inbox: await answering(),
  sequences: await following(),
  backups: await backingUp(),
  memoryMb,
  seconds,
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
})
console.log(text)
if (options.write) writeFileSync(page, withOthers(text, readFileSync(page, 'utf8')))
