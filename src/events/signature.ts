import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks 1.0 (standardwebhooks.com): secrets and signatures.

const PREFIX = 'whsec_'
/** The specification requires 24 to 64 bytes. */
const SECRET_BYTES = 32

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

export type Message = {
  /** The same for each attempt, so that receivers can detect repeats. */
  id: string
  /** The time of this attempt, in epoch milliseconds. */
  at: number
  body: string
}

/** The headers that let a receiver verify the origin and time of the body, with a signature for each secret. */
export function signedHeaders({ id, at, body }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
