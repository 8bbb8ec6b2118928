import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { Api } from './api.ts'
import { type Present, presentAfter } from './present-after.ts'
import type { Notice } from './stream-types.ts'
import type { Timers } from './timers.ts'
import type { Kind } from './types.ts'

/** What this tab shows. */
export type Own = Pick<Present, 'viewing'> & Partial<Pick<Present, 'editing' | 'typing'>>

type Parts = {
  api: Api
  timers: Timers
  tab: string
  member: string
  onNotice: (listener: (notice: Notice) => void) => () => void
}

/** The server forgets a tab that has said nothing for 45 s. */
const REPEAT_MS = 20_000
/** Someone who walks through a list with the keyboard is not announced at each row. */
const SETTLE_MS = 400

const NOTHING: Own = { viewing: null }

/** Who else is looking at what, and saying what this tab shows. */
export function presenceState({ api, timers, tab, member, onNotice }: Parts) {
  const others = signal<ReadonlyMap<string, Present>>(new Map())
  let own: Own = NOTHING
  let isHidden = false
  let stopTimer: (() => void) | undefined

  onNotice((notice) => {
    if (notice.kind !== 'presence') return
    others.value = new Map([...presentAfter(others.peek(), notice)].filter(([, each]) => each.member_id !== member))
  })

  /** Says what this tab shows from now on; nothing with `viewing: null`. */
  function look(now: Own): void {
    own = now
    schedule(SETTLE_MS)
  }

  /** Nobody looks at a page that is hidden. */
  function hide(isNow: boolean): void {
    isHidden = isNow
    if (own.viewing || own.editing) void report()
  }

  function schedule(ms: number): void {
    stopTimer?.()
    stopTimer = timers.after(ms, () => void report())
  }

  async function report(): Promise<void> {
    stopTimer?.()
    const shown = isHidden ? NOTHING : own
    if (shown.viewing || shown.editing) schedule(REPEAT_MS)
    const body = { tab, ...shown }
    await api.request('POST', '/app/presence', { body, isBackground: true }).catch(() => undefined) // the next one says it
  }

  /** The colleagues who look at the record, one tab each. */
  const at = (kind: Kind, id: string): ReadonlySignal<readonly Present[]> =>
    computed(() => {
      const here = [...others.value.values()].filter(({ viewing }) => viewing?.kind === kind && viewing.id === id)
      return [...new Map(here.map((each) => [each.member_id, each])).values()]
    })

  /** Who edits the field now. */
  const editorOf = (kind: Kind, id: string, field: string): ReadonlySignal<Present | undefined> =>
    computed(() =>
      [...others.value.values()].find(
        ({ editing }) => editing?.kind === kind && editing.id === id && editing.field === field,
      ),
    )

  return { look, hide, at, editorOf }
}
