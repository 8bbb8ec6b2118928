import type { IncomingMessage } from 'node:http'
import { Problem } from '../../lib/problem.ts'
import { ownOrigin } from './cookie.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses writes that the page of another site has made the browser send. Browsers say where a request comes from: by
 * Sec-Fetch-Site where the connection is encrypted or local, else by Origin. `others` are the origins of this server
 * behind a proxy. Throws Problem 403.
 */
export function checkSameOrigin(req: IncomingMessage, others: () => readonly string[]): void {
  if (SAFE.has(req.method as string)) return
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin') return
    throw foreign()
  }
  const { origin } = req.headers
  if (origin !== undefined && (isOwn(origin, ownOrigin(req)) || others().some((other) => isOwn(origin, other)))) return
  throw foreign()
}

/** An URL leaves out the port that its scheme has anyway, and so does the header Origin. */
const isOwn = (origin: string, own: string): boolean => URL.canParse(own) && new URL(own).origin === origin

const foreign = (): Problem =>
  new Problem(
    403,
    'foreign_origin',
    'This request does not come from a page of this server, and was refused. Programs use the API with a token.',
  )
