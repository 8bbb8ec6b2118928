import type { spawn } from 'node:child_process'
import type { Log } from '../../lib/log.ts'
import type { Environment } from '../../lib/machine/environment.ts'

/** Messages within the time after which systemd restarts a server that is silent. */
const PER_TIMEOUT = 4

/**
 * Tells systemd that the server is ready, and then time and again that its event loop turns, if it asks for that. Node
 * cannot send datagrams to a Unix socket, so a program of systemd does. Nothing happens outside of a unit.
 */
export function tellServiceManager(env: Environment, log: Log, start?: typeof spawn): void {
  if (!env.NOTIFY_SOCKET) return
  const watchdogMs = Number(env.WATCHDOG_USEC ?? 0) / 1000
  const isOurs = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === process.pid
  const run = start ?? process.getBuiltinModule('node:child_process').spawn // not needed outside of a unit
  tell('READY=1')
  if (watchdogMs > 0 && isOurs) setInterval(() => tell('WATCHDOG=1'), watchdogMs / PER_TIMEOUT).unref()

  function tell(state: string): void {
    const failed = (reason: object): void => log.warn(reason, `systemd was not told ${state}`)
    try {
      const child = run('systemd-notify', [state], { stdio: 'ignore' })
      child.once('error', (error) => failed({ err: error }))
      child.once('exit', (code) => {
        if (code !== 0) failed({ code })
      })
    } catch (error) {
      failed({ err: error }) // thrown at once where no process can be made, as for want of memory
    }
  }
}
