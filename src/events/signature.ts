import { createHmac, randomBytes } from 'node:crypto'

// Standard Webhooks 1.0 (standardwebhooks.com): secrets, and what they sign.

const PREFIX = 'whsec_'
/** Between 24 and 64, as the specification has it. */
const SECRET_BYTES = 32

export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64')

export type Message = {
  /** The same at each try, so that a receiver can tell a repeat. */
  id: string
  /** Of this try, in milliseconds. */
  at: number
  body: string
}

/** The headers that let a receiver check who sent the body, and when. Each of the secrets signs. */
export function signedHeaders({ id, at, body }: Message, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
