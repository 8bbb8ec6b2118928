// npm run clients: makes a client with each generator of docs/clients.md, compiles it, and runs its program of test/clients
// against a real server.
//   npm run clients -- go java     only these
// A client whose tools are not on this machine is left out; with TEST_ALL=1, as in CI, that fails.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { dealbox } from './demo.ts'

const root = join(import.meta.dirname, '..')
/** Outside of the project, whose packages a program must not find. */
const work = mkdtempSync(join(tmpdir(), 'dealbox-clients-'))
/** What is downloaded here; all else is in the caches of the tools. */
const cache = join(root, 'node_modules/.cache/dealbox/clients')
const JAR = 'openapi-generator-cli.jar'

/** By the name of its folder: its heading in the docs, and the tools that have to be there. */
const CLIENTS: Record<string, { heading: string; tools: string[] }> = {
  java: { heading: 'Java', tools: ['java', 'mvn', 'curl'] }, // the slowest ones first
  go: { heading: 'oapi-codegen', tools: ['go'] },
  python: { heading: 'Python', tools: ['java', 'python3', 'curl'] },
  'openapi-python-client': { heading: 'openapi-python-client', tools: ['python3'] },
  'hey-api': { heading: 'hey-api', tools: ['npm'] },
  'openapi-typescript': { heading: 'openapi-typescript', tools: ['npm'] },
}
const HOW_TO_ASK: Record<string, string> = { go: 'version' }

type Result = { name: string; seconds: number; outcome: string; output?: string }

const asked = process.argv.slice(2)
const unknown = asked.find((name) => !CLIENTS[name])
if (unknown) {
  process.stderr.write(`There is no client ${unknown}; there are ${Object.keys(CLIENTS).join(', ')}.\n`)
  process.exit(2)
}
const blocks = blocksOf(readFileSync(join(root, 'docs/clients.md'), 'utf8'))
const names = asked.length > 0 ? asked : Object.keys(CLIENTS)
const left = names.map((name) => ({ name, missing: CLIENTS[name]!.tools.filter((tool) => !isInstalled(tool)) }))
const results: Result[] = left.flatMap(({ name, missing }) =>
  missing.length > 0 ? [{ name, seconds: 0, outcome: `left out: ${missing.join(', ')} not found` }] : [],
)
const able = left.filter(({ missing }) => missing.length === 0).map(({ name }) => name)
const server = await startServer()
try {
  const needsJar = able.filter((name) => CLIENTS[name]!.tools.includes('java'))
  const download = needsJar.length > 0 ? fetchGenerator() : undefined
  // As many at a time as there are cores: each of them compiles.
  const queue = [...able]
  const worker = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const fault = needsJar.includes(name) ? await download : undefined
      results.push(fault ?? (await tried(name)))
    }
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, worker))
} finally {
  await server.stop()
}
for (const { name, seconds, outcome, output } of results.sort((one, other) => one.name.localeCompare(other.name))) {
  process.stdout.write(`${name.padEnd(24)}${seconds.toFixed(0).padStart(4)} s  ${outcome}\n`)
  if (output) process.stdout.write(`${output.trimEnd().replace(/^/gm, '    ')}\n`)
}
const isWrong = ({ outcome }: Result) =>
  outcome !== 'works' && (process.env.TEST_ALL === '1' || !outcome.startsWith('left out'))
process.exitCode = results.some(isWrong) ? 1 : 0

/** The first block of commands below each heading. */
function blocksOf(text: string): Map<string, string> {
  const sections = text.split(/^##+ /m).slice(1)
  return new Map(
    sections.flatMap((section) => {
      const [, commands] = /^```sh\n([\s\S]*?)^```$/m.exec(section) ?? []
      return commands === undefined ? [] : [[section.split('\n')[0]!, commands]]
    }),
  )
}

function isInstalled(tool: string): boolean {
  return spawnSync(tool, [HOW_TO_ASK[tool] ?? '--version'], { stdio: 'ignore', timeout: 60_000 }).status === 0
}

/** Downloads the generator, unless it is there and the one that the docs name. */
async function fetchGenerator(): Promise<Result | undefined> {
  mkdirSync(cache, { recursive: true })
  const commands = blocks.get('openapi-generator')!
  const check = commands.split('\n').find((line) => line.includes('sha256sum'))!
  if (existsSync(join(cache, JAR)) && (await shell(check, cache)).code === 0) return undefined
  const { code, output } = await shell(commands, cache)
  return code === 0 ? undefined : { name: 'openapi-generator', seconds: 0, outcome: 'is not to be had', output }
}

/** Runs the commands of the docs in a folder with the files of the client. */
async function tried(name: string): Promise<Result> {
  const folder = join(work, name)
  const started = performance.now()
  cpSync(join(root, 'test/clients', name), folder, { recursive: true })
  writeFileSync(join(folder, 'openapi.json'), server.document)
  symlinkSync(join(cache, JAR), join(folder, JAR))
  const { code, output } = await shell(blocks.get(CLIENTS[name]!.heading)!, folder)
  const seconds = (performance.now() - started) / 1000
  return code === 0 ? { name, seconds, outcome: 'works' } : { name, seconds, outcome: 'fails', output }
}

function shell(commands: string, cwd: string): Promise<{ code: number; output: string }> {
  const env = {
    ...process.env,
    PATH: dirname(process.execPath) + delimiter + process.env.PATH,
    API: `${server.api}/api/v1`,
    TOKEN: server.token,
  }
  const options = { cwd, env, maxBuffer: 64 * 1_048_576, timeout: 600_000 }
  return new Promise((resolve) =>
    execFile('bash', ['-euo', 'pipefail', '-c', commands], options, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: `${stdout}${stderr}`.split('\n').slice(-30).join('\n') }),
    ),
  )
}

/** A server in a process of its own, over a temporary folder with an organisation and its data. */
async function startServer() {
  const data = ['--data', join(work, 'data')]
  const email = 'ana@clients.example'
  await dealbox('init', ...data, '--org', 'Clients', '--email', email)
  await dealbox('seed', ...data, '--profile', 'demo')
  const { token } = await dealbox('token', 'create', ...data, '--email', email, '--scope', 'all')
  const argv = ['serve', ...data, '--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0', '--json']
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  const { api, screens } = await listening(child)
  const document = await (await fetch(`${screens}/openapi.json`)).text()
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    rmSync(work, { recursive: true, force: true })
  }
  return { api, token: String(token), document, stop }
}

/** What it logs first. Throws if it ends before. */
async function listening(child: ChildProcess): Promise<{ api: string; screens: string }> {
  for await (const line of createInterface(child.stdout!)) {
    const said = JSON.parse(line)
    child.stdout!.resume()
    if (said.msg === 'listening') return said
  }
  throw new Error('The server did not start.')
}
