import { randomUUID } from 'node:crypto'
import type { Database } from './driver.ts'

// An organisation that is being filled under a number of its own, to take the place of another in the end. Its public id
// is no UUID until then: no token, link or --org names it.

const PREFIX = 'staged '

export const stagedId = (): string => PREFIX + randomUUID()

/** Of orgs, for a WHERE: those that are whole. */
export const IS_WHOLE = `public_id NOT LIKE '${PREFIX}%'`

/** The numbers of those that are not, or that an end in the middle has left. */
export const stagedOrgs = (db: Database): number[] =>
  db.prepare(`SELECT id FROM orgs WHERE NOT ${IS_WHOLE}`).pluck().all() as number[]
