import { Problem } from '../lib/problem.ts'

// RFC 9110, section 13: a record's entity tag is its version in quotes.

export const etag = (version: number): string => `"${version}"`

/** Throws 412 unless If-Match, where given, names the version that the record has; one that is not there yet has 0. */
export function checkIfMatch(header: string | undefined, version: number): void {
  if (header === undefined || (header.trim() === '*' && version > 0)) return
  if (version === 0) throw new Problem(412, 'version_mismatch', 'There is no such record yet; leave If-Match out.')
  if (tags(header).includes(etag(version))) return
  throw new Problem(
    412,
    'version_mismatch',
    `The record has changed: its version is ${version}. Read it again and repeat the change on what you find.`,
    {
      headers: { ETag: etag(version) },
    },
  )
}

/** Whether If-None-Match names the version that the record has: then 304 says it all. */
export function isUnchanged(header: string | undefined, version: number): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return tags(header).some((tag) => tag.replace(/^W\//, '') === etag(version))
}

const tags = (header: string): string[] => header.split(',').map((tag) => tag.trim())
