import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Access } from '../auth/access.ts'
import { MAX_AHEAD_MS } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { DAY_MS } from '../lib/time.ts'
import { capAnswerTimes, deleteAnswers, storedAnswers } from '../store/answers.ts'
import type { Store } from '../store/open.ts'
import type { Answer } from './answer.ts'
import type { UploadedFile } from './body/form-parts.ts'

const RETENTION_MS = DAY_MS

/** In quotes, with none inside, or bare, neither starting nor ending with a quote. */
const KEY = /^(?:"([!#-~]{1,255})"|((?!")[!-~]{1,255}(?<!")))$/

/** The Idempotency-Key of a request, quoted or bare. Throws Problem 400 if it is malformed. */
export function idempotencyKey(req: IncomingMessage): string | undefined {
  const header = req.headers['idempotency-key']
  if (header === undefined || (req.method !== 'POST' && req.method !== 'PATCH')) return undefined
  const [, quoted, key = quoted] = KEY.exec(String(header)) ?? []
  if (key === undefined) {
    throw new Problem(
      400,
      'invalid_idempotency_key',
      'The header Idempotency-Key must be 1 to 255 visible ASCII characters, with or without quotes around them.',
    )
  }
  return key
}

/** The key by which a screen recognises the events of its deletion: a repeated one needs no stored answer. */
export function deletionKey(req: IncomingMessage): string | undefined {
  const key = req.headers['idempotency-key']
  return req.method === 'DELETE' && key !== undefined && KEY.test(String(key)) ? String(key) : undefined
}

/**
 * Stores responses by key in the transaction of their write: so N repeats, even across a crash, make one record. Only
 * successes are stored; a refused request changed nothing and is simply executed again.
 */
export function idempotency({ db, clock, wallClock, vault }: Pick<Store, 'db' | 'clock' | 'wallClock' | 'vault'>) {
  const answers = storedAnswers(db)

  /** The stored response of the key, or undefined. Throws Problem 422 if the key was used with another request. */
  function find({ who, keyOwner }: Access, key: string, fingerprint: string, isSecret: boolean): Answer | undefined {
    // While the clock may be wrong, expired responses still count: a repeat must not write a second time.
    const since = wallClock.purgeHeldUntil() === undefined ? clock.now() - RETENTION_MS : Number.NEGATIVE_INFINITY
    const row = answers.find({ org: who.org, caller: keyOwner, key }, since)
    if (!row) return undefined
    if (row.fingerprint !== fingerprint) {
      throw new Problem(
        422,
        'idempotency_key_reused',
        'This Idempotency-Key was already used for a different request. Use a new key for each new request.',
      )
    }
    const body = isSecret ? vault.open(purposeOf(key), row.body) : row.body
    return { status: row.status, headers: [...JSON.parse(row.headers), 'Idempotency-Replayed', 'true'], body }
  }

  /** Encrypts a response with a secret. */
  function keep(
    { who, keyOwner }: Access,
    key: string,
    fingerprint: string,
    { status, headers, body }: Answer,
    isSecret: boolean,
  ): void {
    const stored = isSecret ? vault.seal(purposeOf(key), String(body)) : (body as string)
    const answer = { fingerprint, status, headers: JSON.stringify(headers), body: stored }
    answers.keep({ org: who.org, caller: keyOwner, key }, answer, clock.now())
  }

  const purposeOf = (key: string): string => `answer ${key}`

  return { find, keep }
}

/** A hash of everything that makes two requests the same: method, target and body. */
export function fingerprintOf(req: IncomingMessage, body: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${req.method} ${req.url}\n`), body]), 'base64url')
}

/** The same for a form, whose boundary is another one each time: it covers the JSON part and every file. */
export function formFingerprint(
  req: IncomingMessage,
  json: Buffer | undefined,
  files: readonly UploadedFile[],
): string {
  const parts = files.map(({ name, content_type, sha256 }) => [name, content_type, sha256])
  return fingerprintOf(req, Buffer.from(JSON.stringify([json ? hash('sha256', json) : null, parts])))
}

/** Requests wait for at most one batch. */
const BATCH_SIZE = 1000

/** Deletes a batch of expired responses. Returns 'more' if it was full. */
export function deleteExpiredAnswers({ db, clock }: Pick<Store, 'db' | 'clock'>): 'more' | undefined {
  const now = clock.now()
  // Written while the clock was ahead: their age is unknown, so it counts from now.
  capAnswerTimes(db, now, now + MAX_AHEAD_MS)
  return deleteAnswers(db, now - RETENTION_MS, BATCH_SIZE) === BATCH_SIZE ? 'more' : undefined
}
