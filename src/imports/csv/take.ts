import { recordLookups } from '../../crm/records/record-lookups.ts'
import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { emailKey } from '../../lib/email.ts'
import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import type { Database } from '../../store/driver.ts'
import type { Taken, Touched } from '../journal/journal.ts'
import type { AllWrites, Given, ImportObject, Writable } from '../writes.ts'
import { type Draft, joined, put } from './draft.ts'
import type { Kind } from './fields.ts'
import { ambiguousMatch, lookups } from './lookups.ts'
import type { Match } from './mapping.ts'
import { pipelineReader, type StagePath, type StageTexts } from './pipeline.ts'

type Options = { object: ImportObject; match: Match | undefined; writes: AllWrites }

/** Imports drafts within the caller's transaction. Throws Problem 4xx for a draft that cannot be imported. */
export function taker(db: Database, who: Caller, { object, match, writes }: Options) {
  let touched: Touched[] = []
  const look = lookups(db, writes, who, (made, record) => created(made, record))
  const finding = match && matchers(db)[match]
  const pathOf = object === 'deal' ? pipelineReader(db, who.org) : undefined

  function take(draft: Draft): Taken {
    touched = []
    const found = finding ? matched(draft) : undefined
    const path = pathOf?.(placeOf(draft))
    const given = linked(draft, found === undefined)
    if (found !== undefined) return change(writes[object].find(who, found), given, draft.added)
    created(object, path ? createDeal(given, path) : writes[object].create(who, given))
    return { result: 'created', touched }
  }

  const created = (kind: Writable, { id, version }: { id: string; version: number }): void =>
    void touched.push({ object: kind, id, action: 'created', version, before: null })

  /** Returns the existing record for this row; undefined if there is none, or the row has no value to match by. */
  function matched({ given }: Draft): string | undefined {
    const ids = new Set((finding?.keys(given) ?? []).flatMap((key) => finding?.find(object, who.org, key) ?? []))
    if (ids.size > 1) throw ambiguousMatch([...ids])
    return [...ids][0]
  }

  /** Returns the body with references resolved to ids. Lookups that may create records come last, after validation. */
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

  /** Creates a deal, then moves or closes it to reach its stage. */
  function createDeal(given: Given, { pipeline_id, stage, reason_id }: StagePath): Stored {
    const { deal } = writes
    const made = deal.create(who, { ...given, ...(pipeline_id ? { pipeline_id } : {}) })
    if (reason_id) return deal.close!(who, made, { reason_id })
    return stage ? deal.patch(who, made, { stage }) : made
  }

  return { take, forget: look.forget }
}

/** Returns what a row contains about the stage of a deal. */
function placeOf({ links }: Draft): StageTexts {
  const text = (name: string) => links.get(name)?.texts[0]
  return {
    pipeline: text('pipeline_id'),
    stage: text('stage'),
    status: text('status'),
    reason: text('close_reason_id'),
  }
}

/** Returns the previous values of the fields that an update changed. */
export function changedFields(before: Stored, after: Stored, given: Given): Given {
  const changed = Object.keys(given).filter((name) => !same(before[name], after[name]))
  return Object.fromEntries(changed.map((name) => [name, previous(name, before[name] as Json, given[name])]))
}

/** A patch merges custom fields by key: to undo it, keys that did not exist before are set to null. */
function previous(name: string, before: Json, given: Json | undefined): Json {
  if (name !== 'custom_fields') return before
  const values = before as Given
  return Object.fromEntries(Object.keys(given as Given).map((key) => [key, values[key] ?? null]))
}

/** How rows find existing records: the values to look up, compared as the stores compare them. */
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

/**
 * Returns the texts in a list of texts, or the named member of each object; other values are left to the schema to
 * reject.
 */
function texts(list: Json | undefined, member?: string): string[] {
  if (!Array.isArray(list)) return []
  const found = list.map((item) => (member === undefined ? item : (item as Given | null)?.[member]))
  return found.filter((item) => typeof item === 'string')
}
