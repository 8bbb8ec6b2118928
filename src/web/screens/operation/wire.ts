import { client } from '../../data/current.ts'

// What GET /app/operation answers; times are RFC 3339.

export type Check = {
  name: string
  /** Null if it was not run, since another one failed before it. */
  status: 'pass' | 'warn' | 'fail' | null
  detail: string | null
  since: string | null
}
type Way = {
  told_at: string | null
  failed_at: string | null
  error: string | null
  /** Nobody could be told in this way: there is no mailbox. */
  is_nobody: boolean
}
export type Told = {
  screen: Way
  mail: Way & { to: 'owners' | 'addresses' | 'off' | 'paused' }
  url: Way & { is: 'on' | 'off' | 'paused'; host: string | null }
}
export type Backups = {
  state: 'on' | 'off' | 'reader'
  may_start: boolean
  at: string | null
  timezone: string | null
  last: { made_at: string; bytes: number } | null
  drill: { at: string; is_good: boolean } | null
  at_work: { what: string; since: string; by: string | null } | null
}
export type Run = {
  kind: string
  at: string
  since: string | null
  times: number
  duration_ms: number | null
  bytes: number | null
  /** The id of a member, or `command`. */
  by: string | null
  place: string | null
  is_good: boolean
  error: string | null
}
export type Work = {
  name: string
  at: string | null
  due_at: string | null
  failures: number
  is_good: boolean
  error: string | null
}
export type Operation = { checks: Check[]; told: Told; backups: Backups; runs: Run[]; work: Work[] }

export const readOperation = (): Promise<Operation> => client().api.get<Operation>('/app/operation')

export const start = (what: 'backup' | 'drill'): Promise<unknown> =>
  client().api.request('POST', `/app/operation/${what}`)
