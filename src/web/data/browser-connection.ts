import type { OpenConnection } from './event-stream.ts'
import { BACKGROUND, ECHO, isOwn, MEMBER, newEcho } from './headers.ts'

/**
 * Reads the stream of a member with fetch, in pages and in workers. It is open by itself: that is no use of the session. `server` is
 * what its paths begin with.
 */
export const connectionOf =
  (member: string, server: string): OpenConnection =>
  (path, on) => {
    const abort = new AbortController()
    void read()

    async function read(): Promise<void> {
      try {
        const echo = newEcho()
        const answer = await fetch(server + path, {
          headers: { Accept: 'text/event-stream', [ECHO]: echo, [MEMBER]: member, [BACKGROUND]: '1' },
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
