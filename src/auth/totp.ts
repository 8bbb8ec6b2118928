import { createHmac, randomBytes } from 'node:crypto'

// Codes of an authenticator app: RFC 6238 with what all apps do, SHA-1, 30 s and six digits.

const STEP_MS = 30_000
const DIGITS = 6
const SECRET_BYTES = 20
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new secret in base32, the form that people can type into their app. */
export const newTotpSecret = (): string => base32(randomBytes(SECRET_BYTES))

/** The code of a time step (RFC 4226). */
export function totpCode(secret: Buffer, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const truncated = mac.readUInt32BE((mac.at(-1) as number) & 0xf) & 0x7fffffff
  return String(truncated % 10 ** digits).padStart(digits, '0')
}

export const stepOf = (ms: number): number => Math.floor(ms / STEP_MS)

/**
 * The time step of a code: the current one or a neighbour, since clocks differ, but none up to the last that was `used`, so
 * that each is accepted once. Those further ahead do not count yet: they were used while the clock was, and no code would be
 * right until their time. Undefined for a wrong code.
 */
export function matchTotp(secret: string, code: string, nowMs: number, used: readonly number[]): number | undefined {
  const now = stepOf(nowMs)
  const bytes = fromBase32(secret)
  const last = Math.max(-1, ...used.filter((step) => step <= now + 1))
  return [now, now - 1, now + 1].find((step) => step > last && totpCode(bytes, step) === code)
}

/** What an authenticator app reads from the QR code. */
export function totpUrl(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
