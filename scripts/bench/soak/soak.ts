import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { caller } from '../client.ts'
import { ended, type Server, type serving } from '../serving.ts'
import { chores } from './chores.ts'
import { type ShortDays, shortDays } from './clock.ts'
import { sender } from './http.ts'
import { startMail } from './mail.ts'
import type { Given } from './mix.ts'
import { PER_S, pace, until } from './pace.ts'
import { logReader, type Sample, watcher } from './sample.ts'
import { tally } from './tally.ts'
import type { About } from './text.ts'
import { visitors } from './visitors.ts'

const DAY_S = 72
const MINUTE_MS = 60_000
const LOOK_MS = 5000
/** A mail comes in so often; an import and an export are made in so many minutes. */
const MAIL_MS = 3000
const EXPORT_MINUTES = 3
const IMPORT_MINUTES = 1
/** Deleted records stay for 30 days, so that the soak is long enough for those; the others are kept for a week. */
const RETENTION = ['--event-retention', '7d', '--audit-retention', '7d']
const HOUR_S = 3600

type Options = { serving: ReturnType<typeof serving>; minutes: number; out: string; server: string }

/**
 * A server under a mixed load, with mail, webhooks, sequences and nights of a short clock, for so many minutes. Writes a
 * line for each of them to soak.jsonl in `out`, whose path it returns, and what the server logs to log.jsonl. SIGTERM ends
 * it earlier.
 */
export async function soak({ serving, minutes, out, server: named }: Options): Promise<string> {
  mkdirSync(out, { recursive: true })
  const file = join(out, 'soak.jsonl')
  const ends: (() => unknown)[] = []
  rmSync(serving.copied('10k'), { recursive: true }) // so that the data is made before the clock starts
  const clock = shortDays(DAY_S)
  const stopping = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort())
  try {
    const mail = await startMail({ after: (end) => void ends.push(end) }, clock)
    const { env } = clock
    Object.assign(process.env, mail.env)
    const more = ['--webhook-allow', '127.0.0.1', '--backup-keep', '7,2,2', ...RETENTION]
    const server = await serving.serve('10k', { core: null, screens: true, more, env })
    ends.push(server.stop)
    const given = await prepare(server, { serving, out, mail })
    const about: About = {
      ...{ minutes, day: DAY_S, perS: PER_S, server: named, node: process.versions.node },
      machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
      date: new Date().toISOString().slice(0, 10),
    }
    writeFileSync(file, `${JSON.stringify({ about })}\n`)
    const options = { server, given, mail, clock, env, stopping, ends }
    await load({ ...options, command: serving.command, minutes, out, link: serving.signInUrl(server) }, (sample) => {
      appendFileSync(file, `${JSON.stringify({ sample })}\n`)
      console.log(line(sample))
    })
  } finally {
    for (const end of ends.reverse()) await end()
  }
  return file
}

type Mail = Awaited<ReturnType<typeof startMail>>

/** Settings and webhooks, before the load. */
async function prepare(
  server: Server,
  { serving, out, mail }: { serving: Options['serving']; out: string; mail: Mail },
): Promise<Given> {
  const settings = join(out, 'settings.json')
  const targets = { first_response_s: HOUR_S, next_response_s: HOUR_S, resolution_s: 24 * HOUR_S }
  const email = (delay_s: number, subject: string) => ({
    type: 'email',
    delay_s,
    subject,
    body: 'Hello {{contact.name}}.',
  })
  const document = {
    mailboxes: [mail.mailbox],
    sla: [{ key: 'usual', name: 'Usual', is_default: true, hours: null, targets: { normal: targets } }],
    sequences: [
      {
        ...{ key: 'soak', name: 'Soak', status: 'active', stop_on: ['reply'] },
        steps: [
          email(0, 'Hello {{contact.first_name}}'),
          { type: 'task', delay_s: 12 * HOUR_S, task_title: 'Look after {{contact.name}}' },
          email(24 * HOUR_S, 'Again'),
        ],
      },
    ],
  }
  writeFileSync(settings, JSON.stringify(document))
  serving.dealbox('settings', 'apply', settings, '--data', server.folder)
  const call = caller(server)
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  const list = async (path: string): Promise<any[]> => ((await call('GET', path)) as { data: unknown[] }).data
  const ids = async (path: string): Promise<string[]> => (await list(path)).map(({ id }) => id)
  const stages = (await list('/stages')).filter(({ is_open }) => is_open)
  const filter = { field: 'custom_fields.newsletter', op: 'eq', value: true }
  const smart = (await call('POST', '/lists', { name: 'Soak', object: 'contact', kind: 'smart', filter })) as {
    id: string
  }
  return {
    stages: stages.filter(({ pipeline_id }) => pipeline_id === stages[0].pipeline_id).map(({ id }) => id),
    pipeline: stages[0].pipeline_id,
    reasons: await ids('/close-reasons'),
    sequence: (await list('/sequences?limit=100')).find(({ name }) => name === 'Soak').id,
    deals: await ids('/deals?limit=100&status=open'),
    contacts: await ids('/contacts?limit=100'),
    smart: smart.id,
  }
}

