import { Problem } from '../lib/problem.ts'

export type Rate = { requests: number; perSeconds: number }

/** Generous: it stops a runaway script and does not meter anyone. */
export const DEFAULT_RATE: Rate = { requests: 60_000, perSeconds: 60 }

const MAX_BUCKETS = 10_000

/**
 * A token bucket per bearer token: `requests` at once, refilled evenly over `perSeconds`. Returns the headers of the
 * IETF draft "RateLimit header fields for HTTP"; throws Problem 429 with Retry-After if the bucket is empty.
 */
export function rateLimit({ requests, perSeconds }: Rate, nowMs: () => number) {
  const perMs = requests / (perSeconds * 1000)
  const buckets = new Map<string, { left: number; at: number }>()
  const policy = `"default";q=${requests};w=${perSeconds}`

  return function take(token: string): string[] {
    const now = nowMs()
    let bucket = buckets.get(token)
    if (!bucket) {
      if (buckets.size >= MAX_BUCKETS) buckets.clear()
      bucket = { left: requests, at: now }
      buckets.set(token, bucket)
    }
    bucket.left = Math.min(requests, bucket.left + Math.max(0, now - bucket.at) * perMs)
    bucket.at = now
    if (bucket.left < 1) {
      const seconds = Math.max(1, Math.ceil((1 - bucket.left) / perMs / 1000))
      throw new Problem(
        429,
        'rate_limited',
        `This token is limited to ${requests} requests per ${perSeconds} s. Try again in ${seconds} s.`,
        {
          headers: {
            'Retry-After': String(seconds),
            'RateLimit-Policy': policy,
            RateLimit: `"default";r=0;t=${seconds}`,
          },
        },
      )
    }
    bucket.left--
    const full = Math.ceil((requests - bucket.left) / perMs / 1000)
    return ['RateLimit-Policy', policy, 'RateLimit', `"default";r=${Math.floor(bucket.left)};t=${full}`]
  }
}

/** Parses `off`, `1000/s` or `60000/60s`. */
export function parseRate(text: string): Rate | null {
  if (text === 'off') return null
  const [, requests, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,4})?s$/.exec(text) ?? []
  if (!requests)
    throw new Problem(
      422,
      'invalid_rate',
      `"${text}" is not a valid rate limit. Use off, or requests per seconds such as 1000/s or 60000/60s.`,
    )
  return { requests: Number(requests), perSeconds: Number(seconds ?? 1) }
}
