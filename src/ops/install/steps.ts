import { type ExecFileSyncOptions, execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isSea } from 'node:sea'
import { markData } from '../../command/expected-data.ts'
import { Problem } from '../../lib/problem.ts'
import { LITESTREAM_CONFIG, LITESTREAM_UNIT } from './litestream.ts'
import { DATA, EXECUTABLE, isPackaged, OPTIONS, PACKAGED_EXECUTABLE, UNIT, UNIT_TEXT } from './unit.ts'

/** The first version with all that the unit asks for. */
const MIN_SYSTEMD = 250

/** Throws Problem 409 that says what to do instead, if this machine or this program cannot install a service. */
export function checkMachine(shownBy = 'dealbox install --print'): void {
  const refusal = (code: string, why: string): Problem => new Problem(409, code, `${why}. "${shownBy}" shows the unit.`)
  if (!existsSync('/run/systemd/system'))
    throw refusal(
      'no_systemd',
      'systemd does not run here. Use the Dockerfile, or start "dealbox serve" by other means',
    )
  if (process.getuid?.() !== 0) throw refusal('not_root', 'Installing takes root: run it with sudo')
  if (!isSea())
    throw refusal(
      'no_executable',
      'Only the executable can be installed: run "npm run build", and then "dist/dealbox install"',
    )
  const version = Number(/^systemd (\d+)/.exec(run('systemctl', ['--version']))?.[1])
  if (version < MIN_SYSTEMD)
    throw refusal('old_systemd', `systemd is version ${version} here, and the service needs ${MIN_SYSTEMD}`)
}

/** Installs, starts, and returns what was done. Throws Problem 409 with what did not work. */
export function installService({ user, dropIn }: { user: string; dropIn: string }): string[] {
  const done: string[] = []
  const isPackage = isPackaged()
  if (isPackage && process.execPath !== PACKAGED_EXECUTABLE) throw packaged()
  if (!isPackage && process.execPath !== EXECUTABLE) {
    place(EXECUTABLE, (file) => {
      copyFileSync(process.execPath, file)
      chmodSync(file, 0o755)
    })
    done.push(`Copied the executable to ${EXECUTABLE}.`)
  }
  const runsAs = dropIn === '' ? (userOf(OPTIONS) ?? user) : user
  if (makeUser(runsAs)) done.push(`Made the system user ${runsAs}.`)
  if (!isPackage) {
    write(UNIT, UNIT_TEXT)
    done.push(`Wrote ${UNIT}.`)
  }
  if (dropIn !== '') {
    write(OPTIONS, dropIn)
    done.push(`Wrote ${OPTIONS}.`)
  } else if (existsSync(OPTIONS)) done.push(`Left the options in ${OPTIONS} as they are.`)
  run('systemctl', ['daemon-reload'])
  run('systemctl', ['enable', '--quiet', 'dealbox.service'])
  start()
  markData(DATA)
  done.push(`Started the service, now and at each boot. Its data is in ${DATA}, its log: journalctl -u dealbox`)
  return [...done, ...setupLines()]
}

const packaged = (): Problem =>
  new Problem(
    409,
    'packaged',
    `Dealbox is a package here, which has the executable and the unit: update the package. For options, run "sudo ${PACKAGED_EXECUTABLE} install" with them.`,
  )

/** Starts Litestream beside Dealbox, which has to be installed. Throws Problem 409 with what did not work. */
export function installLitestream(files: Record<string, string>): string[] {
  if (!isPackaged() && !existsSync(UNIT))
    throw new Problem(409, 'not_installed', 'Dealbox is no service here: run "dealbox install".')
  const done = [LITESTREAM_CONFIG, LITESTREAM_UNIT].map((path) => {
    write(path, files[path] as string)
    return `Wrote ${path}.`
  })
  run('systemctl', ['daemon-reload'])
  run('systemctl', ['enable', '--quiet', 'dealbox-litestream.service'])
  run('systemctl', ['restart', 'dealbox-litestream.service'])
  return [...done, 'Started Litestream, now and at each boot. Its log: journalctl -u dealbox-litestream']
}

/** Makes a file beside its place and moves it there, so that a program that runs is not overwritten. */
function place(file: string, make: (beside: string) => void): void {
  const beside = `${file}.new`
  mkdirSync(dirname(file), { recursive: true })
  try {
    make(beside)
    renameSync(beside, file)
  } finally {
    rmSync(beside, { force: true })
  }
}

const write = (file: string, text: string): void =>
  place(file, (beside) => writeFileSync(beside, text, { mode: 0o644 }))

const userOf = (file: string): string | undefined =>
  existsSync(file) ? /^User=(.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined

/** Returns whether there was no such user. */
function makeUser(name: string): boolean {
  try {
    run('id', ['-u', name])
    return false
  } catch {
    const nologin = existsSync('/usr/sbin/nologin') ? '/usr/sbin/nologin' : '/sbin/nologin'
    run('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', DATA, '--shell', nologin, name])
    return true
  }
}

/** Returns when the server is ready. */
function start(): void {
  try {
    run('systemctl', ['restart', 'dealbox.service'])
  } catch {
    const log = run('journalctl', ['--unit=dealbox.service', '--lines=5', '--output=cat', '--no-pager'])
    throw new Problem(409, 'not_started', `The service is installed and does not start. The end of its log:\n${log}`)
  }
}

/** What the server has said about the first account. */
function setupLines(): string[] {
  run('journalctl', ['--sync'])
  const invocation = run('systemctl', ['show', '--property=InvocationID', '--value', 'dealbox.service']).trim()
  const log = run('journalctl', [`_SYSTEMD_INVOCATION_ID=${invocation}`, '--output=cat', '--no-pager'])
  return [/^setup .*\n(?: {9}.*\n?)?/m.exec(log)?.[0].trimEnd() ?? []].flat()
}

function run(program: string, args: readonly string[], options: ExecFileSyncOptions = {}): string {
  try {
    return execFileSync(program, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Problem(409, 'failed', `"${[program, ...args].join(' ')}" failed: ${stderr?.trim() || message}`)
  }
}
