// Runs a script, or any command line of Node, on the Node version pinned in package.json. Installs the packages first
// if they are missing or outdated:
//   node scripts/run.mjs scripts/start.ts [arguments]
//   node scripts/run.mjs --test
// Plain JavaScript without packages, to run on any installed Node.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import { targets } from '../build.config.mjs'
import { npm } from './build-npm.mjs'
import { isWebFresh } from './web-freshness.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const platform = `${process.platform}-${process.arch}`
const target = targets[platform]
if (!target) stop(`Dealbox runs on ${Object.keys(targets).join(', ')}; this machine is ${platform}.`)
const node = join(root, 'node_modules', target.node, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

if (!isInstalled()) install()
// The check reports mistakes in the sources of the browser app better than a build that they stop.
if (process.argv[2] !== 'scripts/check.ts' && !isWebFresh(root)) buildWeb()
run(process.argv.slice(2))

/** npm writes its own lock file into node_modules last: without it, an install was interrupted. */
function isInstalled() {
  if (!existsSync(node) || !existsSync(join(root, 'node_modules', '.package-lock.json'))) return false
  const { packages } = readJson('package-lock.json')
  return Object.entries(packages).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true
    const installed = readJson(join(path, 'package.json'))
    return installed ? installed.version === version : optional || devOptional
  })
}

function readJson(path) {
  const file = join(root, path)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function install() {
  process.stderr.write('Installing the packages of package-lock.json into node_modules, which takes a moment ...\n')
  // Includes packages that NODE_ENV or the user's npm settings would omit.
  const { status, output } = npm(['ci', '--loglevel=error', '--include=dev', '--include=optional'], { cwd: root })
  if (status !== 0) {
    stop(`${output}\nThe packages could not be installed: see what npm says above. Check that "npm ping" reaches the
registry and that the disk has 1 GB free, stop whatever still runs from node_modules, and run the same command again.`)
  }
  if (!existsSync(node))
    stop(`npm left out ${target.node}, the Node of this platform: remove node_modules and try again.`)
}

/** Builds the files of the browser app, which the server serves. */
function buildWeb() {
  const { status } = spawnSync(node, [join(root, 'scripts/build-web.mjs')], { stdio: ['ignore', 2, 2] })
  if (status !== 0) stop('The browser app could not be built: see the reasons above.')
}

function run(args) {
  // Reading the sources takes half of a start: Node caches the compiled code until they change.
  const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/dealbox/compiled')
  const child = spawn(node, ['--disable-sigusr1', ...args], {
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE, ...process.env },
  })
  // A terminal sends Ctrl-C to the child itself, and a second signal would make it exit at once.
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => hasTerminal || child.kill(signal))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  // Without a listener, this signal opens a debugger, here as in the child: any account of the machine could use it.
  if (process.platform !== 'win32') process.on('SIGUSR1', () => {})
  if (process.env.npm_lifecycle_event) watchShell(() => child.kill('SIGTERM'))
  child.on('error', (error) => stop(`Node of ${target.node} does not start on this machine: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

// npm sends a signal to the shell between it and this process, and the shell exits without passing it on.
function watchShell(onEnd) {
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    onEnd()
  }, 250)
}

function stop(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
