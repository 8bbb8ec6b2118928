import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { trustAlso } from '../lib/net/trust.ts'
import { usage } from '../lib/problem.ts'
import type { Options } from './config/options.ts'

/** An option of all commands that open connections. */
export const caOption = {
  ca: {
    type: 'string',
    placeholder: 'FILE',
    help: 'additional CA certificates (PEM) to trust for all outgoing connections, such as that of your own CA',
  },
} as const satisfies Options

/** Has this process trust the certificates of `--ca FILE`. Throws a usage Problem if they cannot be used. */
export function trustFile(file: string): void {
  const certificates = readCertificates(file)
  try {
    new X509Certificate(certificates) // throws if there is none, which the next line does only for broken ones
    trustAlso(certificates, file)
  } catch {
    throw unusable(file, 'it holds no certificate in PEM, or one that is broken')
  }
}

/** The content of the file. Throws a usage Problem if it cannot be read. */
export function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unusable(file, (error as Error).message)
  }
}

const unusable = (file: string, why: string): Error => usage(`--ca ${file} cannot be used: ${why}.`)
