import { ApiProblem } from './api.ts'
import type { Client } from './client.ts'
import { draftsOf } from './drafts.ts'
import type { Fields } from './types.ts'
import type { Write } from './write-storage.ts'

type Leaving = {
  here: Client
  /** What waits, in words. */
  wordsOf: { write: (write: Write) => string; draft: (body: Fields) => string }
  /** Asks whether this may be lost. */
  confirmed: (left: readonly string[]) => Promise<boolean>
  /** Forgets what this browser keeps in texts of the member. */
  forget: (member: string) => void
  /** Says to the other tabs that the member has gone. */
  sayLeft: (member: string) => void
}

const PATIENCE_MS = 5000
const LOOK_MS = 100

/**
 * Signs out: sends what waits, asks if some of it cannot be sent, ends the session, and leaves nothing of the member in this
 * browser. Returns false if the member stays. Throws NoAnswer if the session cannot be ended.
 */
export async function leaving({ here, wordsOf, confirmed, forget, sayLeft }: Leaving): Promise<boolean> {
  const { queue, member, storage, timers, adoptWrites } = here
  const drafts = draftsOf(here)

  /** What waits in this browser, of all tabs of the member. */
  const mine = async (): Promise<Write[]> => (await storage.all()).filter((write) => write.member === member)

  /** What has not been sent yet, in words, and whether some of it may still be sent by itself. */
  async function leftNow(): Promise<{ words: string[]; isWaiting: boolean }> {
    const writes = new Map([...(await mine()), ...queue.writes.peek()].map((write) => [write.key, write]))
    const isDecided = (write: object) => 'parked' in write && write.parked !== undefined
    const begun = drafts.unsaved()
    const words = [...[...writes.values()].map(wordsOf.write), ...begun.map(wordsOf.draft)]
    return { words, isWaiting: begun.length > 0 || ![...writes.values()].every(isDecided) }
  }

  /** Sends what waits as far as that takes a moment. Returns what is left, in words. */
  async function sendAll(): Promise<string[]> {
    queue.kick()
    await leftNow() // reads what was begun in other tabs
    void drafts.saveAll()
    void adoptWrites()
    const until = timers.now() + PATIENCE_MS
    for (;;) {
      const { words, isWaiting } = await leftNow()
      if (!isWaiting || timers.now() > until) return words
      await new Promise<void>((done) => timers.after(LOOK_MS, done))
    }
  }

  let left = await sendAll()
  // While the question stands, other tabs go on: what they add is asked about, too.
  for (let agreed: string[] = []; left.some((each) => !agreed.includes(each)); left = (await leftNow()).words) {
    if (!(await confirmed(left))) return false
    agreed = left
  }
  try {
    await here.api.request('POST', '/app/logout', { body: {} })
  } catch (error) {
    // Without a session there is none to end, and after another member has signed in there is not this one.
    if (!(error instanceof ApiProblem) || ![401, 409].includes(error.status)) throw error
  }
  await leaveNothing(here, forget)
  sayLeft(member)
  return true
}

/** Each tab of the member does it, since each may have kept something until it heard that they have gone. */
export async function leaveNothing(here: Client, forget: (member: string) => void): Promise<void> {
  const { member, storage } = here
  here.end()
  for (const write of await storage.all()) if (write.member === member) await storage.remove(write.key)
  forget(member)
}
