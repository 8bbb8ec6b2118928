import { hash } from 'node:crypto'
import { rfc3339 } from '../../lib/time.ts'
import { REASONS, type Reason } from './reasons.ts'

// The names of backups. That of an encrypted one says what the retention has to know of it, since nobody can look inside:
// dealbox-20261123T031500Z.tar, or dealbox-20261123T031500Z-nightly-0a1b2c3d4e5f.tar.age

/** What the name of a backup says; the mark, which is of the installation, and the reason only if it is encrypted. */
export type Named = { made: number; reason?: Reason; mark?: string }

const NAME = new RegExp(
  `^dealbox-(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)(\\d\\d)(\\d\\d)Z(?:-(${REASONS.join('|')})-([0-9a-f]{12}))?\\.tar(?:\\.age)?$`,
)

/** 20261123T031500Z, for names of files. */
export const stampOf = (ms: number): string => `${rfc3339(ms).slice(0, 19).replace(/[-:]/g, '')}Z`

/** Tells the backups of one installation from those of others, without its id. */
export const markOf = (installation: string): string => hash('sha256', installation).slice(0, 12)

export const plainName = (made: number): string => `dealbox-${stampOf(made)}.tar`

export const sealedName = (made: number, reason: Reason, installation: string): string =>
  `dealbox-${stampOf(made)}-${reason}-${markOf(installation)}.tar.age`

export const encryptedName = (name: string): string => `${name}.age`
export const isEncryptedName = (name: string): boolean => name.endsWith('.age')

/** Undefined for other names. */
export function readName(name: string): Named | undefined {
  const [, year, month, day, hour, minute, second, reason, mark] = NAME.exec(name) ?? []
  const made = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  if (Number.isNaN(made)) return undefined
  return { made, ...(reason !== undefined && { reason: reason as Reason }), ...(mark !== undefined && { mark }) }
}