type Load = {
  server: Server
  given: Given
  mail: Mail
  clock: ShortDays
  env: Record<string, string>
  stopping: AbortController
  ends: (() => unknown)[]
  command: string[]
  minutes: number
  out: string
  link: string
}

async function load(options: Load, record: (sample: Sample) => void): Promise<void> {
  const { server, mail, clock, env, stopping, ends, command, minutes, out, link } = options
  const screens = server.screens as string
  const { send, stop } = sender()
  ends.push(stop)
  const browsers = visitors(screens, send)
  ends.push(browsers.stop)
  await browsers.arrive(link)
  browsers.come()
  const { bare, end } = await receivers(server)
  ends.push(end)
  const watch = watcher({ pid: server.process.pid as number, folder: server.folder, screens })
  const log = logReader(join(server.folder, 'log'), join(out, 'log.jsonl'))
  ends.push(watch.close, log.close)
  const beside = chores({ command, data: server.folder, out, env })
  ends.push(beside.ended)
  server.process.once('exit', () => stopping.abort())
  const counted = tally()
  const every = (ms: number, job: () => void): void => {
    const timer = setInterval(job, ms)
    ends.push(() => clearInterval(timer))
  }
  every(LOOK_MS, watch.look)
  every(MAIL_MS, mail.write)
  const paced = pace({ ...options, bare, browsers, counted, send })
  const started = performance.now()
  for (let minute = 1; minute <= minutes && !stopping.signal.aborted; minute++) {
    await until(started + minute * MINUTE_MS, stopping.signal)
    if (server.process.exitCode !== null) throw new Error(`the server ended with ${server.process.exitCode}`)
    const tallied = counted.take()
    tallied.examples.push(...beside.failures())
    record({
      ...{ minute, days: clock.days(), ...tallied, ...(await watch.take()) },
      ...{ logged: log.read(), chores: { ...beside.counts }, streams: browsers.counts() },
    })
    mail.forget()
    if (minute % EXPORT_MINUTES === 0) beside.export()
    if (minute % IMPORT_MINUTES === 0) beside.import()
  }
  stopping.abort()
  await paced
}

/** Three webhooks; the receiver of one refuses every tenth delivery. Returns the address of a bare server, too. */
async function receivers(server: Server): Promise<{ bare: string; end: () => Promise<void> }> {
  const start = async (...argv: string[]) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, '../receivers.mjs'), ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [port] = JSON.parse(await new Promise((found) => child.stdout.once('data', (data) => found(String(data)))))
    return { child, url: `http://127.0.0.1:${port}/` }
  }
  const [good, flaky] = [await start(), await start('10')]
  const call = caller(server)
  await call('POST', '/webhooks', { url: `${good.url}all`, event_types: ['*'] })
  await call('POST', '/webhooks', { url: `${good.url}deals`, event_types: ['deal.*'] })
  await call('POST', '/webhooks', { url: `${flaky.url}tasks`, event_types: ['task.*', 'note.*'] })
  const bare = await start()
  const all = [good, flaky, bare].map(({ child }) => child)
  return { bare: bare.url, end: async () => void (await Promise.all(all.map(ended))) }
}

const line = ({
  minute,
  rssMb,
  heapMb,
  logMb,
  descriptors,
  threads,
  cpuShare,
  waits,
  failed,
  backups,
  requests,
}: Sample): string =>
  `${minute} min: ${rssMb.toFixed(0)} MiB, heap ${heapMb.toFixed(0)}, log ${logMb.toFixed(1)}, ${descriptors} descriptors, ${threads} threads, CPU ${(cpuShare * 100).toFixed(0)} %, ${requests} requests, p99 ${waits.reads.p99.toFixed(0)}/${waits.writes.p99.toFixed(0)}/${waits.screens.p99.toFixed(0)} ms beside ${waits.bare.p99.toFixed(0)}, ${backups} backups, failed ${JSON.stringify(failed)}`

/** What `soak` has written. */
export function readSoak(file: string): { about: About; samples: Sample[] } {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const [first, ...rest] = lines.map((each) => JSON.parse(each))
  return { about: first.about, samples: rest.map(({ sample }) => sample) }
}
