import { Problem } from '../../lib/problem.ts'
import type { Database } from '../sqlite/driver.ts'

export type OrgState = 'staged' | 'open' | 'leaving' | 'paused' | 'moved'

/** A condition on the rows of organisations: what a server does by itself, it does for open ones only. */
export const isOpen = (column: string): string => `(SELECT state FROM orgs WHERE orgs.id = ${column}) = 'open'`

/** The same for whatever looks at rows of all organisations: staged ones belong to who fills them. */
export const notStaged = (column: string): string => `(SELECT state FROM orgs WHERE orgs.id = ${column}) <> 'staged'`

/** Returns a function that throws Problem 421 if an organisation has moved to another server. */
export function orgGate(db: Database): (org: number) => void {
  const moved = db.prepare("SELECT moved_to, host FROM orgs WHERE id = ? AND state = 'moved'")
  return (org) => {
    const row = moved.get(org) as { moved_to: string; host: string | null } | undefined
    if (row) throw movedProblem(row.moved_to, row.host !== null)
  }
}

/** Returns whether an organisation has moved to another server. */
export function movedOrgs(db: Database): (org: number) => boolean {
  const one = db.prepare("SELECT 1 FROM orgs WHERE id = ? AND state = 'moved'").pluck()
  return (org) => one.get(org) !== undefined
}

/** Whether an organisation is on its way to another server, and may still be here in the end. */
export const isMoving = (db: Database, org: number): boolean =>
  db.prepare('SELECT 1 FROM departures WHERE org = ?').get(org) !== undefined

/** Where the organisation with a public id has moved to; undefined for any other. */
export function addressOfMoved(db: Database): (publicId: string) => string | undefined {
  const byId = db.prepare("SELECT moved_to FROM orgs WHERE public_id = ? AND state = 'moved'").pluck()
  return (publicId) => byId.get(publicId) as string | undefined
}

/** The same for the one with a host name. */
export function addressOfMovedHost(db: Database): (host: string) => string | undefined {
  const byHost = db.prepare("SELECT moved_to FROM orgs WHERE host = ? AND state = 'moved'").pluck()
  return (host) => byHost.get(host) as string | undefined
}

export class Moved extends Problem {
  readonly address: string
  /** Whether browsers reach it there, too: it may be the address of the API alone. */
  readonly isForBrowsers: boolean

  constructor(address: string, isForBrowsers: boolean) {
    super(421, 'moved', `This organisation has moved to ${address}. Send its requests there.`, {
      more: { moved_to: address },
    })
    this.address = address
    this.isForBrowsers = isForBrowsers
  }
}

/** `hasHost`: by which the proxy tells browsers from programs. */
export const movedProblem = (address: string, hasHost = false): Problem => new Moved(address, hasHost)

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
