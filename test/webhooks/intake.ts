import { BROKEN, OK, type Received } from '../support/receiver.ts'
import { verify } from './delivery/delivery-harness.ts'

/** So that no delivery comes to the end of its schedule. */
const MAX_REFUSALS = 5

/** What came to one webhook, and what was wrong with how it came. */
export function intake(secret: string, isRefused: () => boolean) {
  const texts = new Map<string, string>()
  const taken = new Set<string>()
  const refusals = new Map<string, number>()
  const ofRecord = new Map<string, { seq: number; id: string }[]>()
  const wrongs: string[] = []
  let repeats = 0

  function take(received: Received): typeof OK {
    const id = received.headers['webhook-id']
    const { seq, data } = received.event
    verify(secret, received)
    const known = texts.get(id)
    if (known !== undefined && known !== received.text) wrongs.push(`${seq} came with other bytes`)
    if (taken.has(id)) repeats++
    if (known === undefined) {
      texts.set(id, received.text)
      const others = ofRecord.get(data.object.id) ?? []
      ofRecord.set(data.object.id, [...others, { seq, id }])
      for (const other of others) {
        if (other.seq > seq) wrongs.push(`${seq} came behind ${other.seq} of its record`)
        if (!taken.has(other.id)) wrongs.push(`${seq} came before ${other.seq} of its record was taken`)
      }
    }
    const refused = refusals.get(id) ?? 0
    if (refused < MAX_REFUSALS && isRefused()) {
      refusals.set(id, refused + 1)
      return BROKEN
    }
    taken.add(id)
    return OK
  }

  return { take, texts, taken, wrongs, repeats: () => repeats }
}
