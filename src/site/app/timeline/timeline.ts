import { companyStore } from '../../../crm/companies.ts'
import { contactStore } from '../../../crm/contacts.ts'
import { dealStore } from '../../../crm/deals/deals.ts'
import type { Deps } from '../../../deps.ts'
import type { Need, RecordQuery, Rendered, Route } from '../../../http/route.ts'
import type { Caller } from '../../../lib/caller.ts'
import { askedRecord } from '../asked-record.ts'
import { timelineContents } from './contents.ts'
import { timelinePlaces } from './places.ts'

/** A cursor has no negative key, and times before 1970 are negative: the year 1 in milliseconds. */
const YEAR_1 = 62_135_596_800_000
const NEWEST = { at: Number.MAX_SAFE_INTEGER, id: '~' }

/** What happened around a contact, a company or a deal; docs/decisions/023-timeline.md says what belongs to it. */
export function timelines(deps: Deps) {
  const records = { contact: contactStore(deps), company: companyStore(deps), deal: dealStore(deps) }
  const find = timelinePlaces(deps.db)
  const contents = timelineContents(deps.db)

  /** Throws Problem 400, and 404 for a record that does not exist. */
  function read(who: Caller, { given, limit, after, cursorAt }: RecordQuery): Rendered {
    const [object, id] = askedRecord(given)
    records[object].find(who, id)
    const place = after ? { at: (after.key as number) - YEAR_1, id: after.id } : NEWEST
    const { found, until } = find(who.org, object, id, place, limit + 1)
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    const data = shown.flatMap((each) => contents(who.org, id, each) ?? [])
    const end = found.length > limit ? last : until
    const next = end ? cursorAt({ key: end.at + YEAR_1, id: end.id }) : null
    return { json: JSON.stringify({ data, next_cursor: next }), next }
  }

  return { read }
}

const id = (one: string) => ({ schema: { type: 'string' } as const, description: `The ${one} to look at.` })

export const timelineRoutes = (deps: Deps): Route<Need>[] => {
  const { read } = timelines(deps)
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/timeline',
      role: 'viewer',
      name: 'timeline',
      summary: 'What happened around a record, newest first',
      parameters: { contact_id: id('contact'), company_id: id('company'), deal_id: id('deal') },
      paged: true,
      read: (who, _, query) => read(who, query),
    },
  ]
}
