import { createHash, randomBytes } from 'node:crypto'
import { denied } from './device.ts'
import type { PostForm } from './post-form.ts'
import type { OAuthClient } from './provider.ts'
import { OAuthRefusal, type Tokens, tokensFor } from './tokens.ts'

export type Visit = { url: string; state: string; verifier: string }

/**
 * Returns the page that the person opens. The code that comes of it is of no use without the verifier, which stays here
 * (RFC 7636).
 */
export function visitOf({ startUrl, clientId, scope, extra, redirectUrl }: OAuthClient, user: string): Visit {
  const state = randomBytes(16).toString('base64url')
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(startUrl)
  const parameters = {
    ...extra,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    scope,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    login_hint: user,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, state, verifier }
}

/** Exchanges the pasted address for tokens. Rejects with OAuthRefusal, or one sentence. */
export async function tokensOfVisit(
  client: OAuthClient,
  { state, verifier }: Visit,
  pasted: string,
  post: PostForm,
): Promise<Tokens> {
  const url = URL.parse(pasted.trim())
  const given = (name: string): string => url?.searchParams.get(name) ?? ''
  const { redirectUrl } = client
  if (url?.origin !== new URL(redirectUrl).origin || !(given('code') || given('error')))
    throw new OAuthRefusal('no_code', `This is not the address of the last page, which starts with ${redirectUrl}.`)
  if (given('state') !== state)
    throw new OAuthRefusal('wrong_state', 'This address is that of another attempt, and nothing was stored. Try again.')
  if (given('error') === 'access_denied') throw denied()
  if (given('error'))
    throw new OAuthRefusal(
      'refused',
      `The provider responded with ${given('error')
        .replace(/[^\w.-]/g, '')
        .slice(0, 64)}.`,
    )
  const form = {
    grant_type: 'authorization_code',
    code: given('code'),
    redirect_uri: redirectUrl,
    code_verifier: verifier,
  }
  return tokensFor(client, form, post)
}
