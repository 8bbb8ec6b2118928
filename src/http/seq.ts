import type { IncomingMessage, ServerResponse } from 'node:http'
import { conflict, Problem } from '../lib/problem.ts'
import { isPassing } from './reader.ts'
import type { CommitWaiters } from './waiting.ts'

/** The seq of the newest event: of each response, and what a read asks to see at least. */
export const SEQ = 'Dealbox-Seq'
/** How long a read of a copy waits for what it asks for. */
const MAX_WAIT_MS = 1000

export type SeqParts = {
  /** The seq of the newest event of an organisation. */
  newestSeq: (org: number) => number
  /** Whether an event that had been acknowledged was lost in a failover. */
  isLostSeq?: ((org: number, seq: number, newest: number) => boolean) | undefined
  /** Whether this server gives the numbers. One that does not may only be behind: a reader, or a primary that was replaced. */
  givesSeqs: () => boolean
  waiters: CommitWaiters
}

export type SeqWaits = ReturnType<typeof seqWaits>

/** Lets a read be at least as new as an event, so that a client which has written sees its own write also on a reader. */
export function seqWaits({ newestSeq, isLostSeq, givesSeqs, waiters }: SeqParts) {
  /**
   * Waits for the event with a seq. Throws Problem 409 at once if this server knows that there is none, and 503 if it takes
   * longer than a second.
   */
  function reach(org: number, seq: number, res: ServerResponse): Promise<void> | undefined {
    const has = newestSeq(org)
    if (has >= seq) return undefined
    if (givesSeqs()) throw seqAhead(seq, has)
    const newest = () => orUndefined(() => newestSeq(org))
    const look = () => ((newest() ?? -1) >= seq ? seq : undefined)
    return waiters.until({ key: `${org} ${SEQ}`, newest }, look, MAX_WAIT_MS, res).then((found) => {
      if (found === undefined) throw behind(seq, newest())
    })
  }

  /** The same for the event that a request names, if it does. Throws Problem 410 if a failover has lost that one. */
  function reachAsked(org: number, req: IncomingMessage, res: ServerResponse): Promise<void> | undefined {
    const seq = askedSeq(req)
    if (seq === undefined) return undefined
    if (isLostSeq?.(org, seq, newestSeq(org))) throw lost(seq)
    return reach(org, seq, res)
  }

  return { reach, reachAsked }
}

function askedSeq({ headers }: IncomingMessage): number | undefined {
  const given = headers['dealbox-seq']
  if (given === undefined) return undefined
  if (/^\d{1,15}$/.test(String(given))) return Number(given)
  throw new Problem(400, 'invalid_seq', `The header ${SEQ} must be the ${SEQ} of an earlier response, a whole number.`)
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

const seqAhead = (seq: number, newest: number): Problem =>
  conflict(
    'seq_ahead',
    `There is no event ${seq}: the newest one has the seq ${newest}, as after an older backup was restored. Read the records anew, without asking for ${seq}, and continue with after_seq=${newest}.`,
  )

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
