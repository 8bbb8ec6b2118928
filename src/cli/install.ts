import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { command } from '../command/command.ts'
import { CONFIG_FILE } from '../command/config/file.ts'
import type { Found } from '../command/config/options.ts'
import { askYes } from '../command/prompt.ts'
import { openLog } from '../lib/log.ts'
import { Problem, usage } from '../lib/problem.ts'
import {
  DATA,
  dropInText,
  isPackaged,
  missingIn,
  OPTIONS,
  PACKAGED_UNIT_TEXT,
  UNIT_TEXT,
  USER,
} from '../ops/install/unit.ts'
import {
  serveOptions as allOfServe,
  checkLogLevel,
  readServeOptions,
  type ServeOptions,
} from './serve/serve-options.ts'

// What is said once is nothing for each start of a service.
const { json: _, oldPrimaryIsOff: __, ...serveOptions } = allOfServe

export const install = command({
  name: 'install',
  summary: 'Install or update Dealbox as a service of systemd, which runs now and at each boot',
  options: {
    yes: { type: 'boolean', help: 'also if options go that the service has now, without a question' },
    print: { type: 'boolean', help: 'only print the unit, and change nothing' },
    user: { type: 'string', placeholder: 'NAME', default: USER, help: 'user of the service; made if there is none' },
    ...serveOptions,
    data: { type: 'string', placeholder: 'DIR', default: DATA, help: 'the data folder, which has its place here' },
  },
  run: async ({ options, found }) => {
    const { print, user, data, yes } = options
    if (data !== DATA) throw usage(`The data folder of the service is ${DATA}. To use another disk, mount it there.`)
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user) || user === 'root')
      throw usage(`--user ${user} cannot be the user of the service. Use a name such as ${USER}, and not root.`)
    const given = options as unknown as ServeOptions & { logLevel?: string | undefined }
    const dropIn = dropInText({
      ...{ user, options: serveOptions, values: given },
      isGiven: (name) => !isFoundByService(found.get(name)),
    })
    checkLogLevel(given.logLevel)
    const { log, flush } = openLog('warn', 2)
    await readServeOptions(given, log)
    flush()
    const unit = isPackaged() ? PACKAGED_UNIT_TEXT : UNIT_TEXT
    const text = dropIn === '' ? unit : `${unit}\n# ${OPTIONS}\n${dropIn}`
    if (print) return { json: { unit, options: dropIn }, text: text.trimEnd() }
    const { checkMachine, installService } = await import('../ops/install/steps.ts')
    checkMachine()
    if (!yes) await confirmLoss(dropIn, existsSync(OPTIONS) ? readFileSync(OPTIONS, 'utf8') : '')
    const done = installService({ user, dropIn })
    return { json: { done }, text: done.join('\n') }
  },
})

/**
 * What a command line does not name is lost. Asks for that at a terminal. Throws Problem 409 with the options that would go,
 * and nothing has changed then.
 */
export async function confirmLoss(
  dropIn: string,
  before: string,
  ask: typeof askYes | undefined = process.stdin.isTTY ? askYes : undefined,
): Promise<void> {
  const gone = dropIn === '' ? [] : missingIn(dropIn, before)
  if (gone.length === 0) return
  const what = `The service has ${gone.join(', ')}, which this command does not name: "install" replaces all options`
  if (await ask?.(`${what}. Go on without?`)) return
  throw new Problem(
    409,
    'options_would_go',
    `${what}, and nothing was changed. Name all that shall stay (they are in ${OPTIONS}), add --yes to go on without them, or run "dealbox install" alone to keep all.`,
  )
}

/** The service finds defaults by itself, and what its own configuration file has; of another one it knows nothing. */
const isFoundByService = (found: Found | undefined): boolean =>
  found?.from === 'file' ? resolve(found.where as string) === join(DATA, CONFIG_FILE) : found?.from === 'default'
