import type { Clock } from '../../id.ts'
import { sentence } from '../transport/error-messages.ts'
import type { PostForm } from './post-form.ts'
import type { OAuthClient } from './provider.ts'
import { OAuthRefusal, send, type Tokens, tokensFor } from './tokens.ts'

/** What the person has to do: open the address and type the code. */
export type DeviceCode = {
  deviceCode: string
  userCode: string
  verificationUrl: string
  lifetime_s: number
  /** How long to wait before each question whether the person has done it. */
  interval_s: number
}

export type DeviceOptions = {
  post: PostForm
  clock: Pick<Clock, 'now'>
  /** Waits; rejects with the reason of the signal. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>
  signal: AbortSignal
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const DEFAULT_INTERVAL_S = 5
const MAX_INTERVAL_S = 60
const SLOW_DOWN_S = 5
const MAX_LIFETIME_S = 3600

/** Begins the device flow of RFC 8628. Rejects with OAuthRefusal, or one sentence. */
export async function askForCode(client: OAuthClient, { post, signal }: DeviceOptions): Promise<DeviceCode> {
  const { body } = await send(client, client.startUrl, { ...client.extra, scope: client.scope }, post, signal)
  const { device_code, user_code, verification_uri, expires_in, interval } = body
  const url = typeof verification_uri === 'string' ? URL.parse(verification_uri) : null
  if (
    !isText(device_code, 4096) ||
    !isText(user_code, 64) ||
    !(url?.protocol === 'https:' || url?.protocol === 'http:') ||
    !(Number(expires_in) > 0)
  )
    throw sentence(`The provider at ${new URL(client.startUrl).host} did not respond with a code to type.`)
  return {
    deviceCode: device_code,
    userCode: user_code,
    verificationUrl: url.href,
    lifetime_s: Math.min(Number(expires_in), MAX_LIFETIME_S),
    interval_s: Number(interval) >= 1 ? Math.min(Number(interval), MAX_INTERVAL_S) : DEFAULT_INTERVAL_S,
  }
}

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && /^[\x20-\x7e]+$/.test(value)

/**
 * Waits until the person has typed the code. Rejects with OAuthRefusal, with one sentence, or with the reason of the
 * signal. A provider that cannot be reached for a while is asked less often.
 */
export async function tokensOfDevice(
  client: OAuthClient,
  { deviceCode, lifetime_s, interval_s }: DeviceCode,
  { post, clock, wait, signal }: DeviceOptions,
): Promise<Tokens> {
  const end = clock.now() + lifetime_s * 1000
  for (let pause_s = interval_s; ; ) {
    await wait(pause_s * 1000, signal)
    if (clock.now() >= end) throw expired()
    try {
      return await tokensFor(client, { grant_type: GRANT, device_code: deviceCode }, post, signal)
    } catch (error) {
      signal.throwIfAborted()
      const code = error instanceof OAuthRefusal ? error.code : 'no_answer'
      if (code === 'authorization_pending') continue
      if (code === 'slow_down') pause_s += SLOW_DOWN_S
      else if (code === 'no_answer' || /^status_5/.test(code)) pause_s = Math.min(2 * pause_s, MAX_INTERVAL_S)
      else if (code === 'expired_token') throw expired()
      else if (code === 'access_denied' || code === 'authorization_declined') throw denied()
      else throw error
    }
  }
}

const expired = () =>
  new OAuthRefusal('expired_token', 'The code was not used in time, and nothing was stored. Try again.')

export const denied = () =>
  new OAuthRefusal('access_denied', 'The sign-in was declined at the provider, and nothing was stored.')
