import { badQuery } from '../../http/query.ts'
import { UUID } from '../../lib/id.ts'

export type TimelineObject = 'contact' | 'company' | 'deal'

/** The record that a query names by one of `contact_id`, `company_id` and `deal_id`. Throws Problem 400. */
export function askedRecord(given: ReadonlyMap<string, string>): [TimelineObject, string] {
  const [first, ...others] = [...given]
  if (!first || others.length > 0) throw badQuery('Send one of "contact_id", "company_id" and "deal_id".')
  const [name, id] = first
  if (!UUID.test(id)) throw badQuery(`The parameter "${name}" must be a UUID in lower case.`)
  return [name.slice(0, -3) as TimelineObject, id]
}
