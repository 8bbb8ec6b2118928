import { command, json, org } from '../../command/command.ts'
import { parseLifetime } from '../../command/lifetime.ts'
import { aligned } from '../../command/text.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { keyring } from '../keys.ts'
import { SCOPES } from '../scopes.ts'
import { parseScopes, type TokenInfo, tokens } from '../tokens.ts'

/** When "token list" says how much time is left. */
const SOON_MS = 14 * DAY_MS

export const tokenCreate = command({
  name: 'token create',
  summary: 'Create a bearer token for the API',
  options: {
    email: {
      type: 'string',
      placeholder: 'EMAIL',
      required: true,
      help: 'email of the member that the token belongs to',
    },
    scope: {
      type: 'string',
      placeholder: 'all|A,B,C',
      required: true,
      help: 'scopes of the token, separated by commas, or all',
    },
    expires: { type: 'string', placeholder: 'TIME', default: '90d', help: 'lifetime, such as 90d or 12h, or never' },
    org,
    json,
  },
  audit: 'token.created',
  run: ({ options, write, openOrg }) => {
    const scopes = parseScopes(options.scope)
    const lifetimeMs = parseLifetime('--expires', options.expires)
    return openOrg(async (store, org) => {
      const expiresAt = lifetimeMs === null ? null : store.clock.now() + lifetimeMs
      const { created, member, keep } = await tokensOf(store, options.data).sign(org, options.email, scopes, expiresAt)
      return write(store, () => {
        keep()
        return {
          json: created,
          text: created.token,
          note: `Keep it secret, like a password: it is shown only once. It ${created.expires_at ? `expires ${created.expires_at}` : 'never expires'}. To revoke it, use "dealbox token revoke ${created.id}".`,
          audit: {
            record: created.id,
            detail: { member_id: member, scopes: scopesOf(created), expires_at: created.expires_at },
          },
        }
      })
    })
  },
})

export const tokenList = command({
  name: 'token list',
  summary: 'List the tokens of an organisation, without the tokens themselves',
  options: { org, json },
  run: ({ options, openOrg }) =>
    openOrg((store, org) => {
      const list = tokensOf(store, options.data).list(org)
      const now = store.clock.now()
      const rows = list.map((token) => [token.id, token.email, stateOf(token, now), scopesOf(token)])
      return { json: list, text: aligned([['ID', 'EMAIL', 'STATE', 'SCOPES'], ...rows]) }
    }),
})

export const tokenRevoke = command({
  name: 'token revoke',
  summary: 'Revoke a token: it stops working with the next request',
  args: { id: 'id of the token, as shown by "dealbox token list"' },
  options: { json },
  audit: 'token.revoked',
  run: ({ options, args: { id }, write, open }) =>
    open((store) =>
      write(store, () => {
        const { findOrg, revoke } = tokensOf(store, options.data)
        const org = findOrg(id)
        revoke(org, id)
        return { json: { id }, text: `Revoked the token ${id}.`, audit: { org, record: id } }
      }),
    ),
})

const tokensOf = (store: Store, dataDir: string) => tokens(keyring(dataDir, store), store)

function stateOf({ revoked_at, expires_at }: TokenInfo, now: number): string {
  if (revoked_at) return `revoked ${revoked_at}`
  if (!expires_at) return 'never expires'
  const left = Date.parse(expires_at) - now
  if (left <= 0) return `expired ${expires_at}`
  return `expires ${expires_at}${left <= SOON_MS ? `, in ${timeLeft(left)}` : ''}`
}

const timeLeft = (ms: number): string => {
  const hours = Math.ceil(ms / HOUR_MS)
  if (hours <= 48) return hours === 1 ? '1 hour' : `${hours} hours`
  return `${Math.round(ms / DAY_MS)} days`
}

const scopesOf = ({ scopes }: Pick<TokenInfo, 'scopes'>): string =>
  scopes.length === SCOPES.length ? 'all' : scopes.join(',')
