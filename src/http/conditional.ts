import { Problem } from '../lib/problem.ts'

// RFC 9110, section 13: the entity tag of a record is its version in quotes.

export const etag = (version: number | string): string => `"${version}"`

/**
 * Throws 412 if If-Match is present and does not name the current version of the record; a new record has version 0.
 */
export function checkIfMatch(header: string | undefined, version: number): void {
  if (header === undefined || (header.trim() === '*' && version > 0)) return
  if (version === 0) throw new Problem(412, 'version_mismatch', 'The record does not exist yet. Omit If-Match.')
  if (tags(header).includes(etag(version))) return
  throw new Problem(
    412,
    'version_mismatch',
    `The record has changed; its version is now ${version}. Read it again and apply your change to the current version.`,
    {
      headers: { ETag: etag(version) },
    },
  )
}

/** Whether If-None-Match names the current version of the record, so that the response is 304. */
export function isUnchanged(header: string | undefined, version: number | string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return tags(header).some((tag) => tag.replace(/^W\//, '') === etag(version))
}

const tags = (header: string): string[] => header.split(',').map((tag) => tag.trim())
