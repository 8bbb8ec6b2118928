import type { Api } from './api.ts'
import { page } from './boot.ts'
import type { Client } from './client.ts'
import type { StreamEvent } from './stream-types.ts'
import type { SignedIn } from './types.ts'
import { same } from './values.ts'

/** Notices after which a part of boot is another. */
const NOTICES = new Set(['view', 'preferences', 'notification', 'members'])
const NOTICE_MS = 500
/** The counts of the side bar, at most this often. */
const COUNTS_MS = 5000
/** What is read of it. Tags, lists and custom fields follow their own events (see boot.ts). */
const PARTS = [
  ...(['me', 'org', 'first_weekday', 'members', 'away', 'pipelines', 'stages', 'close_reasons'] as const),
  ...(['views', 'counts', 'checklist', 'capabilities'] as const),
]

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
  events.onEvent(
    (event) =>
      (/^(task|conversation)\.|\.(created|deleted|closed)$/.test(event.type) || namesUnknown(event)) &&
      refreshIn(COUNTS_MS),
  )
}

/** Settings have no events: that there is a new stage or member is known by the first record that has it. */
function namesUnknown({ data: { object } }: StreamEvent): boolean {
  const known = page.peek()
  if (!known?.signed_in) return false
  const isMissing = (id: unknown, of: readonly { id: string }[]) =>
    typeof id === 'string' && !of.some((each) => each.id === id)
  return isMissing(object.stage, known.stages) || isMissing(object.owner_id, known.members)
}

async function refresh(api: Api): Promise<void> {
  try {
    const found = await api.get<SignedIn>('/app/boot', { isBackground: true })
    const before = page.peek()
    if (!before?.signed_in) return
    const changed = PARTS.filter((part) => !same(before[part], found[part]))
    if (changed.length === 0) return
    page.value = { ...before, ...Object.fromEntries(changed.map((part) => [part, found[part]])) }
  } catch {
    // the next change asks again
  }
}
