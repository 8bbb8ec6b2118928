import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { usage } from '../config.ts'
import type { Trust } from '../mail/transport/server.ts'

/** The certificates of `--mail-ca FILE`. Throws a usage Problem where there are none in it. */
export function readTrust(file: string): Trust {
  try {
    const ca = readFileSync(file, 'utf8')
    new X509Certificate(ca) // its first one; it throws where that is none
    return { ca }
  } catch (error) {
    throw usage(`--mail-ca ${file} cannot be used: ${(error as Error).message}.`)
  }
}
