import { version } from '../assets.ts'
import { openLog } from '../http/log.ts'
import { SECOND_MS } from '../lib/time.ts'
import { command } from './command.ts'
import { END_WITHIN_MS, endAtOnce } from './ending.ts'
import { readFollow } from './follow-options.ts'
import { isLocal } from './screens-url.ts'
import { serveFolder } from './serve-folder.ts'
import { checkLogLevel, serveOptions } from './serve-options.ts'
import { tellServiceManager } from './service-manager.ts'
import { setupText } from './setup.ts'

export const serve = command({
  name: 'serve',
  summary: 'Start the server: the API and the screens listener; in an empty folder it prints a link to set it up',
  options: serveOptions,
  run: async ({ options }) => {
    checkLogLevel(options.logLevel)
    // Without --json the output is for people: two addresses, then only warnings and errors.
    const { log, flush } = options.json ? openLog(options.logLevel, 1) : openLog('warn', 2)
    const late = () => {
      log.error({ open: [...new Set(process.getActiveResourcesInfo())] }, LATE)
      flush()
    }
    try {
      const followed = readFollow(options)
      const signalled = followed && untilSignal(late) // its start may take long
      const running = followed
        ? await (await import('./serve-standby.ts')).serveStandby(options, followed, log, signalled)
        : await serveFolder(options, log)
      const ended = signalled ?? untilSignal(late)
      const { api, screens, setup } = running
      if (options.json) {
        log.info({ version, data: options.data, api, screens: screens ?? 'off' }, 'listening')
        if (setup) log.info({ setup }, 'no organisation yet')
      } else process.stdout.write(`api      ${api}\nscreens  ${screens ?? 'off'}\n${setup ? setupText(setup) : ''}`)
      if (running.reload) process.on('SIGHUP', () => void running.reload?.())
      else if (![api, screens ?? api].every(isLocal)) log.warn(CLEAR_TEXT)
      flush()
      tellServiceManager(process.env, log)
      await (running.failed ? Promise.race([ended, running.failed]) : ended)
      log.info('stopping')
      await running.stop()
      log.info('stopped')
    } finally {
      flush()
    }
  },
})

const CLEAR_TEXT =
  'Dealbox serves plain HTTP on the network: tokens and passwords are sent in clear text, unless a TLS proxy stands in front of it.'

const LATE = `the server did not end within ${END_WITHIN_MS / SECOND_MS} seconds, and is ended as it is: what was acknowledged is in the database`

/**
 * Resolves on the first SIGTERM or SIGINT. From then on, a second one ends the process at once, and so does END_WITHIN_MS,
 * after `late`.
 */
export function untilSignal(late: () => void): Promise<void> {
  return new Promise((resolve) => {
    let seen = false
    const onSignal = () => {
      if (seen) endAtOnce(1)
      seen = true
      setTimeout(() => {
        late()
        endAtOnce(1)
      }, END_WITHIN_MS)
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
