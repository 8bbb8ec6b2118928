import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { canonical } from './addresses.ts'
import { type Address, type Guard, hostNameOf } from './guard.ts'

/**
 * For the one URL that whoever runs the server has set: it may be in their own network, where a webhook of a member may not.
 * Redirects are not followed all the same, and what is connected is what was resolved.
 */
export const ownUrlGuard: Guard = {
  refusal: () => undefined,
  resolve: async (url) => {
    const name = hostNameOf(new URL(url))
    const found = isIP(name) ? [{ address: name }] : await dns.lookup(name, { all: true, verbatim: true })
    return found.flatMap(({ address }): Address[] => {
      const known = canonical(address)
      return known === undefined ? [] : [{ address: known, family: isIP(known) === 4 ? 4 : 6 }]
    })
  },
}
