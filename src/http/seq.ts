import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../lib/problem.ts'
import { isPassing } from '../store/followed/reader.ts'
import type { CommitWaiters } from './waiting.ts'

/** The seq of the newest event: of the answer to a write, and what a read asks to see at least. */
export const SEQ = 'Dealbox-Seq'
/** How long a read waits for what it asks for. */
const MAX_WAIT_MS = 1000

export type SeqParts = {
  /** The seq of the newest event of an organisation. */
  newestSeq: (org: number) => number
  /** Whether an event that had been acknowledged was lost in a failover. */
  isLostSeq?: ((org: number, seq: number, newest: number) => boolean) | undefined
  waiters: CommitWaiters
}

/**
 * Lets a read wait until the database has at least the event whose seq it names, so that a client which has written sees its
 * own write also on a reader. Throws Problem 400, 410 if a failover has lost the event, and 503 if it takes longer than a
 * second, also on a primary, which may be an older state.
 */
export function seqWaits({ newestSeq, isLostSeq, waiters }: SeqParts) {
  return function reach(org: number, req: IncomingMessage, res: ServerResponse): Promise<void> | undefined {
    const seq = askedSeq(req)
    if (seq === undefined) return undefined
    const has = newestSeq(org)
    if (has >= seq && !isLostSeq?.(org, seq, has)) return undefined
    if (has >= seq) throw lost(seq)
    const newest = () => orUndefined(() => newestSeq(org))
    const look = () => ((newest() ?? -1) >= seq ? seq : undefined)
    return waiters.until({ key: `${org} ${SEQ}`, newest }, look, MAX_WAIT_MS, res).then((found) => {
      if (found === undefined) throw behind(seq, newest())
    })
  }
}

function askedSeq({ headers }: IncomingMessage): number | undefined {
  const given = headers['dealbox-seq']
  if (given === undefined) return undefined
  if (/^\d{1,15}$/.test(String(given))) return Number(given)
  throw new Problem(
    400,
    'invalid_seq',
    `The header ${SEQ} must be the ${SEQ} of the response to a write, a whole number.`,
  )
}

/** A copy that cannot be read at this moment is looked at again. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isPassing(error)) return undefined
    throw error
  }
}

const lost = (seq: number): Problem =>
  new Problem(
    410,
    'event_lost',
    `The event ${seq} was acknowledged by a server that failed before it was replicated, and is lost. Read the record again, and write again what is missing.`,
  )

function behind(seq: number, newest: number | undefined): Problem {
  const has = newest === undefined ? '' : `, but has ${newest}`
  return new Problem(
    503,
    'seq_not_reached',
    `This server has not got to event ${seq} yet${has}. Try again in a moment, or ask the primary.`,
    { headers: { 'Retry-After': '1' } },
  )
}
