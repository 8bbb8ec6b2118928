import { computed, type ReadonlySignal, signal } from '@preact/signals'
import type { StreamEvent } from './stream-types.ts'
import type { Boot, Kind, Me, SignedIn } from './types.ts'

// What the page began with: the organisation, its members and stages, and what the member may do. Tags, lists and custom
// fields stay current by events; the rest is read anew when it may be another (refresh-boot.ts).

/** `undefined` until the page has read it. */
export const page = signal<Boot | undefined>(undefined)

/** Throws on pages without a session. */
export const boot: ReadonlySignal<SignedIn> = computed(() => {
  const found = page.value
  if (!found?.signed_in) throw new Error('Nobody is signed in on this page.')
  return found
})

export const me: ReadonlySignal<Me> = computed(() => boot.value.me)

/** The name of a member, also of one who has left; undefined for ids that boot does not know. */
export const memberName = (id: string): string | undefined => boot.value.members.find((one) => one.id === id)?.name

/** The collections of boot by the kind of their records. */
const COLLECTIONS = { tags: 'tags', lists: 'lists', 'custom-fields': 'custom_fields' } as const

/** Keeps the collections of boot current. */
export function applyToBoot({ type, data: { object } }: StreamEvent, kind: Kind): void {
  const before = page.peek()
  if (!before?.signed_in || !(kind in COLLECTIONS)) return
  const name = COLLECTIONS[kind as keyof typeof COLLECTIONS]
  const others = (before[name] as { id: string }[]).filter(({ id }) => id !== object.id)
  const isGone = type.endsWith('.deleted') || object.is_archived === true
  const at = (before[name] as { id: string }[]).findIndex(({ id }) => id === object.id)
  if (!isGone) others.splice(at < 0 ? others.length : at, 0, object)
  page.value = { ...before, [name]: others }
}
