// npm start: serves a CRM with demo data. The first start makes ./dealbox-data with a demo organisation; later ones
// serve that folder. Options are those of "dealbox serve".
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { commands } from '../src/cli/commands.ts'
import { endProcess } from '../src/cli/ending.ts'
import { serve } from '../src/cli/serve/serve.ts'
import { serveFolder } from '../src/cli/serve/serve-folder.ts'
import { listenToSignals } from '../src/cli/serve/signals.ts'
import { optionsOf } from '../src/command/command.ts'
import { readConfig } from '../src/command/config/read.ts'
import { openLog } from '../src/lib/log.ts'
import { Problem } from '../src/lib/problem.ts'
import { DATABASE } from '../src/store/open.ts'
import { DEMO_EMAIL, dealbox, demoUrl, makeDemo, TOKEN_FILE } from './demo.ts'

async function main(): Promise<void> {
  const given = { argv: process.argv.slice(2), env: process.env, known: optionsOf(commands) }
  const { options } = readConfig(serve, given)
  const settings = options as Parameters<typeof serveFolder>[0]
  const folder = settings.data
  const isNew = !existsSync(join(folder, DATABASE))
  if (isNew) await makeDemo(folder)
  const versions = await dealbox('version')
  const { log, flush } = openLog('warn', 2)
  const { api, screens, stop } = await serveFolder(settings, log)
  const tokenFile = join(folder, TOKEN_FILE)
  const hasToken = existsSync(tokenFile)
  // Only into the demo, which this script has made: a folder of somebody's own is signed in to with a password.
  const open = hasToken && screens ? await demoUrl(folder, screens) : undefined
  const bearer = hasToken ? `$(cat ${tokenFile})` : '$TOKEN'
  const lines = [
    ['Dealbox', `${versions.version} on Node ${versions.node}, SQLite ${versions.sqlite}`],
    ['data', `${resolve(folder)}${isNew ? ' (made just now, with the demo organisation "Harbor Demo")' : ''}`],
    ['api', `${api}/api/v1`],
    ['browser', screens ?? 'off'],
    ...(open ? [['open', `${open}  (signs you in once)`]] : []),
    ['reference', screens ? `${screens}/reference` : 'off'],
    ...(isNew ? [['token', readFileSync(tokenFile, 'utf8').trim()]] : []),
    ...(hasToken ? [['', `${isNew ? 'shown this once; it is' : 'a token is'} in ${tokenFile}`]] : []),
    ['try', `curl -s -H "Authorization: Bearer ${bearer}" "${api}/api/v1/deals?limit=2&sort=-amount"`],
    ['more tokens', `npm run -s dealbox -- token create --data ${folder} --email ${DEMO_EMAIL} --scope all`],
    ['stop', 'Ctrl-C'],
  ]
  process.stdout.write(`\n${lines.map(([name, text]) => `${(name as string).padEnd(13)}${text}`).join('\n')}\n\n`)
  await listenToSignals(log, flush).stopped()
  await stop()
  flush()
}

main().then(
  () => endProcess(0),
  (error) => {
    process.stderr.write(`${error instanceof Problem ? error.message : error.stack}\n`)
    return endProcess(1)
  },
)
