import type { Actor } from '../audit/entry.ts'
import { auditLog } from '../audit/log.ts'
import { Problem } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'
import { movesClient } from './client.ts'
import { type Departure, departureStore } from './departures.ts'
import type { Outcome } from './protocol.ts'

type Options = { store: Store; departure: Departure; actor: Actor; tries: number }

/**
 * Ends a move that was interrupted, or failed. If the other server was not asked to open the organisation, it stays here.
 * Otherwise only that server knows: it says that it has it, or will never open it.
 */
export async function settle({ store, departure, actor, tries }: Options): Promise<'moved' | 'stays' | 'unknown'> {
  const { org, public_id, id: move, address, asked_at } = departure
  const { stay, gone } = departureStore(store)
  const record = (action: string, detail: object) => () =>
    auditLog(store).record({ org: null, actor, action, record: public_id, detail: { move, ...detail } })
  const client = movesClient({ url: departure.url, key: departure.key, ca: departure.ca ?? undefined })
  try {
    if (asked_at === null) stay(org, record('org.stays', {}))
    const outcome = await client
      .call<Outcome>('abort', { move }, { tries: asked_at === null ? 1 : tries, timeoutMs: 10_000 })
      .catch(noAnswer)
    if (asked_at === null) return 'stays'
    if (outcome === undefined) return 'unknown'
    if (outcome.outcome === 'committed') gone(org, address, record('org.moved', { address }))
    else stay(org, record('org.stays', {}))
    return outcome.outcome === 'committed' ? 'moved' : 'stays'
  } finally {
    client.close()
  }
}

/** A key that was forgotten there has brought nothing: keys of received organisations are kept. */
function noAnswer(error: unknown): Outcome | undefined {
  if (!(error instanceof Problem)) throw error
  return error.code === 'wrong_key' ? { outcome: 'none' } : undefined
}
