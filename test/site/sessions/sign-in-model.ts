import { DAY_MS, MINUTE_MS } from '../../../src/lib/time.ts'

// What docs/decisions/025 says of attempts to sign in, in the plainest way: a few numbers for each account, each of its
// known devices, and each link.

type Count = { failures: number; at: number }
type Factor = { isOn: boolean; used: number[] }
export type Said = 'in' | 'invalid_credentials' | 'too_many_attempts' | 'code_required' | 'invalid_code'

const FIRST_MS = MINUTE_MS / 2
const LONGEST_MS = 15 * MINUTE_MS

export class SignInModel {
  now = 0
  readonly counts = new Map<string, Count>()
  readonly factors: Factor[]
  /** How often what was given was compared with what is stored. */
  checked = 0

  constructor(factors: boolean[]) {
    this.factors = factors.map((isOn) => ({ isOn, used: [] }))
  }

  failures = (key: string): number => this.counts.get(key)?.failures ?? 0

  /** Notes a failure, or returns false if it has to wait. */
  private mayTry(key: string): boolean {
    const count = this.counts.get(key) ?? { failures: 0, at: 0 }
    this.counts.set(key, count)
    const at = Math.min(count.at, this.now) // the clock may have been ahead
    if (count.failures >= 5) {
      const pause = Math.min(LONGEST_MS, FIRST_MS * 2 ** (count.failures - 5))
      if (this.now < at + pause) {
        count.at = at
        return false
      }
    }
    if (this.now - at >= DAY_MS) count.failures = 0
    count.failures++
    count.at = this.now
    return true
  }

  /** Whether a code of a time step is right, which uses it up. */
  private takes(account: number, step: number | null): boolean {
    const { used } = this.factors[account] as Factor
    const current = Math.floor(this.now / FIRST_MS)
    if (step === null || Math.abs(step - current) > 1 || used.includes(step)) return false
    if (used.some((each) => each > step && each <= current + 1)) return false
    used.push(step)
    return true
  }

  /** `step` is that of the code, null for a wrong one, undefined for none. */
  private finish(key: string, account: number, step: number | null | undefined, before: Count | undefined): Said {
    if (this.factors[account]?.isOn) {
      if (step === undefined) {
        if (before) this.counts.set(key, before)
        else this.counts.delete(key)
        return 'code_required'
      }
      if (!this.takes(account, step)) return 'invalid_code'
    }
    this.counts.delete(key)
    return 'in'
  }

  /** `keys` are the counters of the accounts in their order, `right` the account of the password. */
  login(keys: [number, string][], right: number | null, step?: number | null): { said: Said; account?: number } {
    let waits = false
    for (const [account, key] of keys) {
      const known = this.counts.get(key)
      // An attempt that is taken back leaves what counted before it: less what a day has made forgotten.
      const before = known && { failures: known.failures, at: Math.min(known.at, this.now) }
      if (before && this.now - before.at >= DAY_MS) before.failures = 0
      if (!this.mayTry(key)) {
        waits = true
        continue
      }
      this.checked++
      if (account === right) return { said: this.finish(key, account, step, before), account }
    }
    return { said: waits ? 'too_many_attempts' : 'invalid_credentials' }
  }

  link(key: string, account: number, step?: number | null): Said {
    if (step === undefined) return this.finish(key, account, step, this.counts.get(key))
    if (!this.mayTry(key)) return 'too_many_attempts'
    return this.finish(key, account, step, undefined)
  }
}
