import type { Context } from 'koa'
import { clientOf } from '../../auth/client.ts'
import { places } from '../../http/places.ts'
import type { Moved } from '../../store/org-states.ts'

/** The form of RFC 8058, all of it. */
export const ONE_CLICK = 'List-Unsubscribe=One-Click'

/** A mail program waits longer than this. */
const ANSWER_MS = 10_000
/** Keeps two servers that name each other from handing it back and forth. */
const HANDED_ON = 'Dealbox-Passed-On'

type HandOn = (ctx: Context, moved: Moved) => Promise<number | undefined>

/**
 * Unsubscribes at the server to which an organisation has moved, and returns the status of its answer; undefined if it did
 * not answer, or if the proxy still sends its host name here. RFC 8058 forbids to redirect mail programs.
 */
export function handOn(): HandOn {
  const { take } = places()

  return async ({ req, path }, { address }) => {
    const client = clientOf(req)
    const isHere = URL.parse(address)?.hostname === URL.parse(`http://${client.host}`)?.hostname
    if (isHere || req.headers[HANDED_ON.toLowerCase()] !== undefined) return undefined
    const giveBack = take({ isKnown: false, address: client.address })
    if (!giveBack) return undefined
    try {
      const answer = await fetch(address.replace(/\/$/, '') + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', [HANDED_ON]: '1' },
        body: ONE_CLICK,
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      await answer.body?.cancel()
      return answer.status
    } catch {
      return undefined
    } finally {
      giveBack()
    }
  }
}
