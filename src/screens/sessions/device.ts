import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Store } from '../../store/open.ts'
import { attributes, cookieValue } from './cookie.ts'

// A browser in which a member has signed in before. Its failures are counted apart, so that a stranger who tries
// passwords cannot keep the member out.

const NAME = 'dealbox-device'
const MAX_AGE_S = 365 * 24 * 3600
const PURPOSE = 'device'

/** The cookie is `<member>.<random>.<signature>`. */
export function devices({ vault }: Pick<Store, 'vault'>) {
  /** The header Set-Cookie that makes the browser a known device of the member. */
  function remember(req: IncomingMessage, member: string): string {
    const device = `${member}.${randomBytes(9).toString('base64url')}`
    return `${NAME}=${device}.${vault.sign(PURPOSE, device)}; Max-Age=${MAX_AGE_S}${attributes(req)}`
  }

  /** The device of a request, if one of the members has signed in on it. */
  function known(req: IncomingMessage, members: readonly string[]): string | undefined {
    const [member = '', nonce = '', signature = ''] = cookieValue(req, NAME)?.split('.') ?? []
    if (!members.includes(member) || !/^[\w-]{12}$/.test(nonce)) return undefined
    const device = `${member}.${nonce}`
    const [given, wanted] = [Buffer.from(signature), Buffer.from(vault.sign(PURPOSE, device))]
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? device : undefined
  }

  return { remember, known }
}
