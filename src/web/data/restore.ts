import { NoAnswer } from './api.ts'
import type { LeftOut } from './bin.ts'
import type { Client } from './client.ts'

// Restores from the bin. All of one gesture is one step of mine, which is taken back as one.

export type Restored = { left: LeftOut[]; brought: Record<string, number> }
type Page = Pick<Client, 'api' | 'newKey' | 'asStep'>

/** Keys of restores without an answer: asked again with the same, it happens once. */
const unanswered = new WeakMap<Page, Map<string, string>>()

export type RestoreOf = (eventId: string) => Promise<Restored>

/** Returns what restores one of these deletions, by its event, and the step that all of them are. */
export function restoreStep(client: Page, eventIds: readonly string[]): { step: string; restore: RestoreOf } {
  const known = unanswered.get(client) ?? new Map<string, string>()
  unanswered.set(client, known)
  const keys = new Map<string, string>()
  const step = client.asStep(() => {
    for (const id of eventIds) keys.set(id, known.get(id) ?? client.newKey())
  })

  /** Throws ApiProblem, also 409 `not_in_bin`, and NoAnswer. */
  async function restore(eventId: string): Promise<Restored> {
    const key = keys.get(eventId) as string
    known.set(eventId, key)
    try {
      const { body } = await client.api.request<Restored>('POST', `/app/bin/${eventId}/restore`, { key })
      known.delete(eventId)
      return body
    } catch (error) {
      if (!(error instanceof NoAnswer)) known.delete(eventId)
      throw error
    }
  }

  return { step, restore }
}
