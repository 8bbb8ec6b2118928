import type { Position } from '../../store/list/query.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import { type Behind, type Report, reportsOf } from './reports.ts'

/** One question, as it can be posted to a thread. `list` asks for what is behind a bar. */
export type Asking = {
  org: number
  name: string
  now: number
  given: [name: string, value: string][]
  list?: { limit: number; after: Position | undefined }
}
export type Made = Report | Behind
/** What a thread posts: a Problem is no message as it is. */
export type Told =
  | { made: Made; problem?: undefined; failure?: undefined }
  | { problem: { status: number; code: string; message: string }; made?: undefined; failure?: undefined }
  | { failure: string; made?: undefined; problem?: undefined }

/** Throws Problem 400, 404 and 503. */
export function answer(db: Database, { org, name, now, given, list }: Asking): Made {
  const { report, behind } = reportsOf({ db, clock: { now: () => now } })
  const asked = new Map(given)
  return list ? behind(org, name, { given: asked, ...list }) : report(org, name, { given: asked })
}
