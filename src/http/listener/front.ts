import { trustedProxies } from '../../auth/client.ts'
import type { Log } from '../../lib/log.ts'
import { usage } from '../../lib/problem.ts'
import { parseBasePath } from '../base-path.ts'
import { type Certificate, openCertificate } from './certificate.ts'
import { parseHosts } from './hosts.ts'
import type { Front } from './server.ts'

// What stands between clients and the listeners: TLS, proxies, and the names of this server.

export const host = {
  type: 'string',
  placeholder: 'NAMES',
  default: '',
  help: 'names by which clients may call this server, such as crm.example.com, separated by commas; the API takes any without this',
} as const

export const tlsCert = {
  type: 'string',
  placeholder: 'FILE',
  help: 'certificate for TLS on both listeners, with its intermediates (PEM); followed when it is renewed',
} as const

export const basePath = {
  type: 'string',
  placeholder: 'PATH',
  default: '',
  help: 'path of a name that others share, such as /crm, below which everything is: a proxy passes it on as it is',
} as const

export const frontOptions = {
  host,
  basePath,
  tlsCert,
  tlsKey: { type: 'string', placeholder: 'FILE', help: 'private key of the certificate (PEM)' },
  trustProxy: {
    type: 'string',
    placeholder: 'NETWORKS',
    default: '127.0.0.0/8,::1',
    help: 'proxies whose X-Forwarded-For, -Proto and -Host count, separated by commas; own-networks for those beside a container; or off',
  },
} as const

export type FrontOptions = {
  host?: string | undefined
  basePath?: string | undefined
  tlsCert?: string | undefined
  tlsKey?: string | undefined
  trustProxy?: string | undefined
}

/** Reads the options and the certificate. Throws a usage Problem. */
export async function openFront(
  { host, basePath, tlsCert, tlsKey, trustProxy }: FrontOptions,
  log: Log,
): Promise<Front & { names: string[]; basePath: string }> {
  const names = parseHosts(host ?? '')
  const proxies = trustedProxies(trustProxy ?? frontOptions.trustProxy.default, (address) => {
    log.warn(
      { address },
      `the headers X-Forwarded-* of ${address} are ignored: if it is your proxy, name it in --trust-proxy`,
    )
  })
  const path = parseBasePath(basePath)
  return { names, basePath: path, proxies, certificate: await certificateOf(tlsCert, tlsKey, log), log }
}

async function certificateOf(
  cert: string | undefined,
  key: string | undefined,
  log: Log,
): Promise<Certificate | undefined> {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw usage('--tls-cert and --tls-key belong together, and one of them is missing.')
  return openCertificate({ cert, key }, log)
}
