/** Who acts: the organisation that every statement is bound to, and the member, or null for jobs. */
export type Caller = {
  org: number
  member: string | null
  /** The scopes of the request's token or session; jobs and commands have none, and are not limited. */
  scopes?: ReadonlySet<string>
  /** When the token of the request ends; null if it never does. */
  expiresAt?: number | null
  /** The Idempotency-Key of the request: its events carry it. */
  key?: string
  /** Only of a request from the browser app. */
  session?: Session
  /** Whoever gets records is told once of all of them, not of each. */
  isSummed?: true
}

/** A member who is signed in to the browser app. `address` is where the browser reaches it: origin and base path. */
export type Session = { id: string; role: 'owner' | 'admin' | 'member' | 'viewer'; address: string }

/** The member who asks, in place of an id. */
export const ME = 'me'
