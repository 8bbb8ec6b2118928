import { Problem } from '../lib/problem.ts'
import type { Database } from './driver.ts'

export type OrgState = 'staged' | 'open' | 'leaving' | 'paused' | 'moved'

/** A condition on the rows of organisations: what a server does by itself, it does for open ones only. */
export const isOpen = (column: string): string => `(SELECT state FROM orgs WHERE orgs.id = ${column}) = 'open'`

/** The same for whatever looks at rows of all organisations: staged ones belong to who fills them. */
export const notStaged = (column: string): string => `(SELECT state FROM orgs WHERE orgs.id = ${column}) <> 'staged'`

/** Returns a function that throws Problem 421 if an organisation has moved to another server. */
export function orgGate(db: Database): (org: number) => void {
  const movedTo = db.prepare('SELECT moved_to FROM orgs WHERE id = ?').pluck()
  return (org) => {
    const address = movedTo.get(org) as string | null | undefined
    if (address != null) throw movedProblem(address)
  }
}

/** Where the organisation with a public id has moved to; undefined for any other. */
export function moves(db: Database): (publicId: string) => string | undefined {
  const byId = db.prepare("SELECT moved_to FROM orgs WHERE public_id = ? AND state = 'moved'").pluck()
  return (publicId) => byId.get(publicId) as string | undefined
}

/** The same for the one with a host name. */
export function hostMoves(db: Database): (host: string) => string | undefined {
  const byHost = db.prepare("SELECT moved_to FROM orgs WHERE host = ? AND state = 'moved'").pluck()
  return (host) => byHost.get(host) as string | undefined
}

export const movedProblem = (address: string): Problem =>
  new Problem(421, 'moved', `This organisation has moved to ${address}. Send its requests there.`, {
    more: { moved_to: address },
  })

/** The message of the triggers that stop writes while an organisation is paused: see departing.ts. */
export const PAUSED = 'dealbox: the organisation is paused'

export const isPaused = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'SQLITE_CONSTRAINT_TRIGGER' &&
  (error as { message?: unknown }).message === PAUSED

/** 503 for a write that has waited for so long. */
export const pausedProblem = (): Problem =>
  new Problem(503, 'moving', 'The organisation is moving to another server, and nothing was written. Try again.', {
    headers: { 'Retry-After': '1' },
  })
