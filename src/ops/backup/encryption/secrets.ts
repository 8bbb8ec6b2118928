import { plainText } from '../../../lib/plain-text.ts'
import { usage } from '../../../lib/problem.ts'
import { readSecretFile } from '../files/secret-file.ts'

/** What backups are encrypted with: for some recipients, or with one passphrase. */
export type Encryption =
  | { recipients: readonly string[] }
  | {
      passphrase: string
      /** The binary logarithm of the rounds of scrypt; 18 by default, which takes a second and 256 MB. */
      workFactor?: number
    }

/** What backups are decrypted with. */
export type Decryption = { passphrase: string; asWritten?: string } | { identities: readonly string[] }

/** Shorter ones can be tried one by one, by whoever has a backup. */
const MIN_PASSPHRASE = 12

/**
 * Reads a passphrase, which is the only line of its file, without spaces at its end. `asWritten` has them: earlier versions
 * have encrypted with it. Throws a usage Problem.
 */
export function readPassphrase(option: string, file: string): { passphrase: string; asWritten?: string } {
  const asWritten = readSecretFile(option, file).replace(/\r?\n$/, '')
  const passphrase = plainText(asWritten)
  if (passphrase === '') throw usage(`${option} ${file} is empty, and should contain a passphrase.`)
  if (/[\r\n\0]/.test(passphrase)) throw usage(`${option} ${file} has several lines; a passphrase is one line.`)
  return passphrase === asWritten ? { passphrase } : { passphrase, asWritten }
}

/** The same for new backups, with a least length. */
export function readNewPassphrase(option: string, file: string): { passphrase: string } {
  const { passphrase } = readPassphrase(option, file)
  if ([...passphrase].length < MIN_PASSPHRASE)
    throw usage(`The passphrase in ${option} ${file} is too short: use at least ${MIN_PASSPHRASE} characters.`)
  return { passphrase }
}

/** Reads a file as age-keygen writes it: identities, one per line, and comments. Throws a usage Problem. */
export function readIdentities(option: string, file: string): { identities: string[] } {
  const text = readSecretFile(option, file)
  if (/^(age-encryption\.org\/|-----BEGIN AGE)/.test(text))
    throw usage(`${option} ${file} is encrypted itself: decrypt it first, with "age --decrypt".`)
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const hasOthers = identities.some((line) => !/^AGE-SECRET-KEY-(PQ-)?1[0-9A-Z]+$/.test(line))
  if (identities.length === 0 || hasOthers)
    throw usage(`${option} ${file} should contain an identity of age per line, as AGE-SECRET-KEY-1....`)
  return { identities }
}
