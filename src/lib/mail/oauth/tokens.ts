import type { Answer, Form, PostForm } from './post-form.ts'
import type { OAuthClient } from './provider.ts'

export type Tokens = {
  access: string
  /** Null if the provider sent none: the previous one stays valid. */
  refresh: string | null
  /** How long the access token is valid. */
  lifetime_s: number
  /** How long the provider lets the refresh token live, if it says so, as Google does for a project in testing. */
  refreshLifetime_s: number | null
}

/**
 * The provider refused a request. `code` is its error code of RFC 6749 or 8628, `said` all that it said, and the message
 * is one sentence.
 */
export class OAuthRefusal extends Error {
  readonly code: string
  readonly said: string

  constructor(code: string, message: string, said = code) {
    super(message)
    this.code = code
    this.said = said
  }

  /** Only the person who owns the mailbox can repair it, by signing in again. */
  get isFinal(): boolean {
    return FINAL.has(this.code)
  }
}

/** `invalid_grant` says that a token has expired or was revoked; the others are those of providers that ask for more. */
const FINAL = new Set(['invalid_grant', 'interaction_required', 'consent_required', 'login_required'])

const MAX_TOKEN = 16_384
const MAX_WORDS = 300
/** RFC 6749 leaves the lifetime optional. */
const DEFAULT_LIFETIME_S = 600
const MAX_LIFETIME_S = 30 * 86_400

/** Exchanges a refresh token for an access token. Rejects with OAuthRefusal, or one sentence. */
export function refreshed(client: OAuthClient, refresh: string, post: PostForm): Promise<Tokens> {
  return tokensFor(client, { grant_type: 'refresh_token', refresh_token: refresh }, post)
}

/** Sends a form to the token endpoint. Rejects with OAuthRefusal, or one sentence. */
export async function tokensFor(
  client: OAuthClient,
  form: Form,
  post: PostForm,
  signal?: AbortSignal,
): Promise<Tokens> {
  const { body, status } = await send(client, client.tokenUrl, form, post, signal)
  const { access_token, refresh_token, token_type, expires_in, refresh_token_expires_in } = body
  if (!isToken(access_token) || (refresh_token !== undefined && !isToken(refresh_token)))
    throw new OAuthRefusal('bad_answer', `The provider answered with status ${status}, but without a valid token.`)
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
    throw new OAuthRefusal('bad_answer', 'The provider issued a token of a kind that mail servers do not support.')
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    lifetime_s: Math.min(secondsOf(expires_in) ?? DEFAULT_LIFETIME_S, MAX_LIFETIME_S),
    refreshLifetime_s: secondsOf(refresh_token_expires_in) ?? null,
  }
}

/** Posts a form with the credentials of the client. Rejects with OAuthRefusal unless the answer is a success. */
export async function send(
  { clientId, clientSecret, secretIn }: OAuthClient,
  url: string,
  form: Form,
  post: PostForm,
  signal?: AbortSignal,
): Promise<Answer> {
  const isInForm = clientSecret !== null && secretIn === 'form'
  const headers = clientSecret === null || isInForm ? {} : { Authorization: basic(clientId, clientSecret) }
  const whole = { ...form, client_id: clientId, ...(isInForm && { client_secret: clientSecret }) }
  const answer = await post(url, whole, headers, signal)
  if (answer.status >= 200 && answer.status < 300) return answer
  const secrets = [clientSecret, form.refresh_token, form.code, form.device_code, form.code_verifier]
  throw refusalOf(answer, new URL(url).host, secrets)
}

/** RFC 6749 (2.3.1): both halves are encoded as in a form first. */
function basic(id: string, secret: string): string {
  const encoded = [id, secret].map((text) => new URLSearchParams({ text }).toString().slice('text='.length)).join(':')
  return `Basic ${Buffer.from(encoded).toString('base64')}`
}

function refusalOf(
  { status, body }: Answer,
  host: string,
  secrets: readonly (string | null | undefined)[],
): OAuthRefusal {
  const { error, error_description } = body
  const code = typeof error === 'string' && /^[\w.-]{1,64}$/.test(error) ? error : `status_${status}`
  let text = typeof error_description === 'string' ? error_description : ''
  for (const secret of secrets) if (secret) text = text.replaceAll(secret, '…')
  const words = text
    .replace(/\s*Trace ID: .*$/s, '') // of Microsoft, for its own support
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_WORDS)
    .toWellFormed()
    .replace(/[.\s]+$/, '')
  const said = words ? `${code}: ${words}` : code
  return new OAuthRefusal(code, `The provider at ${host} responded with ${said}.`, said)
}

/** Printable ASCII, as RFC 6749 has it: it goes into a line of a mail protocol. */
const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TOKEN && /^[\x21-\x7e]+$/.test(value)

/** Some providers send numbers as text. */
function secondsOf(value: unknown): number | undefined {
  const seconds = Number(value)
  return value !== null && value !== '' && Number.isFinite(seconds) && seconds >= 1 ? Math.floor(seconds) : undefined
}
