// npm start: serves a CRM with demo data. The first start makes ./dealbox-data with a demo organisation; later ones
// serve that folder. Options are those of "dealbox serve".
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commands } from '../src/cli/commands.ts'
import { run } from '../src/cli/run.ts'
import { serve, serveFolder, untilSignal } from '../src/cli/serve.ts'
import { readConfig } from '../src/config.ts'
import { openLog } from '../src/http/log.ts'
import { Problem } from '../src/lib/problem.ts'
import { DATABASE } from '../src/store/open.ts'

const EMAIL = 'ana@harbor-demo.example'
const TOKEN_FILE = 'demo-token'

/** Runs a command and returns its output. */
async function dealbox(...argv: string[]): Promise<Record<string, unknown>> {
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void process.stderr.write(text) }
  const code = await run(commands, [...argv, '--json'], {}, streams)
  if (code !== 0) process.exit(code)
  return JSON.parse(out)
}

/**
 * Makes the folder under a temporary name and renames it when it is complete, so that an interrupted first start leaves
 * nothing incomplete.
 */
async function makeDemo(folder: string): Promise<void> {
  const half = `${folder}.new`
  rmSync(half, { recursive: true, force: true })
  await dealbox('init', '--data', half, '--org', 'Harbor Demo', '--email', EMAIL, '--name', 'Ana Lindqvist')
  await dealbox('seed', '--data', half, '--profile', 'demo', '--seed', '43')
  const { token } = await dealbox(
    'token',
    'create',
    '--data',
    half,
    '--email',
    EMAIL,
    '--scope',
    'all',
    '--expires',
    '365d',
  )
  writeFileSync(join(half, TOKEN_FILE), `${token}\n`, { mode: 0o600 })
  renameSync(half, folder)
}

async function main(): Promise<void> {
  const { options } = readConfig(serve.options, {}, process.argv.slice(2), process.env)
  const settings = options as Parameters<typeof serveFolder>[0]
  const folder = settings.data
  const isNew = !existsSync(join(folder, DATABASE))
  if (isNew) await makeDemo(folder)
  const versions = await dealbox('version')
  const { log, flush } = openLog('warn', 2)
  const { api, screens, stop } = await serveFolder(settings, log)
  const tokenFile = join(folder, TOKEN_FILE)
  const hasToken = existsSync(tokenFile)
  const bearer = hasToken ? `$(cat ${tokenFile})` : '$TOKEN'
  const lines = [
    ['Dealbox', `${versions.version} on Node ${versions.node}, SQLite ${versions.sqlite}`],
    ['data', `${resolve(folder)}${isNew ? ' (made just now, with the demo organisation "Harbor Demo")' : ''}`],
    ['api', `${api}/api/v1`],
    ['reference', screens ?? 'off'],
    ...(isNew ? [['token', readFileSync(tokenFile, 'utf8').trim()]] : []),
    ...(hasToken ? [['', `${isNew ? 'shown this once; it is' : 'a token is'} in ${tokenFile}`]] : []),
    ['try', `curl -s -H "Authorization: Bearer ${bearer}" "${api}/api/v1/deals?limit=2&sort=-amount"`],
    ['more tokens', `npm run -s dealbox -- token create --data ${folder} --email ${EMAIL} --scope all`],
    ['stop', 'Ctrl-C'],
  ]
  process.stdout.write(`\n${lines.map(([name, text]) => `${(name as string).padEnd(13)}${text}`).join('\n')}\n\n`)
  await untilSignal()
  await stop()
  flush()
}

main().catch((error) => {
  process.stderr.write(`${error instanceof Problem ? error.message : error.stack}\n`)
  process.exitCode = 1
})
