import { hash, randomBytes } from 'node:crypto'

const BYTES = 32

/** A random secret of 256 bits for a cookie or a link, and its hash, which is all that is stored. */
export function newSecret(): { secret: string; hash: string } {
  const secret = randomBytes(BYTES).toString('base64url')
  return { secret, hash: hashOf(secret) }
}

/** A fast hash is enough: the secret is random and too long to guess. */
export const hashOf = (secret: string): string => hash('sha256', secret, 'base64url')

/** Whether a text has the form of a secret: others need no look into the database. */
export const isSecretForm = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text)
