import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ends } from './smtp.ts'

// A real OpenID provider with the flows that mailboxes use, and a person with a browser.

export const CLIENT = 'dealbox'
/** The client of the mail servers, which ask whether a token is valid. */
const ASKER = { id: 'mail-servers', secret: 'ask-me-anything' }

type Found = { destroy: () => Promise<void> }
type Saved = { grantId: string; accountId: string; jti: string }
type Provider = {
  callback: () => (request: unknown, response: unknown) => void
  on: (event: string, listener: (token: Saved) => void) => void
  Grant: { find: (id: string) => Promise<Found | undefined> }
  AccessToken: { find: (id: string) => Promise<Found | undefined> }
  RefreshToken: { revokeByGrantId: (id: string) => Promise<void> }
}
// The library has no types.
const LIBRARY = 'oidc-provider'

/** The library advises on what production would need. */
for (const level of ['info', 'warn'] as const) {
  const say = console[level]
  console[level] = (...words: unknown[]) => {
    if (!String(words[0]).startsWith(LIBRARY)) say(...words)
  }
}

/** Starts the provider; its refresh tokens can be used once only. */
export async function startOpenId(t: Ends) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { default: OpenId } = (await import(LIBRARY)) as { default: new (issuer: string, options: object) => Provider }
  const provider = new OpenId(origin, {
    clients: [
      {
        client_id: CLIENT,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1:51827/'],
        response_types: ['code'],
      },
      {
        client_id: `${CLIENT}-secret`,
        client_secret: 'own: secret/+',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: ['http://127.0.0.1:51827/'],
        response_types: ['code'],
      },
      { client_id: ASKER.id, client_secret: ASKER.secret, grant_types: [], redirect_uris: [], response_types: [] },
    ],
    scopes: ['openid', 'offline_access', 'mail'],
    features: {
      deviceFlow: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true },
    },
    rotateRefreshToken: () => true,
    cookies: { keys: ['a key of the test'] },
  })
  const grants = new Set<string>()
  const refreshes: string[] = []
  const accesses: string[] = []
  provider.on('access_token.saved', ({ jti }) => void accesses.push(jti))
  provider.on('refresh_token.saved', ({ grantId, jti }) => {
    grants.add(grantId)
    refreshes.push(jti)
  })
  const asked: string[] = []
  const handle = provider.callback()
  server.on('request', (request, response) => {
    asked.push(`${request.method} ${new URL(request.url ?? '/', origin).pathname}`)
    handle(request, response)
  })
  t.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })

  return {
    origin,
    /** What a mailbox has to know, in the form of its settings. */
    oauth: {
      provider: 'other',
      client_id: CLIENT,
      token_url: `${origin}/token`,
      device_url: `${origin}/device/auth`,
      scopes: ['openid', 'offline_access', 'mail'],
    },
    /** Where mail servers ask for the account of a token. */
    introspection: `http://${ASKER.id}:${ASKER.secret}@${origin.slice('http://'.length)}/token/introspection`,
    /** The requests up to now, such as "POST /token". */
    asked,
    /** The refresh tokens up to now. */
    refreshes,
    /** Returns the account of a valid access token; undefined for any other. */
    accountOf: async (token: string): Promise<string | undefined> => {
      const headers = { Authorization: `Basic ${Buffer.from(`${ASKER.id}:${ASKER.secret}`).toString('base64')}` }
      const response = await fetch(`${origin}/token/introspection`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ token }),
      })
      const answer = (await response.json()) as { active: boolean; sub?: string }
      return answer.active ? answer.sub : undefined
    },
    /** Ends all access tokens, and no refresh token. */
    revokeAccess: async (): Promise<void> => {
      for (const token of accesses) await (await provider.AccessToken.find(token))?.destroy()
    },
    /** What an administrator does to a user who has left. */
    revoke: async (): Promise<void> => {
      for (const grant of grants) {
        await provider.RefreshToken.revokeByGrantId(grant) // and all other tokens of this grant
        await (await provider.Grant.find(grant))?.destroy()
      }
    },
    signIn: (url: string, account: string, code?: string, choice: 'yes' | 'no' = 'yes') =>
      signIn(url, account, code, choice),
  }
}

/** A person who signs in, fills in every form, and returns the address of the last page. */
async function signIn(start: string, account: string, code: string | undefined, choice: 'yes' | 'no'): Promise<string> {
  const cookies = new Map<string, string>()
  const answers: Record<string, string> = { login: account, password: 'any', ...(code && { user_code: code }) }
  let page = await visit(start, cookies)
  for (let forms = 0; forms < 6 && /<form/i.test(page.text); forms++) {
    const [, form = ''] = /(<form[\s\S]*?<\/form>)/i.exec(page.text) ?? []
    const action = /action="([^"]*)"/.exec(form)?.[1] ?? page.url
    const fields: Record<string, string> = {}
    for (const [, attributes = ''] of form.matchAll(/<input([^>]*)>/gi)) {
      const name = /name="([^"]*)"/.exec(attributes)?.[1]
      if (name) fields[name] = /value="([^"]*)"/.exec(attributes)?.[1] ?? answers[name] ?? ''
    }
    for (const name of Object.keys(answers)) if (name in fields) fields[name] = answers[name] as string
    if (choice === 'no' && 'confirm' in fields) {
      delete fields.confirm
      fields.abort = 'yes'
    }
    page = await visit(new URL(action, page.url).href, cookies, new URLSearchParams(fields))
  }
  return page.url
}

type Page = { url: string; text: string }

/** Follows redirects, but not to an address of another server: such a page does not open. */
async function visit(url: string, cookies: Map<string, string>, form?: URLSearchParams): Promise<Page> {
  const response = await fetch(url, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form && { body: form }),
  })
  for (const cookie of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/)
    cookies.set(name, value)
  }
  const text = await response.text()
  const next = response.headers.get('location')
  if (!next) return { url, text }
  const target = new URL(next, url)
  return target.origin === new URL(url).origin ? visit(target.href, cookies) : { url: target.href, text: '' }
}
