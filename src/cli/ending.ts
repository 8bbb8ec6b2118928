import { setTimeout as pause } from 'node:timers/promises'

/** From the signal to stop until the server has ended: service managers kill after 30 seconds. */
export const END_WITHIN_MS = 25_000

const LOOK_MS = 20

/**
 * Ends the process when its output is written, whatever else is still open. At an end by itself Node waits for all of it,
 * then closes each handle, and turns for ever where one cannot be closed: no timer fires there any more.
 */
export async function endProcess(code: number): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(written))
  while (isPoolWaiting()) await pause(LOOK_MS)
  process.exit(code)
}

/**
 * Ends the process without waiting for anything. `process.exit` alone would wait for worker threads and the thread pool:
 * for a long query, a name server or a network drive that does not answer.
 */
export function endAtOnce(code: number): never {
  // After the other listeners. To the first process of a container, the signal does nothing.
  process.once('exit', () => process.kill(process.pid, 'SIGKILL'))
  process.exit(code)
}

/** Resolves when a stream has passed on all that was written to it, or cannot. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) resolve()
    else stream.once('close', resolve).write('', () => resolve())
  })
}

/** Whether a thread of Node's pool reads files or asks for an address: `process.exit` would wait for that, and nothing else run. */
function isPoolWaiting(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfo|GetNameInfo)/.test(name))
}
