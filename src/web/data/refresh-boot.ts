import type { Api } from './api.ts'
import { page } from './boot.ts'
import type { Client } from './client.ts'
import type { SignedIn } from './types.ts'

/** Notices after which a part of boot is another. */
const NOTICES = new Set(['view', 'preferences', 'notification'])
const NOTICE_MS = 500
/** The counts of the side bar, at most this often. */
const COUNTS_MS = 5000

/** Reads boot anew when something in it has changed: it is small, and costs the server less than a millisecond. */
export function keepBoot({ api, timers, events, onNotice }: Client): void {
  let due = Number.POSITIVE_INFINITY
  let stopTimer: (() => void) | undefined

  function refreshIn(ms: number): void {
    const at = timers.now() + ms
    if (at >= due) return
    due = at
    stopTimer?.()
    stopTimer = timers.after(ms, () => {
      due = Number.POSITIVE_INFINITY
      void refresh(api)
    })
  }

  onNotice(({ kind }) => NOTICES.has(kind) && refreshIn(NOTICE_MS))
  events.onEvent(({ type }) => /^task\.|\.(created|deleted|closed)$/.test(type) && refreshIn(COUNTS_MS))
}

async function refresh(api: Api): Promise<void> {
  try {
    const { me, views, counts, checklist } = await api.get<SignedIn>('/app/boot')
    const before = page.peek()
    if (before?.signed_in) page.value = { ...before, me, views, counts, checklist }
  } catch {
    // the next change asks again
  }
}
