import type { Caller } from '../../lib/caller.ts'
import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import { ANY_SOURCE, type ExternalIds } from '../../records/external-ids.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import type { Given, RecordObject } from '../writable.ts'
import type { Draft } from './cells/draft.ts'
import { joined } from './cells/draft-values.ts'
import type { Match } from './columns/mapping.ts'
import { idOf } from './match.ts'

// What a row may change in the record that it was found to be about. The row under the record's own id may set everything.
// One under another id, that of a record merged into it or of another product, only adds what the record lacks: otherwise
// the two would overwrite each other at each import. What a merged record had when it was merged is not set again: somebody
// has decided then. No row takes the id of a record away.

type Options = {
  object: RecordObject
  match: Match | undefined
  source: string
  ids: ExternalIds
  country: string | undefined
}

type Past = { readonly [member: string]: unknown }

export function fieldOwner({ org }: Caller, { object, match, source, ids, country }: Options) {
  /** `past`: the merged record whose id the row has. */
  function standingOf(before: Stored, key: string | undefined): { isOwn: boolean; past?: Past | undefined } {
    const own = idOf(before)
    if (object === 'deal' || key === undefined || own === undefined || match !== 'external_id') return { isOwn: true }
    const claims = ids.claims(org, object, key).filter((each) => each.source !== ANY_SOURCE)
    // Of two products that have somebody under the same id, the first.
    const [first] = claims
      .filter(({ record_id }) => record_id === before.id)
      .toSorted((one, other) => (one.import_id < other.import_id ? -1 : 1))
    if (own === key && first && [first.source, ANY_SOURCE].includes(source)) return { isOwn: true }
    const past = ids.pastOf(org, object, before.id).find((each) => each.external_id === key)
    return { isOwn: own === key && claims.every(({ record_id }) => record_id !== before.id), past }
  }

  /** Removes references from a row that the record does not take, so that nothing is made for them. */
  function dropKept(draft: Draft, before: Stored): void {
    if (standingOf(before, idOf(draft.given)).isOwn) return
    for (const [name, { kind }] of [...draft.links])
      if (kind !== 'tags' && kind !== 'note' && !isEmpty(before[name] as Json)) draft.links.delete(name)
  }

  function ownFields(before: Stored, given: Given, added: ReadonlySet<string>): Given {
    const [own, key] = [idOf(before), idOf(given)]
    const { external_id: _, ...rest } = given
    const kept = own === undefined || key === undefined || own === key ? given : rest
    const { isOwn, past } = standingOf(before, key)
    const fresh = past ? withoutPast(kept, past) : kept
    return isOwn ? fresh : missing(before, fresh, added)
  }

  function withoutPast(given: Given, past: Past): Given {
    const company = (id: unknown) => (typeof id === 'string' ? (ids.now(org, 'company', id) ?? id) : id)
    const isSame = (name: string, value: Json): boolean => {
      const before = past[name] as Json | undefined
      if (COMPANIES.has(name)) return company(before) === value
      if (Array.isArray(value))
        return joined((before ?? []) as Json[], value, country).length === ((before ?? []) as Json[]).length
      if (name === 'custom_fields')
        return Object.entries(value as Given).every(([key, each]) => same(past[`custom_fields.${key}`] ?? null, each))
      if (name !== 'address' || value === null) return same(before ?? null, value)
      return Object.entries(value as Given).every(([member, each]) =>
        same((before as Given | null)?.[member] ?? null, each),
      )
    }
    return Object.fromEntries(Object.entries(given).filter(([name, value]) => !isSame(name, value)))
  }

  return { dropKept, ownFields }
}

const COMPANIES: ReadonlySet<string> = new Set(['company_id', 'parent_company_id'])

/** Values that belong together. */
const TOGETHER = [
  ['first_name', 'last_name'],
  ['annual_revenue', 'currency'],
]

function missing(before: Stored, given: Given, added: ReadonlySet<string>): Given {
  const has = (name: string): boolean => !isEmpty(before[name] as Json)
  const isKept = (name: string): boolean => TOGETHER.find((names) => names.includes(name))?.some(has) ?? has(name)
  const left: Given = {}
  for (const [name, value] of Object.entries(given)) {
    if (added.has(name) || !isKept(name) || (name === 'do_not_contact' && value === true)) left[name] = value
    else if (name === 'custom_fields') {
      const values = Object.entries(value as Given).filter(([key]) => isEmpty((before.custom_fields as Given)[key]))
      if (values.length > 0) left[name] = Object.fromEntries(values)
    }
  }
  return left
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)
