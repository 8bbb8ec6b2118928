import { stepOf, totpCode } from '../../src/auth/totp.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** What an authenticator app shows for a secret at a time, or some steps beside it. */
export function authenticatorCode(base32: string, nowMs: number, steps = 0): string {
  const bits = [...base32].map((each) => ALPHABET.indexOf(each).toString(2).padStart(5, '0')).join('')
  const secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  return totpCode(secret, stepOf(nowMs) + steps)
}
