import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { peerOf } from '../../auth/client.ts'
import { hashOf } from '../../auth/secrets.ts'
import { hostOf, isLoopback } from '../../http/listener/hosts.ts'
import { canonical, network } from '../../lib/net/addresses.ts'
import { Problem, usage } from '../../lib/problem.ts'

/** Who may see how the server is: the networks, and whoever has the token. */
export type Monitors = {
  /** Whether programs of this machine may. */
  loopback: boolean
  networks: readonly ((address: string) => boolean)[]
  token?: string | undefined
}

export type MonitorAccess = ReturnType<typeof monitorAccess>

/** What a proxy adds: the request is from somewhere else than its connection. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

export const ONLY_LOOPBACK: Monitors = { loopback: true, networks: [] }

/**
 * `addressOf` returns the address of the client; where a proxy is trusted, that is not the address of the connection. A
 * request that another proxy has forwarded is from an unknown address, also if the proxy is on this machine. Nor does
 * one to a foreign name count as ours: a browser of this machine may have been led here by it.
 */
export function monitorAccess(
  { loopback, networks, token }: Monitors,
  addressOf: (req: IncomingMessage) => string | undefined = peerOf,
) {
  const expected = token === undefined ? undefined : Buffer.from(hashOf(token))

  function hasToken({ headers }: IncomingMessage): boolean {
    const [, given] = /^bearer +(.+)$/i.exec(headers.authorization ?? '') ?? []
    return expected !== undefined && given !== undefined && timingSafeEqual(Buffer.from(hashOf(given)), expected)
  }

  function isNear(req: IncomingMessage): boolean {
    const address = canonical(addressOf(req) ?? '')
    if (address === undefined || (isForwarded(req) && address === canonical(peerOf(req) ?? ''))) return false
    if (networks.some((covers) => covers(address))) return true
    return loopback && isLocal(address) && !isForwarded(req) && isLoopback(hostOf(req.headers.host) ?? '')
  }

  const mayAsk = (req: IncomingMessage): boolean => hasToken(req) || isNear(req)

  /** Throws Problem 401 if a token helps, else 403. */
  function check(req: IncomingMessage): void {
    if (mayAsk(req)) return
    if (!expected)
      throw new Problem(
        403,
        'monitoring_denied',
        'Metrics are shown to programs on the same machine. Start the server with --monitor-from or --monitor-token for others.',
      )
    const headers = { 'WWW-Authenticate': 'Bearer' }
    throw new Problem(401, 'unauthorized', 'Send the token of --monitor-token as a bearer token.', { headers })
  }

  return { mayAsk, check }
}

const isForwarded = ({ headers }: IncomingMessage): boolean => FORWARDED.some((name) => headers[name] !== undefined)

const isLocal = (address: string): boolean => address === '::1' || address.startsWith('127.')

/** Parses --monitor-from: `loopback, 10.0.0.0/8, fd00::7`, or off. Throws a usage Problem. */
export function parseMonitorFrom(text: string): Pick<Monitors, 'loopback' | 'networks'> {
  if (text.trim() === 'off') return { loopback: false, networks: [] }
  const entries = text.split(',').map((entry) => entry.trim())
  const ranges = entries.filter((entry) => entry !== 'loopback')
  return { loopback: ranges.length < entries.length, networks: ranges.map(parseNetwork) }
}

function parseNetwork(text: string): (address: string) => boolean {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const found = canonical(address)
  const bits = isIP(found ?? '') === 4 ? 32 : 128
  if (found === undefined || Number(prefix ?? bits) > bits)
    throw usage(
      `--monitor-from: "${text}" is not a network. Use loopback, an address or a network such as 10.0.0.0/8, separated by commas, or off.`,
    )
  return network(`${found}/${prefix ?? bits}`)
}
