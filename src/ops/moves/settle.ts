import type { Actor } from '../../events/audit/entry.ts'
import { auditLog } from '../../events/audit/log.ts'
import { Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { movesClient, type Patience } from './client.ts'
import { type Departure, departureStore } from './departures.ts'
import type { Outcome } from './protocol.ts'

type Options = { store: Store; departure: Departure; actor: Actor; tries: number }

/** Nothing says that the other server was asked: it need not answer, and nobody should wait for it. */
const UNASKED: Patience = { tries: 1, timeoutMs: 3000 }

/**
 * Ends a move that was interrupted, or failed: the other server says that it has the organisation, or that it never will. If
 * it does not answer, the organisation stays here, unless that server was asked to open it: then only it knows. It is asked in
 * either case: the note that it was asked may be lost, in a backup or a copy from the moment before.
 */
export async function settle({ store, departure, actor, tries }: Options): Promise<'moved' | 'stays' | 'unknown'> {
  const { org, public_id, id: move, address, asked_at } = departure
  const { markStaying, markMoved } = departureStore(store)
  const record = (action: string, detail: object) => () =>
    auditLog(store).record({ org: null, actor, action, record: public_id, detail: { move, ...detail } })
  const client = movesClient({ url: departure.url, key: departure.key, ca: departure.ca ?? undefined })
  try {
    const patience = asked_at === null ? UNASKED : { tries, timeoutMs: 10_000 }
    const answer = await client.call<Outcome>('abort', { move }, patience).catch(noAnswer)
    if (answer?.outcome === 'committed') {
      markMoved(org, address, record('org.moved', { address }))
      return 'moved'
    }
    if (answer === undefined && asked_at !== null) return 'unknown'
    markStaying(org, record('org.stays', {}))
    return 'stays'
  } finally {
    client.close()
  }
}

/** A key that was forgotten there has brought nothing: keys of received organisations are kept. */
function noAnswer(error: unknown): Outcome | undefined {
  if (!(error instanceof Problem)) throw error
  return error.code === 'wrong_key' ? { outcome: 'none' } : undefined
}
