import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authentication } from '../auth/access.ts'
import { Problem } from '../lib/problem.ts'

/** How many milliseconds the copy is behind, on the answers of a reader. */
export const LAG = 'Dealbox-Lag-Ms'

/**
 * A write on its way to the primary: the id of the request, how large its body may be, and whether the copy knows who
 * asks. Only the primary decides: its tokens and sessions may be newer.
 */
export type Passed = { id: string; maxBytes?: number | undefined; isKnown: boolean }

/** Passes a request on and its answer back. Returns the status; throws Problem 4xx or 503 before anything was answered. */
export type Pass = (req: IncomingMessage, res: ServerResponse, passed: Passed) => Promise<number>

/** A copy of which a reader answers. */
export type Readable = {
  /** Waits until the copy can be read, which it then is for the rest of this turn of the event loop. Rejects with Problem 503. */
  readable: () => Promise<void> | undefined
  /** How far the copy is behind its primary, as the last heartbeat shows; undefined before the first. */
  lagMs: () => number | undefined
}

/** What a reader does otherwise than a primary. Without `pass`, writes are refused. */
export type Reader = Readable & { pass?: Pass | undefined }

/**
 * Waits until the copy can be read, for a moment at most, and returns the header that says how far it is behind. If it
 * cannot be read, whoever reads says so.
 */
export async function lagOf({ readable, lagMs }: Reader): Promise<string[]> {
  try {
    const waiting = readable()
    if (waiting) await waiting
    const lag = lagMs()
    return lag === undefined ? [] : [LAG, String(lag)]
  } catch {
    return []
  }
}

/** Whether a request has a token or a cookie. Any other is refused, and need not wait for the copy before. */
export const saysWho = ({ headers }: IncomingMessage): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined

/** Whether the copy knows who asks: then strangers cannot take the place of the request. */
export async function isKnown(authenticate: Authentication['authenticate'], req: IncomingMessage): Promise<boolean> {
  try {
    await authenticate(req)
    return true
  } catch {
    return false
  }
}

/** Whether a copy that cannot be read now may be readable in a moment. */
export const isPassing = (error: unknown): boolean => error instanceof Problem && error.code === 'copy_unavailable'
