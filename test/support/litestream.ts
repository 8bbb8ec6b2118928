import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SOCKET } from '../../src/ops/replication/renewal.ts'
import { goTool, isBuilt, noGo } from './go-tools.ts'
import { BUCKET, KEYS } from './versitygw.ts'

const PROGRAM = ['github.com/benbjohnson/litestream/cmd/litestream', 'litestream'] as const

/** For the option `skip` of a test that needs Litestream, which is built from its Go module: only CI waits for that. */
export const noLitestream =
  noGo || (process.env.TEST_ALL === '1' || isBuilt(...PROGRAM) ? false : 'npm run go-tools builds Litestream')

/** Where a copy is: a folder, or a folder in the bucket of versitygw. */
export type Replica = { folder: string } | { port: number; prefix: string }

/** Builds it at the first call, which takes minutes, once for each version in go/litestream/go.mod. */
export const litestreamProgram = (): string => join(goTool(...PROGRAM), 'litestream')

/** For the command line of Litestream. */
export const urlOf = (replica: Replica): string =>
  'folder' in replica
    ? `file://${replica.folder}`
    : `s3://${BUCKET}/${replica.prefix}?endpoint=http://127.0.0.1:${replica.port}&region=us-east-1`

/** AWS_CA_BUNDLE makes its client fail where the file has not the form that it expects. */
export const litestreamEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  AWS_CA_BUNDLE: undefined,
  AWS_ACCESS_KEY_ID: KEYS.id,
  AWS_SECRET_ACCESS_KEY: KEYS.secret,
})

/** How often it looks for changes and sends them; 1 s each by default, and less for tests that wait for it. */
export type Pace = { everyMs?: number }

/** The configuration that tests use. */
export function litestreamConfig(database: string, replica: Replica, { everyMs = 100 }: Pace = {}): string {
  const where =
    'folder' in replica
      ? [`path: ${replica.folder}`]
      : [
          'type: s3',
          `bucket: ${BUCKET}`,
          `path: ${replica.prefix}`,
          `endpoint: http://127.0.0.1:${replica.port}`,
          'region: us-east-1',
          'force-path-style: true',
        ]
  return [
    `socket: {enabled: true, path: ${join(dirname(database), SOCKET)}, permissions: 0600}`,
    'dbs:',
    `  - path: ${database}`,
    `    monitor-interval: ${everyMs}ms`,
    '    replica:',
    ...[...where, `sync-interval: ${everyMs}ms`].map((line) => `      ${line}`),
    '',
  ].join('\n')
}

export type Running = ReturnType<typeof run>

/** Starts `litestream` with these arguments. */
export function run(env: NodeJS.ProcessEnv, ...argv: string[]) {
  const child: ChildProcess = spawn(litestreamProgram(), argv, {
    env: { ...process.env, AWS_CA_BUNDLE: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => void (said += chunk))
  const exit = once(child, 'exit')

  return {
    pid: child.pid as number,
    /** What it has said so far. */
    said: () => said,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    exit,
    /** It copies what is not copied yet, and ends. */
    stop: async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
      child.kill(signal)
      await exit
    },
    kill: async (): Promise<void> => {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** Replicates a database, until `stop`. */
export function replicate(database: string, replica: Replica, pace?: Pace): Running {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-litestream-'))
  const file = join(folder, 'litestream.yml')
  writeFileSync(file, litestreamConfig(database, replica, pace))
  const running = run(litestreamEnvironment(), 'replicate', '-config', file)
  void running.exit.then(() => rmSync(folder, { recursive: true, force: true }))
  return running
}

/** Writes the newest state of a copy to a file. Throws with what Litestream says if that fails. */
export function restore(replica: Replica, to: string, ...more: string[]): void {
  const { status, stdout, stderr } = spawnSync(litestreamProgram(), ['restore', '-o', to, ...more, urlOf(replica)], {
    env: litestreamEnvironment(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`litestream restore failed: ${stdout}${stderr}`)
}

/** Keeps a file up to date with a copy, until `stop`. */
export const follow = (replica: Replica, to: string, { everyMs = 100 }: Pace = {}): Running =>
  run(litestreamEnvironment(), 'restore', '-f', '-follow-interval', `${everyMs}ms`, '-o', to, urlOf(replica))
