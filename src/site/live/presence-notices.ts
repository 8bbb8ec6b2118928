import type { Caller } from '../../lib/caller.ts'
import type { Every } from '../../lib/every.ts'
import { namedFrame } from './frames.ts'
import type { Hub } from './hub.ts'
import { type Present, presentFor } from './presence.ts'

type Gone = Pick<Present, 'member_id' | 'tab'>

/** One member who opens record after record is no more work for all others than many who do. */
export const GATHER_MS = 250

/**
 * Says to all open streams who looks at what, as one notice for what changes within a moment. It is written once for all
 * streams that may see the same.
 */
export function presenceNotices(hub: Pick<Hub, 'tell'>, every: Every) {
  /** By organisation, and by member and tab: only the newest counts. */
  const orgs = new Map<number, Map<string, { present: Present; isGone: boolean }>>()
  let stop: (() => void) | undefined

  function note(org: number, changed: readonly Present[], gone: readonly Present[]): void {
    const tabs = orgs.get(org) ?? new Map()
    orgs.set(org, tabs)
    const set = (isGone: boolean) => (present: Present) =>
      void tabs.set(`${present.member_id} ${present.tab}`, { present, isGone })
    changed.forEach(set(false))
    gone.forEach(set(true))
    stop ??= every(GATHER_MS, send)
  }

  function send(): void {
    stop?.()
    stop = undefined
    const all = [...orgs]
    orgs.clear()
    for (const [org, tabs] of all) {
      const of = (wanted: boolean) => [...tabs.values()].flatMap((each) => (each.isGone === wanted ? each.present : []))
      const [changed, gone] = [of(false), of(true).map(({ member_id, tab }) => ({ member_id, tab }))]
      const written = new Map<string, string>()
      hub.tell(org, ({ who, scopeKey }) => {
        const text = written.get(scopeKey) ?? textFor(who, changed, gone)
        written.set(scopeKey, text)
        return text
      })
    }
  }

  return { note }
}

function textFor(who: Caller, changed: readonly Present[], gone: readonly Gone[]): string {
  const seen = presentFor(changed, who)
  if (seen.length === 0 && gone.length === 0) return ''
  return namedFrame('notice', { kind: 'presence', changed: seen, gone })
}
