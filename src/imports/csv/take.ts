import { emailKey } from '../../crm/records/contact-methods.ts'
import { recordLookups } from '../../crm/records/record-lookups.ts'
import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import type { Database } from '../../store/driver.ts'
import type { Taken, Touched } from '../journal/journal.ts'
import type { AllWrites, Given, ImportObject, Writable } from '../writes.ts'
import { type Draft, joined, put } from './draft.ts'
import type { Kind } from './fields.ts'
import { ambiguousMatch, lookups } from './lookups.ts'
import type { Match } from './mapping.ts'
import { pipelineReader, type Said, type Way } from './pipeline.ts'

type Options = { object: ImportObject; match: Match | undefined; writes: AllWrites }

/** Brings drafts into the store, inside a transaction of the caller's. Throws Problem 4xx for one that cannot come in. */
export function taker(db: Database, who: Caller, { object, match, writes }: Options) {
  let touched: Touched[] = []
  const look = lookups(db, writes, who, (made, record) => created(made, record))
  const finding = match && matchers(db)[match]
  const wayOf = object === 'deal' ? pipelineReader(db, who.org) : undefined

  function take(draft: Draft): Taken {
    touched = []
    const found = finding ? matched(draft) : undefined
    const way = wayOf?.(placeOf(draft))
    const given = linked(draft, found === undefined)
    if (found !== undefined) return change(writes[object].find(who, found), given, draft.added)
    created(object, way ? createDeal(given, way) : writes[object].create(who, given))
    return { result: 'created', touched }
  }

  const created = (kind: Writable, { id, version }: { id: string; version: number }): void =>
    void touched.push({ object: kind, id, action: 'created', version, before: null })

  /** The record of this row, where there is one; undefined also where the row has nothing to match by. */
  function matched({ given }: Draft): string | undefined {
    const ids = new Set((finding?.keys(given) ?? []).flatMap((key) => finding?.find(object, who.org, key) ?? []))
    if (ids.size > 1) throw ambiguousMatch([...ids])
    return [...ids][0]
  }

  /** The body, with the ids of the records that it refers to. What may make a record comes last, when all else is right. */
  function linked({ given, links }: Draft, isNew: boolean): Given {
    const body = { ...given }
    const each = (wanted: Kind, find: (pointer: string, texts: string[], name: string) => Json) => {
      for (const [name, { kind, texts }] of links) {
        if (kind === wanted) put(body, name, find(`/${name.replace('.', '/')}`, texts, name))
      }
    }
    each('member', (pointer, [text = '']) => look.member(pointer, text))
    writes[object].check(body, isNew)
    each('company', (pointer, [text = ''], name) => look.company(pointer, text, name !== 'parent_company_id'))
    each('contact', (pointer, [text = '']) => look.contact(pointer, text, body.company_id))
    each('tags', (_, texts) => look.tags(texts))
    return body
  }

  function change(before: Stored, given: Given, added: ReadonlySet<string>): Taken {
    for (const name of added) given[name] = joined((before[name] ?? []) as Json[], given[name] as Json[])
    const after = writes[object].patch(who, before, given)
    if (after.version === before.version) return { result: 'unchanged', touched }
    const { id, version } = after
    touched.push({ object, id, action: 'updated', version, before: changedFields(before, after, given) })
    return { result: 'updated', touched }
  }

  /** By create, then by the move or the close that brings it to where it stands. */
  function createDeal(given: Given, { pipeline_id, stage, reason_id }: Way): Stored {
    const { deal } = writes
    const made = deal.create(who, { ...given, ...(pipeline_id ? { pipeline_id } : {}) })
    if (reason_id) return deal.close!(who, made, { reason_id })
    return stage ? deal.patch(who, made, { stage }) : made
  }

  return { take, forget: look.forget }
}

/** What a row says of where a deal stands. */
function placeOf({ links }: Draft): Said {
  const text = (name: string) => links.get(name)?.texts[0]
  return {
    pipeline: text('pipeline_id'),
    stage: text('stage'),
    status: text('status'),
    reason: text('close_reason_id'),
  }
}

/** The fields that an update changed, as they were. */
export function changedFields(before: Stored, after: Stored, given: Given): Given {
  const changed = Object.keys(given).filter((name) => !same(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, previous(name, before[name] as Json, given[name])]))
}

/** A patch merges custom fields by key: to take one back, each that was not there before is cleared. */
function previous(name: string, before: Json, given: Json | undefined): Json {
  if (name !== 'custom_fields') return before
  const values = before as Given
  return Object.fromEntries(Object.keys(given as Given).map((key) => [key, values[key] ?? null]))
}

/** How rows find the records that are there: the values to look for, compared as the store compares them. */
function matchers(db: Database) {
  const look = recordLookups(db)
  type Matcher = {
    keys: (given: Given) => string[]
    find: (object: ImportObject, org: number, key: string) => string[]
  }
  const matchers: Record<Match, Matcher> = {
    email: {
      keys: ({ emails }) => texts(emails, 'email').map(emailKey),
      find: (_, org, key) => look.contactsOfEmail(org, key),
    },
    domain: {
      keys: ({ domains }) => texts(domains).map((domain) => toDomain(domain) ?? domain),
      find: (_, org, key) => listed(look.companyOfDomain(org, key)),
    },
    external_id: {
      keys: ({ external_id }) => (typeof external_id === 'string' ? [external_id.normalize('NFC')] : []),
      find: (object, org, key) => listed(look.ofExternalId(object as 'contact' | 'company', org, key)),
    },
  }
  return matchers
}

const listed = (id: string | undefined): string[] => (id === undefined ? [] : [id])

/** The texts in a list of texts, or of objects by their member; what is none is for the schema to refuse. */
function texts(list: Json | undefined, member?: string): string[] {
  if (!Array.isArray(list)) return []
  const found = list.map((item) => (member === undefined ? item : (item as Given | null)?.[member]))
  return found.filter((item) => typeof item === 'string')
}
