import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { emailKey } from '../../lib/email.ts'
import type { Json } from '../../lib/json.ts'
import { conflict, type Problem } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import { tidy } from '../../lib/pure/invisible.ts'
import { LEGAL } from '../../lib/written/people/name-words.ts'
import { phoneKeys } from '../../lib/written/people/phone-countries.ts'
import { ANY_SOURCE, type ExternalIds } from '../../records/external-ids.ts'
import type { recordLookups } from '../../records/record-lookups.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import type { AllWrites, Given, RecordObject } from '../writable.ts'
import type { Match } from './columns/mapping.ts'
import { ambiguousMatch } from './lookups.ts'

// Finds the record that a row is about.

export type Finding = ReturnType<typeof recordFinder>

/** `as`: the record that had the id of the row, which may have been merged into this one since. */
export type Found = { record: Stored; as?: string }

type Options = {
  object: RecordObject
  match: Match | undefined
  /** The product that the file is from. */
  source: string
  find: ReturnType<typeof recordLookups>
  ids: ExternalIds
  writes: AllWrites
  country: string | undefined
}

export function recordFinder(who: Caller, { object, match, source, find, ids, writes, country }: Options) {
  const { org } = who

  /** The values of a row to match by, compared as the stores compare them. */
  function keysOf(given: Given): string[] {
    if (match === 'email') return texts(given.emails, 'email').map(emailKey)
    if (match === 'phone') return [...phonesOf(given, country)]
    if (match === 'domain') return domainsOf(given)
    return match === 'external_id' ? listed(idOf(given)) : []
  }

  /** Returns the existing record for a row; undefined if there is none, or the row has no value to match by. */
  function found(given: Given): Found | undefined {
    if (match === 'external_id') return ofExternalId(given)
    const id = match === undefined ? undefined : match === 'phone' ? ofPhone(given) : ofReach(given, true)
    return id === undefined ? undefined : { record: writes[object].find(who, id) }
  }

  /** Throws 409 for several. */
  function ofPhone(given: Given): string | undefined {
    const all = new Set(texts(given.phones, 'number').flatMap((number) => find.contactsOfPhone(org, number)))
    if (all.size > 1) throw ambiguousMatch([...all])
    return [...all][0]
  }

  function ofExternalId(given: Given): Found | undefined {
    const key = idOf(given)
    if (key === undefined) return undefined
    const [holder, second] = ids.find(org, object, key, source)
    if (second) throw severalProducts(key)
    if (!holder) return object === 'deal' ? undefined : ofOthers(key, given)
    const record = writes[object].find(who, holder.id)
    if (
      object !== 'deal' &&
      ![record, ...ids.pastOf(org, object, holder.id)].some((each) => isAlike(given, each, country))
    )
      throw otherRecord(key, record, source)
    return { record, as: holder.as }
  }

  /**
   * Returns the record that has an email or the domain of the row, and no other id of the product, or the same name. It
   * was made by hand, comes from another product, or its id there has changed.
   */
  function ofOthers(key: string, given: Given): Found | undefined {
    const id = ofReach(given, false)
    if (id === undefined) return undefined
    const record = writes[object].find(who, id)
    const hasName = fold(nameIn(given)) === fold(nameIn(record))
    // An address of a whole firm has many people behind it.
    if (!hasName && areNamedApart(given, record)) return undefined
    const isOther = ids.hasOther(org, object, id, key, source) || isUnknown(record, key)
    return isOther && !hasName ? undefined : { record }
  }

  /** Whether it has another id, which may be of any product. */
  function isUnknown({ external_id }: Stored, key: string): boolean {
    if (typeof external_id !== 'string' || external_id === key) return false
    return ids.holders(org, object, external_id).every(({ sources }) => sources.size === 0 || source === ANY_SOURCE)
  }

  /** Returns the record with an email or the domain of the row. Throws 409 for several, if it has to be one. */
  function ofReach(given: Given, isOne: boolean): string | undefined {
    const all = new Set(
      object === 'company'
        ? domainsOf(given).flatMap((key) => listed(find.companyOfDomain(org, key)))
        : texts(given.emails, 'email').flatMap((email) => find.contactsOfEmail(org, emailKey(email))),
    )
    if (all.size > 1 && isOne) throw ambiguousMatch([...all])
    return all.size > 1 ? undefined : [...all][0]
  }

  /** Returns the record that has one of the emails or domains of a row already. */
  function holderOf(name: 'emails' | 'domains', item: Json, but?: string): string | undefined {
    const all =
      name === 'domains'
        ? domainsOf({ domains: [item] }).flatMap((key) => listed(find.companyOfDomain(org, key)))
        : texts([item], 'email').flatMap((email) => find.contactsOfEmail(org, emailKey(email)))
    return all.find((id) => id !== but)
  }

  return { keysOf, found, holderOf }
}

