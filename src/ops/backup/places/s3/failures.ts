import type { IncomingHttpHeaders } from 'node:http'
import { failureOf } from '../../../../lib/net/failures.ts'
import { Problem } from '../../../../lib/problem.ts'
import { parseXml, textOf } from './xml.ts'

/** An attempt that failed. `isPassing` says that another one may succeed. */
export class Failed extends Error {
  readonly problem: Problem
  readonly isPassing: boolean
  /** Of the answer; 0 without one. */
  readonly status: number
  /** Of the service, such as NoSuchKey. */
  readonly code: string

  constructor(problem: Problem, isPassing: boolean, status = 0, code = '') {
    super(problem.message)
    this.problem = problem
    this.isPassing = isPassing
    this.status = status
    this.code = code
  }
}

/** How a place is configured, for sentences that say what to change. */
export type Naming = { region: (region: string) => string }

export const OF_BACKUPS: Naming = { region: (region) => `--backup-s3-region ${region}` }

/** The storage that a sentence is about. */
export type Named = { name: string; naming: Naming }

type Kind = 'place_missing' | 'place_denied' | 'place_failed'

/** By the code of the service: the code of the Problem, and what follows the name of the place. */
const SENTENCES: Record<string, [Kind, string]> = {
  NoSuchBucket: ['place_missing', 'has no such bucket; Dealbox does not create it.'],
  InvalidAccessKeyId: ['place_denied', 'does not know the access key id.'],
  XAdminUserNotFound: ['place_denied', 'does not know the access key id.'], // versitygw
  SignatureDoesNotMatch: ['place_denied', 'does not accept the secret access key.'],
  AccessDenied: ['place_denied', 'does not allow this with these keys.'],
  AllAccessDisabled: ['place_denied', 'has disabled the bucket.'],
  AccountProblem: ['place_denied', 'has a problem with the account.'],
  RequestTimeTooSkewed: ['place_denied', 'has another time: check the clock of this machine.'],
  QuotaExceeded: ['place_failed', 'is full: the quota is used up.'],
}

const PASSING_CODES = ['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout', 'XAmzContentSHA256Mismatch']
const PASSING_STATUS = [408, 429, 500, 502, 503, 504]

/** Why an answer other than 2xx failed. The words of the service are not repeated, only its codes. */
export async function refusal(
  { name, naming }: Named,
  status: number,
  headers: IncomingHttpHeaders,
  text: string,
): Promise<Failed> {
  const root = await parseXml(text)
  const said = textOf(root, 'Error', 'Code') ?? ''
  const code = /^[A-Za-z0-9.]{1,64}$/.test(said) ? said : ''
  const region = textOf(root, 'Error', 'Region') ?? headers['x-amz-bucket-region']
  const isElsewhere = (status >= 300 && status < 400) || code === 'AuthorizationHeaderMalformed'
  if (isElsewhere) return failed('place_failed', elsewhere(region, naming))
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (known) return failed(...known)
  const kind = status === 401 || status === 403 ? 'place_denied' : 'place_failed'
  return failed(kind, `answered ${status}${code === '' ? '' : ` (${code})`}.`)

  function failed(kind: Kind, sentence: string): Failed {
    const isPassing = PASSING_STATUS.includes(status) || PASSING_CODES.includes(code)
    return new Failed(new Problem(502, kind, `${name} ${sentence}`), isPassing, status, code)
  }
}

/** Redirects are not followed: the other host would get a signed request. */
function elsewhere(region: unknown, naming: Naming): string {
  const isNamed = typeof region === 'string' && /^[a-z0-9-]{1,32}$/.test(region)
  return isNamed ? `is in the region ${region}: use ${naming.region(region)}.` : 'is at another address or region.'
}

/** Why there was no answer, or no complete one. Throws the error of a file on this machine. */
export function noAnswer(name: string, error: unknown): Failed {
  const { code: found, syscall } = error as NodeJS.ErrnoException
  const code = String(found)
  if (syscall !== undefined && LOCAL.includes(code)) throw error
  const sentence = Object.hasOwn(OWN, code) ? OWN[code] : failureOf(error)
  const hint = /SELF_SIGNED|^UNABLE_TO/.test(code) ? ' If it is your own, name its file with --ca.' : ''
  const isPassing = !/CERT|SIGNATURE|ERR_SSL|ERR_TLS|PROXY_REFUSED/.test(code)
  return new Failed(new Problem(502, 'place_failed', `${name}: ${sentence}${hint}`), isPassing)
}

/** By the codes of our own limits. */
const OWN: Record<string, string> = {
  DEALBOX_IDLE: 'The service does not respond.',
  DEALBOX_LATE: 'The connection is too slow.',
  DEALBOX_LONG: 'The answer is too long: it is not compatible with S3.',
}

/** Codes of files on this machine, which no other attempt mends. */
const LOCAL = ['ENOENT', 'EACCES', 'EPERM', 'EIO', 'ENOSPC', 'EDQUOT', 'EISDIR', 'EROFS', 'EEXIST']

/** An answer that is a success, but not what the protocol says. */
export const answerless = (place: string, what: string): Failed =>
  new Failed(new Problem(502, 'place_failed', `${place} did not send ${what}: it is not compatible with S3.`), false)
