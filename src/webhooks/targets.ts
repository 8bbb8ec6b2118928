import * as v from 'valibot'
import type { Deps } from '../deps.ts'
import * as f from '../lib/fields.ts'
import { field, Problem } from '../lib/problem.ts'

// Where a webhook may point.

/** No request waits longer for a resolver that says nothing: every try of a delivery asks it again. */
const PATIENCE_MS = 3000

/** What the guard has against the URL of a body that is not yet checked; a name that nobody knows may come to be. */
export async function refusalOf({ guard }: Pick<Deps, 'guard'>, body: unknown): Promise<string | undefined> {
  const { url } = body as { url?: unknown }
  if (typeof url !== 'string' || !v.is(f.url, url)) return undefined
  const refusal = guard.refusal(url)
  if (refusal !== undefined) return refusal
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, PATIENCE_MS)
  try {
    await Promise.race([guard.resolve(url), patience.promise])
  } catch (error) {
    if (error instanceof Problem) return error.message
  } finally {
    clearTimeout(timer)
  }
  return undefined
}

/** 422 by its own code, as callers decide by it. */
export function notAllowed(refusal: string): Problem {
  const error = field('/url', 'url_not_allowed', `is not allowed: ${refusal}`)
  return new Problem(422, 'url_not_allowed', refusal, { errors: [error] })
}
