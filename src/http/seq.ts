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
  waiters: CommitWaiters
}

/**
 * Lets a read wait until the database has at least the event whose seq it names, so that a client which has written sees its
 * own write also on a reader. Throws Problem 400, and 503 if it takes longer than a second, also on a primary: the event
 * may be one that a failover has lost.
 */
export function seqWaits({ newestSeq, waiters }: SeqParts) {
  return function reach(org: number, req: IncomingMessage, res: ServerResponse): Promise<void> | undefined {
    const seq = askedSeq(req)
    if (seq === undefined || newestSeq(org) >= seq) return undefined
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

function behind(seq: number, newest: number | undefined): Problem {
  const has = newest === undefined ? '' : `, but has ${newest}`
  return new Problem(
    503,
    'seq_not_reached',
    `This server has not got to event ${seq} yet${has}. Try again in a moment, or ask the primary.`,
    { headers: { 'Retry-After': '1' } },
  )
}
