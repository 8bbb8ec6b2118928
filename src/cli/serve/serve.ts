import { version } from '../../assets.ts'
import { readAgeNotice } from '../../command/age-notice.ts'
import { command, optionsOf } from '../../command/command.ts'
import { unknownVariables, withoutEffect } from '../../command/config/unknown.ts'
import { isLocal } from '../../http/listener/screens-url.ts'
import { type Log, openLog } from '../../lib/log.ts'
import { type Proxies, readProxies } from '../../lib/net/proxies.ts'
import { readFollow } from '../../ops/replication/commands/follow-options.ts'
import { serveFolder } from './serve-folder.ts'
import { checkLogLevel, serveOptions } from './serve-options.ts'
import { tellServiceManager } from './service-manager.ts'
import { setupText } from './setup.ts'
import { listenToSignals } from './signals.ts'

export const serve = command({
  name: 'serve',
  summary: 'Start the server: the API and the screens listener; in an empty folder it prints a link to set it up',
  options: serveOptions,
  run: async ({ options, env, commands }) => {
    checkLogLevel(options.logLevel)
    // Without --json the output is for people: two addresses, then only warnings and errors, unless they ask for more.
    const { log, flush } = options.json
      ? openLog(options.logLevel ?? 'info', 1)
      : openLog(options.logLevel ?? 'warn', 2)
    for (const each of unknownVariables(env, optionsOf(commands))) log.warn(withoutEffect(each))
    tellProxies(readProxies(env), log)
    const age = readAgeNotice(options.ageNotice)(Date.now())
    if (age !== undefined) log.warn(age)
    const signals = listenToSignals(log, flush)
    try {
      const followed = readFollow(options)
      const signalled = followed && signals.stopped() // its start may take long
      const running = followed
        ? await (await import('./serve-standby.ts')).serveStandby(
            options,
            followed,
            log,
            signalled?.then(() => undefined),
          )
        : await serveFolder(options, log)
      const ended = signals.stopped()
      const { api, screens, setup } = running
      if (options.json) {
        log.info({ version, data: options.data, api, screens: screens ?? 'off' }, 'listening')
        if (setup) log.info({ setup }, 'no organisation yet')
      } else
        process.stdout.write(
          `api      ${api}\nscreens  ${screens ?? 'off'}\n${setup && screens ? setupText(setup, screens) : ''}`,
        )
      if (running.reload) signals.onReopen(() => void running.reload?.())
      else if (![api, screens ?? api].every(isLocal)) log.warn(CLEAR_TEXT)
      flush()
      tellServiceManager(process.env, log)
      const why = await (running.failed ? Promise.race([ended, running.failed]) : ended)
      log.info('stopping')
      await running.stop()
      log.info('stopped')
      // A service manager takes an end by SIGHUP for a clean one, and would not start the server again.
      return why === 'hung up' ? { json: null, text: '', code: 1 } : undefined
    } finally {
      flush()
    }
  },
})

/** What the environment says is not for Dealbox alone, so a mistake in it does not keep the server from starting. */
function tellProxies({ faults, shown }: Proxies, log: Log): void {
  for (const fault of faults) log.warn(fault)
  if (Object.keys(shown).length > 0) log.info(shown, 'webhooks, S3 and OAuth are reached through a proxy')
}

const CLEAR_TEXT =
  'Dealbox serves plain HTTP on the network: tokens and passwords are sent in clear text, unless a TLS proxy stands in front of it.'
