import type { ServerResponse } from 'node:http'

export type WaitingRoom = ReturnType<typeof waitingRoom>

/**
 * Where requests wait for something to be committed. One that waits costs a timer and a look after each commit: no
 * thread, and no loop. All are let go when the server stops.
 */
export function waitingRoom(onCommit: (listener: () => void) => () => void, stopping: AbortSignal) {
  const waiting = new Set<{ look: () => void; leave: () => void }>()
  let unsubscribe: (() => void) | undefined
  stopping.addEventListener('abort', () => {
    for (const { leave } of [...waiting]) leave()
  })

  function lookAll(): void {
    for (const { look } of [...waiting]) look()
  }

  /**
   * What `look` finds, at once or after a commit; undefined when the time is over, the client is gone or the server
   * stops. Rejects with what `look` throws.
   */
  function until<Found>(
    look: () => Found | undefined,
    timeoutMs: number,
    res: ServerResponse,
  ): Promise<Found | undefined> {
    // Whoever is gone and whoever has only closed the sending side look the same: the latter is answered at once.
    const { socket } = res.req
    return new Promise((resolve, reject) => {
      const timer = setTimeout(leave, timeoutMs)
      const place = { look: lookAgain, leave }
      waiting.add(place)
      unsubscribe ??= onCommit(lookAll)
      res.once('close', leave)
      socket.once('end', leave)
      lookAgain()
      if (stopping.aborted || res.destroyed || socket.readableEnded) leave()

      function lookAgain(): void {
        try {
          const found = look()
          if (found !== undefined) end(() => resolve(found))
        } catch (error) {
          end(() => reject(error))
        }
      }
      function leave(): void {
        end(() => resolve(undefined))
      }
      function end(settle: () => void): void {
        clearTimeout(timer)
        waiting.delete(place)
        res.off('close', leave)
        socket.off('end', leave)
        if (waiting.size === 0) {
          unsubscribe?.()
          unsubscribe = undefined
        }
        settle()
      }
    })
  }

  return { until, size: () => waiting.size }
}
