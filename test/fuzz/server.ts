import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DATABASE } from '../../src/store/open.ts'
import { openSqlite } from '../../src/store/sqlite/driver.ts'
import { MAIN } from '../support/program.ts'
import type { Tokens } from './parts.ts'
import { settings } from './settings.ts'
import { SINK, startSink } from './sink.ts'

/** Error lines of the server that are kept. */
const MAX_LINES = 100

/** What it says of webhooks that cannot be reached, as the made-up ones are. */
const IS_DOWN = 'webhook on hold: its receiver is down'
const MEMBERS = { own: 'ana@own.example', other: 'bo@other.example' }

export type Server = Awaited<ReturnType<typeof startServer>>

function dealbox(...argv: string[]) {
  const out = execFileSync(process.execPath, [MAIN, ...argv, '--json'], { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(out.toString())
}

export const readOpenApi = () => dealbox('openapi')

/**
 * A real server in a process of its own, over a temporary data folder with two seeded organisations, and the database
 * beside it, for reading only.
 */
export async function startServer(scopes: string[], seed: number) {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-fuzz-'))
  const data = ['--data', folder]
  let running: ChildProcess | undefined
  // Also when the fuzzer itself is ended or fails.
  process.once('exit', () => {
    running?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
  const init = (org: string, email: string): string => dealbox('init', ...data, '--org', org, '--email', email).org_id
  const token = (org: string, email: string, scope: string) =>
    dealbox('token', 'create', ...data, '--org', org, '--email', email, '--scope', scope)
  const sink = await startSink(seed)
  const own = init('Own', MEMBERS.own)
  const other = init('Other', MEMBERS.other)
  dealbox('seed', ...data, '--org', own, '--seed', '1')
  dealbox('seed', ...data, '--org', other, '--seed', '2')
  /** What they promise, and send; in the middle of a run something else. */
  function setUp(org: string, name: keyof typeof MEMBERS, isLater: boolean): void {
    const file = join(folder, 'settings.json')
    writeFileSync(file, JSON.stringify(settings(isLater, { port: sink.port, member: MEMBERS[name], name })))
    dealbox('settings', 'apply', ...data, '--org', org, file)
  }
  setUp(own, 'own', false)
  setUp(other, 'other', false)
  const good: string = token(own, 'ana@own.example', 'all').token
  const narrowScopes = scopes.filter((_, index) => index % 3 === 0)
  const revoked = token(own, 'ana@own.example', 'all')
  dealbox('token', 'revoke', ...data, revoked.id)
  const tokens: Tokens = {
    good,
    narrow: { token: token(own, 'ana@own.example', narrowScopes.join(',')).token, scopes: narrowScopes },
    bad: [revoked.token, ...forged(good)],
  }
  const argv = [
    'serve',
    ...data,
    '--api-listen',
    '127.0.0.1:0',
    '--screens-listen',
    '127.0.0.1:0',
    '--rate-limit',
    'off',
  ]
  const node = ['--expose-gc', '--import', pathToFileURL(join(import.meta.dirname, 'heap.ts')).href]
  const child = spawn(process.execPath, [...node, MAIN, ...argv], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  running = child
  const errors: string[] = []
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.trim().split('\n')
    if (errors.length < MAX_LINES) errors.push(...lines.filter((line) => !isExpected(line)))
  })
  const isExpected = (line: string): boolean => line.includes(IS_DOWN) || isOfSink(line, sink.port)
  const { api: url, screens } = await listening(child)
  const db = openSqlite(join(folder, DATABASE), { readonly: true })
  const lastEvent = db.prepare('SELECT max(commit_seq) FROM events').pluck()
  const saidInMeetings = db.prepare(
    `SELECT t.meeting_id AS id, s.text FROM transcripts AS t
     JOIN transcript_segments AS s ON s.org_id = t.org_id AND s.transcript_id = t.id
     WHERE t.org_id = (SELECT id FROM orgs WHERE public_id = ?) AND s.position % 7 = 3 ORDER BY s.position, t.id LIMIT ?`,
  )
  const saidAt = db
    .prepare(
      `SELECT s.start_ms || ' ' || s.end_ms || ' ' || s.text FROM transcripts AS t
       JOIN transcript_segments AS s ON s.org_id = t.org_id AND s.transcript_id = t.id
       WHERE t.meeting_id = ? ORDER BY s.position`,
    )
    .pluck()
  const byType = db.prepare('SELECT type, count(*) FROM events WHERE commit_seq > ? GROUP BY type ORDER BY type').raw()
  const saidInConversations = db.prepare(
    `SELECT conversation_id AS id, body_text AS text FROM messages
     WHERE org_id = (SELECT id FROM orgs WHERE public_id = ?) AND body_text <> '' ORDER BY id DESC LIMIT ?`,
  )
  const counts = db.prepare(
    `SELECT count(*) FILTER (WHERE status IN ('scheduled', 'active')) AS active,
            count(*) FILTER (WHERE status = 'paused') AS paused,
            count(*) FILTER (WHERE status = 'completed') AS completed,
            count(*) FILTER (WHERE status IN ('stopped', 'failed')) AS stopped
     FROM enrollments WHERE sequence_id = ?`,
  )
  const figures = db.prepare(
    `SELECT count(*) AS enrolled, count(*) FILTER (WHERE finished_at IS NULL) AS active,
            count(*) FILTER (WHERE status = 'completed') AS completed,
            count(*) FILTER (WHERE status IN ('stopped', 'failed')) AS stopped,
            count(replied_at) AS replied, count(unsubscribed_at) AS unsubscribed,
            count(meeting_booked_at) AS meetings_booked,
            coalesce(sum((SELECT count(sent_at) FROM enrollment_steps AS step
              WHERE step.org_id = enrollments.org_id AND enrollment_id = enrollments.id)), 0) AS sent
     FROM enrollments WHERE sequence_id = ?`,
  )
  const laterEvents = db.prepare('SELECT actor_type, object_id FROM events WHERE commit_seq > ?')

  return {
    url,
    host: new URL(url).host,
    tokens,
    foreignToken: token(other, 'bo@other.example', 'all').token as string,
    /** What it wrote to standard error: nothing, if all is well. */
    errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** For reading. */
    db,
    sink,
    changeSettings: () => setUp(own, 'own', true),
    /** The page for those who want no more mailings. */
    unsubscribeUrl: `${screens}/unsubscribe/`,
    /** Of the events behind a mark. */
    countEvents: (mark: number) => Object.fromEntries(byType.all(mark) as [string, number][]),
    /** Of the enrollments of a sequence. */
    countsOf: (sequence: string) => counts.get(sequence) as Record<string, number>,
    figuresOf: (sequence: string) => figures.get(sequence) as Record<string, number>,
    saidAt: (meeting: string) => saidAt.all(meeting) as string[],
    saidInMeetings: (most: number) => saidInMeetings.all(own, most) as { id: string; text: string }[],
    saidInConversations: (most: number) => saidInConversations.all(own, most) as { id: string; text: string }[],
    eventMark: () => lastEvent.get() as number,
    eventsSince: (mark: number) => laterEvents.all(mark) as { actor_type: string; object_id: string }[],
    /** Resident memory in MB; 0 where the system does not say. */
    residentMb: (): number => {
      const file = `/proc/${child.pid}/status`
      return existsSync(file) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) / 1024 : 0
    },
    /** The heap after a collection of garbage, in MB. */
    heapMb: async (): Promise<number> => {
      child.send('heap')
      const [bytes] = await once(child, 'message')
      return (bytes as number) / 1_048_576
    },
    /** Ends it and looks into what it leaves behind: what is wrong with that. */
    stop: async (): Promise<string[]> => {
      const code = await ended(child)
      sink.stop()
      const integrity = db.pragma('integrity_check', { simple: true })
      const orphans = db.pragma('foreign_key_check') as unknown[]
      db.close()
      rmSync(folder, { recursive: true, force: true })
      return [
        ...(code === 0 ? [] : [`the server ended with ${code}`]),
        ...(integrity === 'ok' ? [] : [`integrity_check: ${integrity}`]),
        ...(orphans.length === 0 ? [] : [`foreign_key_check: ${JSON.stringify(orphans.slice(0, 5))}`]),
      ]
    },
  }
}

/** Tokens made from a good one that are none. */
function forged(token: string): string[] {
  const [version, purpose, payload = '', footer] = token.split('.')
  const other = payload.startsWith('A') ? 'B' : 'A'
  return [
    'x',
    'v4.public.x.y',
    'null',
    `${version}.${purpose}.${other}${payload.slice(1)}.${footer}`,
    `${version}.${purpose}.${payload}`,
    `v4.local.${payload}.${footer}`,
    token.slice(0, -1),
    'a'.repeat(4000),
  ]
}

/** A word of whoever speaks to a server for mail that has gone. */
const LOST = 'connection'

/** What the server says where a mail could not be sent, for the reasons that the sink gave it. */
function isOfSink(line: string, port: number): boolean {
  const isSending = line.includes('"job":"message.send"') && line.includes(`127.0.0.1:${port}`)
  return isSending && (line.includes(SINK) || line.includes(LOST))
}
function listening(child: ChildProcess): Promise<{ api: string; screens: string }> {
  return new Promise((resolve, reject) => {
    let out = ''
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const [, api] = /^api +(http\S+)$/m.exec(out) ?? []
      const [, screens] = /^screens +(http\S+)$/m.exec(out) ?? []
      if (api && screens) resolve({ api, screens })
    })
    child.once('exit', () => reject(new Error('the server did not start')))
  })
}

function ended(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(child.exitCode)
    child.once('exit', (code, signal) => resolve(code ?? signal))
    child.kill('SIGTERM')
  })
}
