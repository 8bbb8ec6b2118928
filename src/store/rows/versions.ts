import { type Clock, timeOfId } from '../../lib/id.ts'
import { rfc3339 } from '../../lib/time.ts'

/** What every record of the wire form ends with. */
export type Versioned = { created_at: string; updated_at: string; version: number }

/** A new record with these fields, in their order: its id, the time of that, and version 1. */
export function newRow<Fields extends object>(clock: Clock, fields: Fields): { id: string } & Fields & Versioned {
  const id = clock.id()
  const now = rfc3339(timeOfId(id))
  return { id, ...fields, created_at: now, updated_at: now, version: 1 }
}

/** A changed record, as it is stored: with the next version. */
export const nextRow = <Row extends Versioned>(clock: Clock, row: Row): Row => ({
  ...row,
  updated_at: rfc3339(clock.now()),
  version: row.version + 1,
})
