import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export type Server = {
  folder: string
  url: string
  /** The address of the screens listener, if `screens` was set. */
  screens: string | undefined
  token: string
  call: (path: string, body?: unknown) => Promise<Found>
  memoryMb: () => number
  process: ChildProcess
  stop: () => Promise<void>
}
export type Found = {
  data: { id: string; outcome?: string; is_open?: boolean; status?: string; created_at?: string }[]
  next_cursor: string | null
}

const EMAIL = 'bench@example.com'

/** Runs Dealbox from its sources or as the executable: `dealbox` runs a command, `serve` a server with demo data. */
export function serving(executable: string | undefined) {
  const root = join(import.meta.dirname, '../..')
  const cache = join(root, 'node_modules/.cache/dealbox/bench')
  const command = executable ? [resolve(executable)] : [process.execPath, join(root, 'src/main.ts')]
  const pinned = spawnSync('taskset', ['-c', '1', 'true']).status === 0
  const onCore = (core: number, argv: string[]): string[] => (pinned ? ['taskset', '-c', String(core), ...argv] : argv)

  function dealbox(...argv: string[]) {
    const [program = '', ...rest] = [...command, ...argv, '--json']
    return JSON.parse(execFileSync(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] }).toString())
  }

  /** A folder with the data of a profile, or of `fill`, made once per schema and cached. */
  function seeded(profile: string, fill?: (folder: string) => void): string {
    const schema = hash('sha256', readFileSync(join(root, 'schema.sql'))).slice(0, 8)
    const folder = join(cache, `${profile}-${schema}`)
    if (existsSync(folder)) return folder
    mkdirSync(cache, { recursive: true })
    rmSync(`${folder}.new`, { recursive: true, force: true })
    dealbox('init', '--data', `${folder}.new`, '--org', 'Bench', '--email', EMAIL)
    const started = performance.now()
    if (fill) fill(`${folder}.new`)
    else dealbox('seed', '--data', `${folder}.new`, '--profile', profile)
    console.log(`seeded ${profile} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    cpSync(`${folder}.new`, folder, { recursive: true })
    rmSync(`${folder}.new`, { recursive: true })
    return folder
  }

  /** A folder of its own with the data of a profile. */
  function copied(profile: string, fill?: (folder: string) => void): string {
    const copy = mkdtempSync(join(tmpdir(), 'dealbox-bench-'))
    cpSync(seeded(profile, fill), copy, { recursive: true })
    return copy
  }

  const newToken = (folder: string): string =>
    dealbox('token', 'create', '--data', folder, '--email', EMAIL, '--scope', 'all').token

  /** Serves a copy of the folder as in production: tokens, scopes, rate limit and a log line for each request. */
  async function serve(
    profile: string,
    {
      core = 0,
      more = [],
      screens = false,
      rate = '900000000/s',
      descriptors,
      fill,
      env = {},
    }: {
      core?: number | null
      more?: string[]
      screens?: boolean
      rate?: string
      descriptors?: number
      fill?: (folder: string) => void
      /** Of the server, beside the own ones. */
      env?: Record<string, string>
    } = {},
  ): Promise<Server> {
    const copy = copied(profile, fill)
    const token = newToken(copy)
    const log = join(copy, 'log')
    const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', screens ? '127.0.0.1:0' : 'off']
    const all = [...command, 'serve', '--data', copy, '--json', '--rate-limit', rate, ...listen, ...more]
    if (descriptors) all.unshift('sh', '-c', `ulimit -n ${descriptors} 2> /dev/null; exec "$0" "$@"`)
    const [program = '', ...argv] = core === null ? all : onCore(core, all)
    const child = spawn(program, argv, {
      stdio: ['ignore', openSync(log, 'w'), 'inherit'],
      env: { ...process.env, ...env },
    })
    const { api: url, screens: screensUrl } = await listening(child, log)
    return {
      folder: copy,
      url,
      screens: screens ? screensUrl : undefined,
      token,
      call: async (path, body) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
        return (await (await fetch(`${url}/api/v1${path}`, init)).json()) as Found
      },
      memoryMb: () => memory(child, 'VmRSS'),
      process: child,
      stop: async () => {
        await ended(child)
        rmSync(copy, { recursive: true, force: true })
      },
    }
  }

  /** A link that signs the owner in once. */
  const signInUrl = ({ folder, screens = '' }: Server): string =>
    dealbox('member', 'reset', EMAIL, '--data', folder, '--screens-listen', screens.slice('http://'.length)).url

  return { command, dealbox, onCore, copied, serve, newToken, signInUrl }
}

/** The memory of a process in MB: VmRSS is the current size, VmHWM the peak. 0 if the process has exited. */
export function memory({ pid }: ChildProcess, field: 'VmRSS' | 'VmHWM'): number {
  try {
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** The addresses of a server once it listens, of which it writes a line to its log: within ten minutes. */
export async function listening(child: ChildProcess, log: string): Promise<{ api: string; screens: string }> {
  for (let tries = 0; tries < 30_000 && child.exitCode === null; tries++) {
    const [, api, screens] = /"api":"([^"]+)","screens":"([^"]+)"/.exec(readFileSync(log, 'utf8')) ?? []
    if (api && screens) return { api, screens }
    await new Promise((wake) => setTimeout(wake, 20))
  }
  throw new Error('the server did not start')
}

/** Terminates a process, unless it has exited; kills it after 15 s. */
export function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) return done()
    const force = setTimeout(() => child.kill('SIGKILL'), 15_000)
    child.once('exit', () => {
      clearTimeout(force)
      done()
    })
    child.kill('SIGTERM')
  })
}
