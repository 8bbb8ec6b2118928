import type { Deps } from '../deps.ts'
import { type Job, jobQueue } from '../store/jobs/jobs.ts'
import type { RunKind } from '../store/jobs/kinds.ts'
import { companyStore } from './companies.ts'
import { contactStore } from './contacts.ts'

/** The kind of job that renews the search words of phones: a number without a code is one of the organisation's country. */
export const PHONES_INDEX = 'phones.index'

/** Requests wait for at most one batch. */
const BATCH_SIZE = 100

/** After the country of an organisation has changed: its national numbers are searched by the new one. */
export function phoneKinds(deps: Deps): RunKind[] {
  const stores = { contact: contactStore(deps), company: companyStore(deps) }
  const kinds = Object.keys(stores) as (keyof typeof stores)[]
  const jobs = jobQueue(deps)

  function indexBatch({ org, key, payload }: Job): void {
    const { kind, after } = payload as { kind: keyof typeof stores; after: string }
    const last = stores[kind].indexAfter(org, after, BATCH_SIZE)
    const next = last === undefined ? kinds[kinds.indexOf(kind) + 1] : kind
    if (next === undefined) return
    const payloadOfNext = { kind: next, after: last ?? '' }
    jobs.put(org, { kind: PHONES_INDEX, key: key as string, payload: payloadOfNext, dueAt: deps.clock.now() })
  }

  return [{ kind: PHONES_INDEX, run: (job) => void indexBatch(job) }]
}
