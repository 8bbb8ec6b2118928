import { appendFileSync, closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { Tallied } from './tally.ts'

/** A minute of a soak. Sizes are in MiB; of the process and of the log, the largest of the minute. */
export type Sample = Tallied & {
  minute: number
  /** Days of the short clock. */
  days: number
  rssMb: number
  heapMb: number
  externalMb: number
  /** Of one core. */
  cpuShare: number
  lagP99Ms: number
  lagMaxMs: number
  databaseMb: number
  /** Without its free pages. */
  usedMb: number
  logMb: number
  descriptors: number
  connections: number
  threads: number
  backups: number
  /** That were made since the start. */
  nights: number
  jobs: { due: number; later: number; running: number; givenUp: number }
  deliveries: number
  mailsToImport: number
  /** Since the start of the server. */
  sent: Record<string, number>
  rows: Record<string, number>
  /** Messages that the server logged, other than requests, since the start. */
  logged: Record<string, number>
  chores: Record<string, number>
  streams: { events: number; signedIn: number }
}

const MIB = 1_048_576

/** What can be seen of a server from outside. */
export function watcher({ pid, folder, screens }: { pid: number; folder: string; screens: string }) {
  const database = new Sqlite(join(folder, 'dealbox.db'), { readonly: true })
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sq%' AND name NOT LIKE 'search%'")
    .pluck()
    .all() as string[]
  const counts = tables.map((table) => [table, database.prepare(`SELECT count(*) FROM "${table}"`).pluck()] as const)
  const made = new Set<string>()
  let cpu = { seconds: 0, at: performance.now() }
  let peak = { rssMb: 0, logMb: 0, descriptors: 0, threads: 0 }

  /** Called every few seconds. */
  function look(): void {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const field = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
    const log = statSync(join(folder, 'dealbox.db-wal'), { throwIfNoEntry: false })?.size ?? 0
    const now = {
      rssMb: field('VmRSS') / 1024,
      logMb: log / MIB,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: field('Threads'),
    }
    for (const name of Object.keys(now) as (keyof typeof now)[]) peak[name] = Math.max(peak[name], now[name])
    for (const name of backups()) made.add(name)
  }

  const backups = (): string[] => {
    const at = join(folder, 'backups')
    return existsSync(at) ? readdirSync(at).filter((name) => name.endsWith('.tar')) : []
  }

  function cpuSince(seconds: number): number {
    const now = performance.now()
    const share = (seconds - cpu.seconds) / ((now - cpu.at) / 1000)
    cpu = { seconds, at: now }
    return share
  }

  const pages = (name: string): number => database.pragma(name, { simple: true }) as number

  /** And begins another minute. */
  async function take() {
    look()
    const metrics = metricsIn(await (await fetch(`${screens}/metrics`)).text())
    const { sum, by } = metrics
    const taken = {
      ...peak,
      heapMb: sum('dealbox_heap_used_bytes') / MIB,
      externalMb: sum('dealbox_external_memory_bytes') / MIB,
      cpuShare: cpuSince(sum('process_cpu_seconds_total')),
      lagP99Ms: sum('dealbox_event_loop_lag_seconds', 'quantile="0.99"') * 1000,
      lagMaxMs: sum('dealbox_event_loop_lag_seconds', 'quantile="1.0"') * 1000,
      databaseMb: sum('dealbox_database_bytes') / MIB,
      usedMb: ((pages('page_count') - pages('freelist_count')) * pages('page_size')) / MIB,
      connections: sum('dealbox_connections'),
      backups: backups().length,
      nights: made.size,
      jobs: {
        due: sum('dealbox_jobs', 'state="due"'),
        later: sum('dealbox_jobs', 'state="later"'),
        running: sum('dealbox_jobs', 'state="running"'),
        givenUp: sum('dealbox_jobs_given_up'),
      },
      deliveries: sum('dealbox_webhook_deliveries_pending'),
      mailsToImport: sum('dealbox_mails_to_import'),
      sent: {
        ...by('dealbox_mails_sent_total', 'mails '),
        ...by('dealbox_mails_received_total', 'mails '),
        ...by('dealbox_webhook_attempts_total', 'webhooks '),
      },
      rows: Object.fromEntries(counts.map(([table, count]) => [table, count.get() as number])),
    }
    peak = { rssMb: 0, logMb: 0, descriptors: 0, threads: 0 }
    return taken
  }

  return { look, take, close: () => database.close() }
}

function metricsIn(text: string) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const samples = lines.map((line) => /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)?.slice(1) ?? [])

  const of = (name: string) => samples.filter(([given]) => given === name)
  return {
    sum: (name: string, label = ''): number =>
      of(name).reduce((sum, [, labels = '', value]) => sum + (labels.includes(label) ? Number(value) : 0), 0),
    by: (name: string, before: string): Record<string, number> =>
      Object.fromEntries(
        of(name).map(([, labels = '', value]) => [before + (/"(.*)"/.exec(labels)?.[1] ?? ''), Number(value)]),
      ),
  }
}

/** Counts what a server logs beside requests, by level and message, and copies it to another file. */
export function logReader(file: string, copy: string) {
  const descriptor = openSync(file, 'r')
  const counts: Record<string, number> = {}
  const buffer = Buffer.alloc(1_048_576)
  let rest = ''
  return {
    read(): Record<string, number> {
      for (let got = 1; got > 0; ) {
        got = readSync(descriptor, buffer)
        const lines = (rest + buffer.toString('utf8', 0, got)).split('\n')
        rest = lines.pop() as string
        for (const line of lines) note(line)
      }
      return { ...counts }
    },
    close: () => closeSync(descriptor),
  }

  function note(line: string): void {
    if (line.includes('"msg":"request"')) return
    appendFileSync(copy, `${line}\n`)
    const { level, msg, job } = JSON.parse(line)
    const what = [level, job, msg].filter((part) => part !== undefined).join(' ')
    counts[what] = (counts[what] ?? 0) + 1
  }
}
