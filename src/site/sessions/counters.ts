import { type Credentials, credentialStore } from '../../auth/credentials.ts'
import { emailKey } from '../../lib/email.ts'
import type { Store } from '../../store/open.ts'
import { counting, type Failures, healed, pauseAfter, tooManyAttempts } from './attempts.ts'

// Whose failed attempts count for what. Each account, each of its known devices, each link and each name that nobody has
// counts for itself: whatever happens at one of them changes nothing about another.

const MAX_KEPT = 10_000

/** Where failures are kept. Those of accounts are in the database, and survive a start. */
export type Counter = { get: () => Failures; set: (next: Failures) => void; isStored: boolean }

/** An attempt that counts as failed, until one of these says otherwise. */
export type Attempt = {
  /** The counter starts anew. */
  succeed: () => Promise<void>
  /** It was none. Others may have failed meanwhile, and those still count. */
  takeBack: () => Promise<void>
}

export type Counters = ReturnType<typeof counters>

export function counters(store: Pick<Store, 'db' | 'clock' | 'vault' | 'write'>) {
  const { clock } = store
  const credentials = credentialStore(store)
  const [onDevices, ofLinks, ofNames] = [failuresInMemory(), failuresInMemory(), failuresInMemory()]

  /** Of an account, or of its known device: a stranger who tries passwords must not keep the member out of that one. */
  function ofAccount(account: Credentials, device?: string | undefined): Counter {
    if (device !== undefined) return onDevices(`${account.org} ${device}`)
    return {
      get: () => credentials.get(account.org, account.member) ?? account,
      set: ({ failures, failed_at }) => credentials.setFailures(account, failures, failed_at),
      isStored: true,
    }
  }

  const changing = async (counter: Counter, job: () => void): Promise<void> => {
    if (counter.isStored) await store.write(() => void job(), { isSmall: true })
    else job()
  }

  /**
   * Counts an attempt before anything is checked, so that many at once count, too. Returns how long nobody may try, in
   * milliseconds, if it must not be checked at all.
   */
  async function tryAt(counter: Counter): Promise<Attempt | number> {
    const at = clock.now()
    let before: Failures = { failures: 0, failed_at: null }
    let pause = 0
    await changing(counter, () => {
      const found = counter.get()
      before = healed(found, at)
      pause = pauseAfter(before, at)
      if (pause === 0) counter.set({ failures: counting(before, at) + 1, failed_at: at })
      else if (before.failed_at !== found.failed_at) counter.set(before)
    })
    if (pause > 0) return pause
    return {
      succeed: () => changing(counter, () => counter.set({ failures: 0, failed_at: null })),
      takeBack: () =>
        changing(counter, () => {
          const { failures, failed_at } = counter.get()
          counter.set({
            failures: Math.max(0, failures - 1),
            failed_at: failed_at === at ? before.failed_at : failed_at,
          })
        }),
    }
  }

  /** The same for who has but one counter. Throws Problem 429. */
  async function begin(counter: Counter): Promise<Attempt> {
    const attempt = await tryAt(counter)
    if (typeof attempt === 'number') throw tooManyAttempts(attempt)
    return attempt
  }

  return {
    ofAccount,
    /** Of who has a link: whoever has it not cannot use its attempts up. */
    ofLink: ({ org, id }: { org: number; id: string }): Counter => ofLinks(`${org} ${id}`),
    ofName: (email: string): Counter => ofNames(emailKey(email)),
    tryAt,
    begin,
  }
}

/** Failures that are kept in memory; the oldest are forgotten. */
function failuresInMemory(): (key: string) => Counter {
  const kept = new Map<string, Failures>()

  return (key) => ({
    get: () => kept.get(key) ?? { failures: 0, failed_at: null },
    set: (state) => {
      kept.delete(key)
      if (state.failures === 0) return
      if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value as string)
      kept.set(key, state)
    },
    isStored: false,
  })
}
