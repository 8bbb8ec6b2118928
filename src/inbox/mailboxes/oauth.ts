import { google, microsoft, type OAuthClient, otherProvider } from '../../lib/mail/oauth/provider.ts'

/** How the logins of a mailbox are obtained: by a client that the organisation has registered at its provider. */
export type OAuth = {
  provider: 'microsoft' | 'google' | 'other'
  /** Of Microsoft only: the directory of the organisation. */
  tenant: string | null
  /** Of Microsoft only: how people sign in; null for the device flow. */
  flow: 'device' | 'browser' | null
  client_id: string
  /** The source of the client's secret, which is stored as passwords are; both are null for a public client. */
  client_secret_env: string | null
  client_secret_file: string | null
  /** Of other providers only, and of the next two exactly one. */
  token_url: string | null
  device_url: string | null
  authorization_url: string | null
  scopes: string[] | null
}

/** Returns the client of a mailbox with OAuth. */
export function clientOf({ oauth }: { oauth: OAuth | null }, secret: string | null): OAuthClient {
  const { provider, client_id, tenant, flow, token_url, device_url, authorization_url, scopes } = oauth as OAuth
  if (provider === 'microsoft') return microsoft(tenant as string, client_id, flow ?? 'device')
  if (provider === 'google') return google(client_id, secret)
  return otherProvider({
    flow: device_url === null ? 'browser' : 'device',
    startUrl: (device_url ?? authorization_url) as string,
    tokenUrl: token_url as string,
    clientId: client_id,
    clientSecret: secret,
    scopes: scopes as string[],
  })
}

/**
 * Whether a grant by one client is of use to another. What was granted by one provider must not be sent to another one.
 */
export function isSameClient(one: OAuth | null, other: OAuth | null): boolean {
  if (!one || !other) return one === other
  const identity = ({ provider, tenant, client_id, token_url, device_url, authorization_url, scopes }: OAuth) =>
    JSON.stringify([provider, tenant, client_id, token_url, device_url, authorization_url, scopes])
  return identity(one) === identity(other)
}
