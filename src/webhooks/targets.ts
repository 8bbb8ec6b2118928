import * as v from 'valibot'
import type { Deps } from '../deps.ts'
import * as f from '../lib/fields.ts'
import { field, Problem } from '../lib/problem.ts'

// Checks the URLs of webhooks.

/** How long a request waits for a slow resolver: every attempt of a delivery resolves the name again. */
const TIMEOUT_MS = 3000

/**
 * Returns the guard's objection to the URL of an unvalidated body, if any. A name that does not resolve is accepted: it
 * may be registered later.
 */
export async function refusalOf({ guard }: Pick<Deps, 'guard'>, body: unknown): Promise<string | undefined> {
  const { url } = body as { url?: unknown }
  if (typeof url !== 'string' || !v.is(f.url, url)) return undefined
  const refusal = guard.refusal(url)
  if (refusal !== undefined) return refusal
  const timeout = Promise.withResolvers<void>()
  const timer = setTimeout(timeout.resolve, TIMEOUT_MS)
  try {
    await Promise.race([guard.resolve(url), timeout.promise])
  } catch (error) {
    if (error instanceof Problem) return error.message
  } finally {
    clearTimeout(timer)
  }
  return undefined
}

/** Returns a 422 with a separate code, so that clients can recognise it. */
export function notAllowed(refusal: string): Problem {
  const error = field('/url', 'url_not_allowed', `is not allowed: ${refusal}`)
  return new Problem(422, 'url_not_allowed', refusal, { errors: [error] })
}