export const idOf = ({ external_id }: Given | Stored): string | undefined =>
  typeof external_id === 'string' && external_id !== '' ? tidy(external_id.normalize('NFC')) : undefined

/** Returns the name that a row or a record has; without one, ''. */
export function nameIn(record: { readonly [member: string]: unknown }): string {
  const { name, first_name, last_name } = record
  if (!('emails' in record || 'first_name' in record || 'last_name' in record)) return String(name ?? '')
  return [first_name, last_name].filter(Boolean).join(' ')
}

/**
 * Whether a row and a record may be the same: they have the same name, or an email, domain or phone in common, or nothing
 * to compare.
 */
export function isAlike(
  given: Given,
  record: { readonly [member: string]: unknown },
  country: string | undefined,
): boolean {
  const [names, other] = [wordsOf(nameIn(given)), wordsOf(nameIn(record))]
  const pairs: [Set<string>, Set<string>][] = [
    [new Set(texts(given.emails, 'email').map(emailKey)), new Set(texts(record.emails as Json, 'email').map(emailKey))],
    [new Set(domainsOf(given)), new Set(domainsOf(record as Given))],
    [phonesOf(given, country), phonesOf(record, country)],
  ]
  const compared = pairs.filter(([one, two]) => one.size > 0 && two.size > 0)
  if (names.size > 0 && other.size > 0) {
    if (names.isSubsetOf(other) || other.isSubsetOf(names)) return true
  } else if (compared.length === 0) return true
  return compared.some(([one, two]) => !one.isDisjointFrom(two))
}

/** Whether both have names that share no word but the form of a company. */
function areNamedApart(given: Given, record: { readonly [member: string]: unknown }): boolean {
  const [one, other] = [given, record].map((each) =>
    wordsOf(nameIn(each))
      .values()
      .filter((word) => !LEGAL.test(word)),
  )
  const [names, others] = [new Set(one), new Set(other)]
  // One word alone may be short for a name.
  const least = 'emails' in record ? 2 : 1
  return names.size >= least && others.size >= least && names.isDisjointFrom(others)
}

const wordsOf = (name: string): Set<string> => new Set(fold(name).match(/[\p{L}\p{N}]+/gu) ?? [])

function phonesOf({ phones, phone }: { readonly [member: string]: unknown }, country: string | undefined): Set<string> {
  const all = [...texts(phones as Json, 'number'), ...(typeof phone === 'string' ? [phone] : [])]
  return new Set(all.flatMap((text) => phoneKeys(text, country)))
}

const domainsOf = ({ domains }: Given): string[] => texts(domains).map((domain) => toDomain(domain) ?? domain)

const listed = (id: string | undefined): string[] => (id === undefined ? [] : [id])

/**
 * Returns the texts in a list of texts, or the named member of each object; other values are left to the schema to
 * reject.
 */
function texts(list: Json | undefined, member?: string): string[] {
  if (!Array.isArray(list)) return []
  const found = list.map((item) => (member === undefined ? item : (item as Given | null)?.[member]))
  return found.filter((item) => typeof item === 'string')
}

const severalProducts = (id: string): Problem =>
  conflict(
    'ambiguous_match',
    `Several records have the id "${id}", each of another product; say which one the file is from with --source NAME.`,
  )

function otherRecord(id: string, record: Stored, source: string): Problem {
  const named = `"${nameIn(record) || String(record.name)}" (${record.id})`
  const next =
    source === ANY_SOURCE
      ? 'If the file is from another product, name that with --source'
      : 'If it is the same one, give it the name or the email there first'
  return conflict(
    'other_record',
    `The id "${id}" is that of ${named}, which has neither the name nor an email, domain or phone of the row. ${next}.`,
  )
}
