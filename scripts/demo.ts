// The demo organisation of npm start and npm run pictures.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../src/cli/commands.ts'
import { opens } from '../src/cli/open.ts'
import { run } from '../src/command/run.ts'
import { signInUrl } from '../src/crm/members/commands/member-links.ts'

/** Somebody of the story: the deals and tasks of its founder are those of the one who starts the demo. */
export const DEMO_EMAIL = 'zoe@northwind-demo.example'
export const TOKEN_FILE = 'demo-token'

/** Runs a command and returns its output. */
export async function dealbox(...argv: string[]): Promise<Record<string, unknown>> {
  let out = ''
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void process.stderr.write(text) }
  const code = await run(commands, [...argv, '--json'], {}, streams, opens)
  if (code !== 0) process.exit(code)
  return JSON.parse(out)
}

/**
 * Makes the folder under a temporary name and renames it when it is complete, so that an interrupted first start leaves
 * nothing incomplete.
 */
export async function makeDemo(folder: string): Promise<void> {
  const half = `${folder}.new`
  rmSync(half, { recursive: true, force: true })
  await dealbox('init', '--data', half, '--org', 'Harbor Demo', '--email', DEMO_EMAIL, '--name', 'Zoë Lindqvist')
  await dealbox('seed', '--data', half, '--profile', 'demo', '--seed', '43')
  const { token } = await dealbox(
    'token',
    'create',
    '--data',
    half,
    '--email',
    DEMO_EMAIL,
    '--scope',
    'all',
    '--expires',
    '365d',
  )
  writeFileSync(join(half, TOKEN_FILE), `${token}\n`, { mode: 0o600 })
  renameSync(half, folder)
}

/** A link that signs in to the demo once; `screens` is the URL of the listener. */
export const demoUrl = (folder: string, screens: string) =>
  opens({ data: folder }).open((store) => signInUrl(store, DEMO_EMAIL, screens))
