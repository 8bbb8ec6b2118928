import { computed, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Hit } from '../../../../inbox/conversations/hits.ts'
import { pathWith } from '../../../data/api.ts'
import { client } from '../../../data/current.ts'
import { wordsToMark } from '../../../shell/commands/match.ts'
import { address } from '../address.ts'

/** The rows that come into view together are asked for together. */
const GATHER_MS = 60
const MOST_AT_ONCE = 100

type Answer = { numbered: string | null; data: Hit[] }

/** What is searched for in the inbox; empty if nothing is. */
export const searchNow = computed(() => address.value.state.q.trim())

/** Its words, folded, with those of its other spellings: what is marked. */
export const wordsNow = computed(() => wordsToMark(searchNow.value))

type Asked = {
  hits: Map<string, Signal<Hit | null | undefined>>
  waiting: Set<string>
  stop?: (() => void) | undefined
}
let current: { q: string; asked: Asked } = { q: '', asked: { hits: new Map(), waiting: new Set() } }

/** What is known of a search goes when another one begins. */
function askedFor(q: string): Asked {
  if (current.q !== q) {
    current.asked.stop?.()
    current = { q, asked: { hits: new Map(), waiting: new Set() } }
  }
  return current.asked
}

/** Why the current search has found a conversation: undefined until it is known, null if only its subject tells. */
export function useHit(id: string | undefined): Hit | null | undefined {
  const q = searchNow.value
  const found = useMemo(() => signalOf(q, id), [q, id])
  useEffect(() => {
    if (q !== '' && id !== undefined && found.peek() === undefined) ask(q, id)
  }, [found])
  return found.value
}

function signalOf(q: string, id: string | undefined): Signal<Hit | null | undefined> {
  if (q === '' || id === undefined) return signal(undefined)
  const { hits } = askedFor(q)
  const known = hits.get(id) ?? signal<Hit | null | undefined>(undefined)
  hits.set(id, known)
  return known
}

function ask(q: string, id: string): void {
  const asked = askedFor(q)
  asked.waiting.add(id)
  asked.stop ??= client().timers.after(GATHER_MS, () => {
    asked.stop = undefined
    const ids = [...asked.waiting]
    asked.waiting.clear()
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE)
      void read(q, asked, ids.slice(from, from + MOST_AT_ONCE))
  })
}

/** Without an answer the rows show what they show without a search. */
async function read(q: string, { hits }: Asked, ids: readonly string[]): Promise<void> {
  const answer = await client()
    .api.get<Answer>(pathWith('/app/inbox/hits', { q, ids: ids.join(',') }))
    .catch(() => undefined)
  if (!answer) return
  const found = new Map(answer.data.map((hit) => [hit.conversation_id, hit]))
  for (const id of ids) {
    const known = hits.get(id)
    if (known) known.value = found.get(id) ?? null
  }
}

/** The conversation whose number was searched for, as /app/inbox/hits answers without ids. */
export const numberedPath = (q: string): string | null =>
  /^\s*#?\d{1,15}\s*$/.test(q) ? pathWith('/app/inbox/hits', { q }) : null

export type Numbered = Pick<Answer, 'numbered'>
