import { join, resolve } from 'node:path'
import { CONFIG_FILE } from '../config/file.ts'
import { type Found, usage } from '../config.ts'
import { openLog } from '../http/log.ts'
import { command } from './command.ts'
import { DATA, dropInText, OPTIONS, UNIT_TEXT, USER } from './install/unit.ts'
import { serveOptions as allOfServe, checkLogLevel, readServeOptions, type ServeOptions } from './serve-options.ts'

const { json: _, ...serveOptions } = allOfServe

export const install = command({
  name: 'install',
  summary: 'Install or update Dealbox as a service of systemd, which runs now and at each boot',
  options: {
    print: { type: 'boolean', help: 'only print the unit, and change nothing' },
    user: { type: 'string', placeholder: 'NAME', default: USER, help: 'user of the service; made if there is none' },
    ...serveOptions,
    data: { type: 'string', placeholder: 'DIR', default: DATA, help: 'the data folder, which has its place here' },
  },
  run: async ({ options, found }) => {
    const { print, user, data } = options
    if (data !== DATA) throw usage(`The data folder of the service is ${DATA}. To use another disk, mount it there.`)
    if (!/^[a-z_][a-z0-9_-]{0,30}$/.test(user) || user === 'root')
      throw usage(`--user ${user} cannot be the user of the service. Use a name such as ${USER}, and not root.`)
    const given = options as unknown as ServeOptions & { logLevel: string }
    const dropIn = dropInText({
      ...{ user, options: serveOptions, values: given },
      isGiven: (name) => !isFoundByService(found.get(name)),
    })
    checkLogLevel(given.logLevel)
    const { log, flush } = openLog('warn', 2)
    await readServeOptions(given, log)
    flush()
    const text = dropIn === '' ? UNIT_TEXT : `${UNIT_TEXT}\n# ${OPTIONS}\n${dropIn}`
    if (print) return { json: { unit: UNIT_TEXT, options: dropIn }, text: text.trimEnd() }
    const { checkMachine, installService } = await import('./install/steps.ts')
    checkMachine()
    const done = installService({ user, dropIn })
    return { json: { done }, text: done.join('\n') }
  },
})

/** The service finds defaults by itself, and what its own configuration file has; of another one it knows nothing. */
const isFoundByService = (found: Found | undefined): boolean =>
  found?.from === 'file' ? resolve(found.where as string) === join(DATA, CONFIG_FILE) : found?.from === 'default'
