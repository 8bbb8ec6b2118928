import { auditLog } from '../../events/audit/log.ts'
import { everyMs } from '../../lib/every.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { movedOrgs } from '../../store/orgs/org-states.ts'
import type { ScreenParts } from '../parts.ts'

/** How long there is no further entry about a member: twice as long each time, while attempts go on. */
const FIRST_PAUSE_MS = MINUTE_MS
const MAX_PAUSE_MS = HOUR_MS

type Member = { org: number; member: string }
type Refused = { who: Member | null; count: number; pauseMs: number; due: number }

/**
 * Refused attempts to sign in, for the audit log: counted here, and written as one entry for each member, and one for all
 * names that nobody has. So a stranger who tries passwords cannot make the log grow by more than an entry an hour, and
 * does not wait for a write.
 */
export function refusedSignIns({ store, stopping, every = everyMs, log }: ScreenParts) {
  const { clock, health } = store
  const audit = auditLog(store)
  const hasMoved = movedOrgs(store.db)
  const counted = new Map<string, Refused>()
  const stop = every(MINUTE_MS, () => flush(clock.now(), (job) => store.write(() => void job()).catch(failed)))
  stopping.addEventListener('abort', () => {
    stop()
    flush(Number.POSITIVE_INFINITY, writeAtOnce)
  })

  function note(members: readonly Member[]): void {
    for (const who of members.length === 0 ? [null] : members) {
      const key = who === null ? '' : `${who.org} ${who.member}`
      const state = counted.get(key) ?? { who, count: 0, pauseMs: FIRST_PAUSE_MS, due: clock.now() }
      state.count++
      counted.set(key, state)
    }
  }

  function flush(now: number, write: (job: () => void) => void): void {
    for (const [key, state] of counted) {
      const isAhead = state.due - now > MAX_PAUSE_MS // the clock was
      if (now < state.due && !isAhead) continue
      if (state.count === 0) {
        counted.delete(key)
        continue
      }
      const { who, count: attempts } = state
      const actor = { type: 'stranger' } as const
      write(() => {
        // The log of an organisation that has moved goes on elsewhere.
        const known = who && !hasMoved(who.org) ? who : null
        const [org, record] = [known?.org ?? null, known?.member ?? null]
        audit.record({ org, actor, action: 'session.refused', record, detail: { attempts } })
      })
      state.count = 0
      state.due = now + state.pauseMs
      state.pauseMs = Math.min(state.pauseMs * 2, MAX_PAUSE_MS)
    }
  }

  /** The database is closed soon after the abort. */
  function writeAtOnce(job: () => void): void {
    try {
      store.writeAtOnce(job)
    } catch (error) {
      failed(error)
    }
  }

  function failed(error: unknown): void {
    if (!health.note(error)) log.error({ err: error }, 'refused attempts to sign in are not in the audit log')
  }

  return { note }
}
