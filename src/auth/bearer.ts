import type { IncomingMessage } from 'node:http'
import { Problem } from '../lib/problem.ts'
import type { Access, AccessCache, Authentication } from './access.ts'
import { clientOf } from './client.ts'

/** Authenticates requests by the token in `Authorization: Bearer <token>`. */
export function bearer({ open, isCurrent, refuseMoved }: AccessCache): Authentication {
  /** Returns a promise only on the first use of a token. Throws Problem 401, and 429 after too many forged tokens. */
  function authenticate(req: IncomingMessage): Access | Promise<Access> {
    const header = req.headers.authorization
    if (header === undefined) throw unauthorized('Send a token in the header Authorization: Bearer <token>.')
    const token = header.startsWith('Bearer ') ? header.slice(7) : /^bearer +(.*)$/i.exec(header)?.[1]
    const opened = token === undefined ? undefined : open(token.trimStart(), clientOf(req).address)
    return opened instanceof Promise ? opened.then(required) : required(opened)
  }

  return { authenticate, isCurrent, refuseMoved }
}

function required(access: Access | undefined): Access {
  if (!access) throw unauthorized('The token is invalid, expired or revoked. Use another one.')
  return access
}

function unauthorized(detail: string): Problem {
  return new Problem(401, 'unauthorized', detail, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
