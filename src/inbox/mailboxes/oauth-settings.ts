import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { type FieldError, field } from '../../lib/problem.ts'
import type { OAuth } from './oauth.ts'

/** Ends up in a form or an address: visible ASCII. */
const word = (longest: number) =>
  v.pipe(f.line(longest), v.regex(/^[\x21-\x7e]+$/, 'invalid_text|must be one word of ASCII characters'))

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** What goes there are secrets. Whoever writes settings also chooses the mail servers, so private networks are allowed. */
const endpoint = v.pipe(
  word(2048),
  v.check((text) => {
    const url = URL.parse(text)
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname))
    return isSafe && url.username === '' && url.password === '' && url.hash === ''
  }, 'invalid_url|must be an https:// address without user, password and fragment; only on this machine may it be http://'),
)

export const OAuthSettings = f.object({
  provider: f.oneOf(['microsoft', 'google', 'other']),
  client_id: word(255),
  tenant: f.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,253}[A-Za-z0-9])?$/,
        'invalid_tenant|must be the ID or a domain of your directory, such as "harbor.onmicrosoft.com"',
      ),
    ),
  ),
  flow: f.optional(f.oneOf(['device', 'browser'])),
  client_secret_env: f.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z_]\w{0,254}$/, 'invalid_variable|must be the name of an environment variable')),
  ),
  client_secret_file: f.optional(v.pipe(f.line(4096), v.regex(/^\P{Cc}+$/u, 'invalid_text|must be a file name'))),
  token_url: f.optional(endpoint),
  device_url: f.optional(endpoint),
  authorization_url: f.optional(endpoint),
  scopes: f.optional(v.pipe(f.arrayOf(word(255), 20), v.minLength(1, 'empty|must have at least one scope'))),
})
export type OAuthSettings = v.InferOutput<typeof OAuthSettings>

type Name = keyof OAuthSettings
const ENDPOINTS = ['token_url', 'device_url', 'authorization_url', 'scopes'] as const
const SECRETS = ['client_secret_env', 'client_secret_file'] as const

/** By provider, the fields that it has beside the client; the endpoints and scopes of two of them are known. */
const RULES: Record<OAuthSettings['provider'], { without: readonly Name[]; needs: readonly Name[] }> = {
  microsoft: { without: [...ENDPOINTS, ...SECRETS], needs: ['tenant'] },
  google: { without: [...ENDPOINTS, 'tenant', 'flow'], needs: [] },
  other: { without: ['tenant', 'flow'], needs: ['token_url', 'scopes'] },
}

/** The rules between the fields. */
export function oauthFaults(pointer: string, given: OAuthSettings): FieldError[] {
  const { provider, device_url, authorization_url, client_secret_env, client_secret_file } = given
  const { without, needs } = RULES[provider]
  const faults = [
    ...without.flatMap((name) =>
      given[name] === undefined
        ? []
        : [field(`${pointer}/${name}`, 'not_of_provider', `must be omitted for the provider "${provider}"`)],
    ),
    ...needs.flatMap((name) =>
      given[name] === undefined
        ? [field(`${pointer}/${name}`, 'required', `is required for the provider "${provider}"`)]
        : [],
    ),
  ]
  if (provider === 'google' && (client_secret_env ?? client_secret_file) === undefined)
    faults.push(
      field(
        `${pointer}/client_secret_env`,
        'required',
        'or client_secret_file is required: clients of Google have a secret',
      ),
    )
  if (client_secret_env !== undefined && client_secret_file !== undefined)
    faults.push(field(`${pointer}/client_secret_file`, 'two_sources', 'must be omitted if client_secret_env is given'))
  if (provider === 'other' && (device_url === undefined) === (authorization_url === undefined))
    faults.push(field(`${pointer}/device_url`, 'one_of_two', 'or authorization_url is required, and only one of them'))
  return faults
}

/** Returns what is stored. */
export function oauthOf(given: OAuthSettings): OAuth {
  const { provider, client_id, tenant = null, flow = null } = given
  const { client_secret_env = null, client_secret_file = null } = given
  const { token_url = null, device_url = null, authorization_url = null, scopes = null } = given
  const endpoints = { token_url, device_url, authorization_url, scopes }
  return { provider, tenant, flow, client_id, client_secret_env, client_secret_file, ...endpoints }
}
