import { Problem } from '../lib/problem.ts'

/** How many forged tokens an address may send at once, plus one per second. */
const MAX_FORGERIES = 20
/** Forged tokens sent at once, before the first was checked, do not block an address for longer. */
const MAX_WAIT_S = 60

const MAX_NETWORKS = 10_000

/** Limits how often signatures are checked in vain for an address: a check costs more than a response. */
export function forgeryLimit(nowMs: () => number) {
  const buckets = new Map<string, { left: number; at: number }>()

  /** Throws Problem 429 with Retry-After if the address has sent too many. */
  function check(address: string): void {
    const bucket = buckets.get(networkOf(address))
    if (!bucket) return
    refill(bucket)
    if (bucket.left >= 1) return
    const seconds = Math.ceil(1 - bucket.left)
    throw new Problem(
      429,
      'too_many_invalid_tokens',
      `This address has sent too many tokens with a wrong signature; try again in ${seconds} s. Tokens that were used before still work.`,
      { headers: { 'Retry-After': String(seconds) } },
    )
  }

  function count(address: string): void {
    const network = networkOf(address)
    let bucket = buckets.get(network)
    if (!bucket) {
      if (buckets.size >= MAX_NETWORKS) buckets.clear()
      bucket = { left: MAX_FORGERIES, at: nowMs() }
      buckets.set(network, bucket)
    }
    refill(bucket)
    bucket.left = Math.max(1 - MAX_WAIT_S, bucket.left - 1)
  }

  function refill(bucket: { left: number; at: number }): void {
    const now = nowMs()
    bucket.left = Math.min(MAX_FORGERIES, bucket.left + Math.max(0, now - bucket.at) / 1000)
    bucket.at = now
  }

  return { check, count }
}

/** The IPv4 address, or the /64 of an IPv6 address, since a household has all of that. */
export function networkOf(address: string): string {
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}
