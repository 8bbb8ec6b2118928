import type { Context } from 'koa'
import { basePathOf, clientOf } from '../../auth/client.ts'
import { places } from '../../http/listener/places.ts'
import type { Log } from '../../lib/log.ts'
import type { Moved } from '../../store/orgs/org-states.ts'

/** Marks the answers of the page: another one, such as that of a proxy, says nothing about the address. */
const PAGE = 'Dealbox-Page'
export const MARK = { [PAGE]: 'unsubscribe' }

/** The form of RFC 8058, all of it. */
const ONE_CLICK = 'List-Unsubscribe=One-Click'
/** A mail program waits longer than this. */
const ANSWER_MS = 10_000
/** How often it was handed on: an organisation may have moved again, but two servers that name each other must not go on. */
const TIMES = 'Dealbox-Handed-On'
const MAX_TIMES = 5

/** 200 or 404 as the other server says; undefined if that did not answer for the page. */
type HandOn = (ctx: Context, moved: Moved) => Promise<200 | 404 | undefined>

/**
 * Unsubscribes at the server to which an organisation has moved, unless the proxy still sends its host name here. RFC 8058
 * forbids to redirect mail programs.
 */
export function handOn(log: Log): HandOn {
  const { take } = places()

  return async ({ req, path }, { address }) => {
    const client = clientOf(req)
    const there = URL.parse(address)
    const host = there?.hostname
    const times = Number(req.headers[TIMES.toLowerCase()] ?? 0)
    const isSameHost = host === URL.parse(`http://${client.host}`)?.hostname
    const isHere = isSameHost && there?.pathname.replace(/\/$/, '') === basePathOf(req)
    if (isHere || !(times >= 0 && times < MAX_TIMES)) return undefined
    const giveBack = take({ isKnown: false, address: client.address })
    if (!giveBack) return undefined
    try {
      const { status, headers, body } = await fetch(address.replace(/\/$/, '') + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', [TIMES]: String(times + 1) },
        body: ONE_CLICK,
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      await body?.cancel()
      if ((status === 200 || status === 404) && headers.get(PAGE) === MARK[PAGE]) return status
      log.warn({ host, status }, FAILED)
    } catch (error) {
      const { code, name } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
      log.warn({ host, reason: code ?? name }, FAILED) // without the path, which has the token
    } finally {
      giveBack()
    }
    return undefined
  }
}

const FAILED = 'the server to which an organisation has moved did not unsubscribe somebody; mail programs try it again'
