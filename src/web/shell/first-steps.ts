import { computed, signal } from '@preact/signals'
import { boot, me, page } from '../data/boot.ts'
import { client } from '../data/current.ts'
import { navigate } from '../lib/router.ts'
import { serverNow } from '../lib/server-time.ts'
import { askForSample } from './asking.ts'
import { openPalette } from './commands/opened.ts'

// The first steps of a new organisation. What a step wants can be seen in the data; only looking around is noted, with the
// preferences of the member.

export type Step = { id: StepId; isDone: boolean; run: () => void }
export type StepId = 'look' | 'palette' | 'deal' | 'invite' | 'factor' | 'sample'

type State = { dismissed?: boolean; looked?: boolean; searched?: boolean; added?: boolean }

type Sample = { count: number; edited: number }

const NOTHING: Sample = { count: 0, edited: 0 }
let removals = 0

/** What of the sample data is left, for its owner; undefined until it is known. */
export const sample = signal<Sample | undefined>(undefined)

const MONTH_MS = 30 * 24 * 60 * 60 * 1000

/** For owners in their first month, until they hide them or all are done. */
export const firstSteps = computed((): readonly Step[] | null => {
  const { checklist, members, counts } = boot.value
  const { role, created_at, totp } = me.value
  if (checklist === null || role !== 'owner' || serverNow() - Date.parse(created_at) > MONTH_MS) return null
  const state = checklist as State
  // With sample data there are deals from the start: then adding one is noted when it is gone to.
  const hasOwnDeals = counts.deals > 0 && (sample.value?.count ?? 0) === 0
  const steps: Step[] = [
    { id: 'look', isDone: state.looked === true, run: () => go('/settings/me', { looked: true }) },
    { id: 'palette', isDone: state.searched === true, run: openPalette },
    { id: 'deal', isDone: state.added === true || hasOwnDeals, run: () => go('/deals', { added: true }) },
    { id: 'invite', isDone: members.length > 1, run: () => void navigate('/settings/members') },
    { id: 'factor', isDone: totp, run: () => void navigate('/settings/sign-in') },
  ]
  const left = sample.value?.count ?? 0
  if (left > 0) steps.push({ id: 'sample', isDone: false, run: () => askForSample(true) })
  return steps.every(({ isDone }) => isDone) ? null : steps
})

/** Throws ApiProblem and NoAnswer. */
export async function removeSample(edited: 'keep' | 'remove'): Promise<void> {
  await client().api.request('DELETE', '/app/sample', { body: { edited } })
  removals++
  sample.value = NOTHING
}

/** What is being removed is gone for its owner, and so it is for an answer from before that. */
export async function readSample(): Promise<void> {
  if (me.peek().role !== 'owner') return
  const before = removals
  const { is_being_removed, ...left } = await client().api.get<Sample & { is_being_removed: boolean }>('/app/sample')
  if (before === removals) sample.value = is_being_removed ? NOTHING : left
}

export const hideSteps = (): Promise<void> => note({ dismissed: true })

function go(to: string, change: State): void {
  void navigate(to)
  void note(change)
}

/** Told once: it is not known better by searching again. */
export function noteSearch(): void {
  if ((boot.peek().checklist as State | null)?.searched !== true) void note({ searched: true }).catch(() => undefined)
}

async function note(change: State): Promise<void> {
  const now = boot.peek()
  const checklist = { ...(now.checklist ?? {}), ...change }
  page.value = { ...now, checklist: checklist.dismissed === true ? null : checklist }
  await client().api.request('PATCH', '/app/preferences', { body: { checklist } })
}
