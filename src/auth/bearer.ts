import type { IncomingMessage } from 'node:http'
import { Problem } from '../lib/problem.ts'
import { DAY_MS, rfc3339 } from '../lib/time.ts'
import type { Access, AccessCache, Authentication } from './access.ts'
import { clientOf } from './client.ts'

/** When the token of the request ends, if that is soon: so its program can say so before it gets 401. */
const TOKEN_ENDS = 'Dealbox-Token-Ends'
const SOON_MS = 14 * DAY_MS
const NONE: readonly string[] = []

/** Authenticates requests by the token in `Authorization: Bearer <token>`. */
export function bearer({ open, isCurrent, refuseMoved, now }: AccessCache): Authentication {
  /** Returns a promise only on the first use of a token. Throws Problem 401, and 429 after too many forged tokens. */
  function authenticate(req: IncomingMessage): Access | Promise<Access> {
    const header = req.headers.authorization
    if (header === undefined) throw unauthorized('Send a token in the header Authorization: Bearer <token>.')
    const token = header.startsWith('Bearer ') ? header.slice(7) : /^bearer +(.*)$/i.exec(header)?.[1]
    const opened = token === undefined ? undefined : open(token.trimStart(), clientOf(req).address)
    return opened instanceof Promise ? opened.then(required) : required(opened)
  }

  const headersOf = ({ expiresAt }: Access): readonly string[] =>
    expiresAt === null || expiresAt - now() > SOON_MS ? NONE : [TOKEN_ENDS, rfc3339(expiresAt)]

  return { authenticate, isCurrent, headersOf, refuseMoved }
}

function required(access: Access | undefined): Access {
  if (!access) throw unauthorized('The token is invalid, expired or revoked. Use another one.')
  return access
}

function unauthorized(detail: string): Problem {
  return new Problem(401, 'unauthorized', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
