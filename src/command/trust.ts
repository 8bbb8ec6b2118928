import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Trust } from '../lib/mail/transport/server.ts'
import { usage } from '../lib/problem.ts'

/** Reads the certificates of `--mail-ca FILE`, or of another option. Throws a usage Problem if the file contains none. */
export function readTrust(file: string, option = '--mail-ca'): Trust {
  try {
    const ca = readFileSync(file, 'utf8')
    new X509Certificate(ca) // parses the first certificate; throws if it is invalid
    return { ca }
  } catch (error) {
    throw usage(`${option} ${file} cannot be used: ${(error as Error).message}.`)
  }
}
