import { isAllowed, type Scope } from '../../auth/scopes.ts'
import type { Caller } from '../../lib/caller.ts'
import { SECOND_MS } from '../../lib/time.ts'

/** The kinds of records that somebody can look at, and the scope that others need to see it. */
export const VIEWED = {
  deals: 'rest.crm.deals.read',
  contacts: 'rest.crm.contacts.read',
  companies: 'rest.crm.companies.read',
  tasks: 'rest.crm.tasks.read',
  notes: 'rest.crm.notes.read',
  lists: 'rest.crm.lists.read',
  meetings: 'rest.meetings.meetings.read',
  conversations: 'rest.inbox.conversations.read',
  sequences: 'rest.sequences.sequences.read',
} as const satisfies Record<string, Scope>

type Kind = keyof typeof VIEWED

/** What a member does in one tab. */
export type Present = {
  member_id: string
  tab: string
  viewing: { kind: Kind; id: string } | null
  editing: { kind: Kind; id: string; field: string } | null
  typing: boolean
}

/** Tabs tell more often than this as long as they are open. */
const LIFE_MS = 45 * SECOND_MS
const MAX_PER_SESSION = 20
const MAX_PER_ORG = 2000

export type Presence = ReturnType<typeof presence>

/** Who is looking at what, in memory only. `onChange` gets the tabs that changed and those that are gone. */
export function presence(now: () => number, onChange: (org: number, changed: Present[], gone: Present[]) => void) {
  const orgs = new Map<number, Map<string, { present: Present; session: string; at: number }>>()

  /** Notes what a tab shows now; nothing at all removes it. Tabs beyond the limits are not noted. */
  function put(org: number, session: string, present: Present): void {
    const tabs = orgs.get(org) ?? new Map()
    const key = `${session} ${present.tab}`
    const before = tabs.get(key)
    if (present.viewing === null && present.editing === null) {
      if (tabs.delete(key)) onChange(org, [], [present])
      return
    }
    const own = [...tabs.values()].filter((each) => each.session === session).length
    if (!before && (own >= MAX_PER_SESSION || tabs.size >= MAX_PER_ORG)) return
    orgs.set(org, tabs)
    tabs.set(key, { present, session, at: now() })
    if (JSON.stringify(before?.present) !== JSON.stringify(present)) onChange(org, [present], [])
  }

  /** Forgets tabs that have said nothing for a while. */
  function sweep(): void {
    const since = now() - LIFE_MS
    for (const [org, tabs] of orgs) {
      const gone = [...tabs].filter(([, { at }]) => at <= since)
      for (const [key] of gone) tabs.delete(key)
      if (tabs.size === 0) orgs.delete(org)
      const left = gone.map(([, { present }]) => present)
      if (left.length > 0) onChange(org, [], left)
    }
  }

  function of(org: number): Present[] {
    sweep()
    return [...(orgs.get(org)?.values() ?? [])].map(({ present }) => present)
  }

  return { put, sweep, of }
}

/** What one may see of it: the records of kinds that one may read. */
export function presentFor(all: readonly Present[], who: Caller): Present[] {
  const seen = <Part extends { kind: Kind }>(part: Part | null) =>
    part !== null && isAllowed(who, VIEWED[part.kind]) ? part : null
  return all
    .map((each) => ({ ...each, viewing: seen(each.viewing), editing: seen(each.editing) }))
    .filter(({ viewing, editing }) => viewing !== null || editing !== null)
}
