import { ECHO, isOwn, newEcho } from './echo.ts'
import type { OpenConnection } from './event-stream.ts'

/** Reads a stream with fetch, in pages and in workers. */
export const openConnection: OpenConnection = (path, on) => {
  const abort = new AbortController()
  void read()

  async function read(): Promise<void> {
    try {
      const echo = newEcho()
      const answer = await fetch(path, {
        headers: { Accept: 'text/event-stream', [ECHO]: echo },
        cache: 'no-store',
        redirect: 'manual',
        signal: abort.signal,
      })
      on.status(answer.status, isOwn(answer.headers, echo))
      if (abort.signal.aborted || !answer.body) return
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) on.text(part.value)
    } catch {
      // ended below, as when the server closes it
    }
    if (!abort.signal.aborted) on.end()
  }

  return { close: () => abort.abort() }
}
