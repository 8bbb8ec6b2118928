import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boards } from './scale-board.ts'
import { addOrgs, type Filled, multiplyDeals } from './scale-fill.ts'
import { databaseMb, forget, type Timed, timed, type Used, used } from './scale-process.ts'
import { KINDS, type Visited, visitedOrgs, type Waited, waits } from './scale-requests.ts'
import { backup, checks, migration, opening, type Piece, recurring } from './scale-tasks.ts'
import { seedTemplate } from './scale-template.ts'
import { ended, listening, memory, type serving } from './serving.ts'

export type ScaleOptions = {
  /** Numbers of organisations, ascending: one folder grows from each to the next. */
  orgs: number[]
  dealsOfEach: number
  /** Deals of one organisation: a folder for each number. */
  deals: number[]
  /** A backup needs twice the size of the database again; it is left out where that is more than this. */
  diskGb: number
  /** Kept, and continued by the next run. */
  folder?: string | undefined
  /** Requests of each kind. */
  requests: number
  /** Parts that take long and are left out. */
  without: readonly Long[]
}

export const LONG = ['migration', 'checks', 'doctor', 'backup', 'export'] as const
export type Long = (typeof LONG)[number]

export type Start = { firstAnswerS: number; rssMb: number; rssAfterMb: number; metricsMs: number } & Used
export type Size = {
  what: 'orgs' | 'deals'
  size: number
  mb: number
  filled: { rows: number; seconds: number }
  opened: { cold: Timed; warm: Timed }
  migrated: Timed | undefined
  start: { cold: Start; warm: Start }
  cold: Waited[]
  warm: Waited[]
  recurring: Piece[]
  checks: Awaited<ReturnType<typeof checks>> | undefined
  backup: { mb: number; made: number; verified: number } | undefined
  doctorS: number | undefined
  /** Of one organisation. */
  board: Awaited<ReturnType<typeof boards>> | undefined
  export: ({ mb: number } & Timed) | undefined
}

type Tools = Pick<ReturnType<typeof serving>, 'command' | 'dealbox' | 'onCore'>

const TEMPLATE_DEALS = 10_000

/** Fills folders of each size and measures them. Calls `tell` after each. */
export async function scale(tools: Tools, options: ScaleOptions, tell: (size: Size) => void): Promise<Size[]> {
  const work = options.folder ?? join(tmpdir(), `dealbox-scale-${process.pid}`)
  const sizes: Size[] = []
  const measure = async (what: Size['what'], size: number, folder: string, fill: () => Filled): Promise<void> => {
    const { rows, seconds } = fill()
    const measured = { what, size, filled: { rows, seconds }, ...(await figures(tools, folder, what, options)) }
    sizes.push(measured)
    tell(measured)
  }
  mkdirSync(work, { recursive: true })
  try {
    const many = join(work, 'orgs')
    for (const size of options.orgs) {
      if (!existsSync(many)) seedTemplate(many, options.dealsOfEach, 'deals')
      await measure('orgs', size, many, () => addOrgs(many, size))
    }
    if (!options.folder) rmSync(many, { recursive: true, force: true })
    for (const size of options.deals) {
      const one = join(work, `deals-${size}`)
      const copies = Math.max(1, Math.round(size / TEMPLATE_DEALS))
      if (!existsSync(one)) {
        seedTemplate(one, Math.min(size, TEMPLATE_DEALS), 'deals')
        await measure('deals', size, one, () => multiplyDeals(one, copies))
      } else await measure('deals', size, one, () => ({ rows: 0, seconds: 0, tables: [] }))
      if (!options.folder) rmSync(one, { recursive: true, force: true })
    }
  } finally {
    if (!options.folder) rmSync(work, { recursive: true, force: true })
  }
  return sizes
}

async function figures(
  tools: Tools,
  folder: string,
  what: Size['what'],
  { requests, diskGb, without }: ScaleOptions,
): Promise<Omit<Size, 'what' | 'size' | 'filled'>> {
  const step = async <T>(name: string, job: () => T | Promise<T>): Promise<T> => {
    const from = performance.now()
    const value = await job()
    console.error(`${name}: ${((performance.now() - from) / 1000).toFixed(1)} s ${JSON.stringify(value)}`) // a run may take hours
    return value
  }
  const long = async <T>(name: Long, job: () => T | Promise<T>): Promise<T | undefined> =>
    without.includes(name) ? undefined : step(name, job)
  const migrated = await long('migration', () => migration(folder))
  const opened = await step('opening', () => opening(folder))
  const orgs = await visitedOrgs(folder, 300, 40)
  const kinds = Object.keys(KINDS)
  const cold = await step('cold server', () => served(tools, folder, orgs, requests, kinds, true))
  const warm = await step('warm server', () => served(tools, folder, orgs, requests, kinds, false))
  const pieces = await step('recurring work', () => recurring(folder))
  const board = what === 'deals' ? await step('board', () => boards(folder)) : undefined
  const sound = await long('checks', () => checks(folder))
  const doctor = await long('doctor', () => timed(() => tools.dealbox('doctor', '--data', folder)))
  const mb = databaseMb(folder)
  const hasRoom = 3 * mb <= diskGb * 1000
  const made = hasRoom ? await long('backup', () => backup(folder, tools.dealbox)) : undefined
  const exported = what === 'deals' ? await long('export', () => exporting(tools, folder)) : undefined
  return {
    ...{ mb, migrated, opened, recurring: pieces, checks: sound, doctorS: doctor?.seconds, backup: made },
    start: { cold: cold.start, warm: warm.start },
    ...{ cold: cold.waited, warm: warm.waited },
    ...{ board, export: exported },
  }
}

/** Starts a server, asks it, and stops it. */
async function served(
  { command, onCore }: Tools,
  folder: string,
  orgs: readonly Visited[],
  count: number,
  kinds: readonly string[],
  isCold: boolean,
): Promise<{ start: Start; waited: Waited[] }> {
  if (isCold) forget(folder)
  const log = join(folder, 'log')
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0', '--backup-at', 'off']
  const all = [...command, 'serve', '--data', folder, '--json', '--rate-limit', '900000000/s', ...listen]
  const [program = '', ...argv] = onCore(0, all)
  const began = performance.now()
  const child = spawn(program, argv, { stdio: ['ignore', openSync(log, 'w'), 'inherit'] })
  try {
    const { api: url, screens } = await listening(child, log)
    const server = { url, process: child }
    await waits(server, orgs.slice(0, 1), 1, ['newest 50 deals'])
    const firstAnswerS = (performance.now() - began) / 1000
    const start = { firstAnswerS, rssMb: memory(child, 'VmRSS'), ...used(child.pid) }
    const waited = await waits(server, orgs, count, kinds)
    const asked = performance.now()
    await (await fetch(`${screens}/metrics`)).text()
    const metricsMs = performance.now() - asked
    return { start: { ...start, rssAfterMb: memory(child, 'VmRSS'), metricsMs }, waited }
  } finally {
    await ended(child)
    rmSync(log, { force: true })
  }
}

async function exporting({ dealbox }: Tools, folder: string): Promise<{ mb: number } & Timed> {
  const to = join(folder, 'export')
  try {
    const { value, ...took } = await timed(() => dealbox('export', to, '--data', folder))
    void value
    const kb = Number(execFileSync('du', ['-sk', to]).toString().split('\t')[0])
    return { ...took, mb: kb / 1000 }
  } finally {
    rmSync(to, { recursive: true, force: true })
  }
}
