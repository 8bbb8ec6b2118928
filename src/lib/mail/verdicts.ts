import type { Authentication } from './mail.ts'

// What the results of a mail server come to.

/** Whether the server found that somebody else wrote the mail. */
export function isForged(results: Authentication | null): boolean {
  if (!results || results.dmarc === 'pass') return false
  return results.dmarc === 'fail' || (results.spf === 'fail' && results.dkim !== 'pass')
}

/** Whether the server found that the mail is from where it claims to be. */
export const isProven = (results: Authentication | null): boolean =>
  results !== null && [results.dmarc, results.dkim, results.spf].includes('pass') && !isForged(results)
