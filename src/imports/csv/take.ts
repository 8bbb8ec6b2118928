import { recordLookups } from '../../crm/records/record-lookups.ts'
import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { toDomain } from '../../lib/domain.ts'
import { emailKey } from '../../lib/email.ts'
import { fold } from '../../lib/fold.ts'
import type { Json } from '../../lib/json.ts'
import { same } from '../../lib/merge.ts'
import { field, invalid, Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/driver.ts'
import type { Taken, Touched } from '../journal/journal.ts'
import type { AllWrites, Given, ImportObject, Writable } from '../writes.ts'
import { type Draft, joined, put } from './draft.ts'
import type { Fields, Kind } from './fields.ts'
import { leaveOut, type Removed } from './leave-out.ts'
import { ambiguousMatch, lookups, refusedAs } from './lookups.ts'
import type { Match } from './mapping.ts'
import { pipelineReader, type StagePath, type StageTexts } from './pipeline.ts'
import { isOmitted, type Rules } from './rules.ts'
import { twinFinder } from './twins.ts'

type Options = { object: ImportObject; match: Match | undefined; writes: AllWrites; fields: Fields; rules: Rules }

/** Called for a value that the record gets without, or in another form; `item` is one of several. */
export type OnOmit = (name: string, reason: string, item?: Json) => void

/** Imports drafts within the caller's transaction. */
export function taker(db: Database, who: Caller, { object, match, writes, fields, rules }: Options) {
  let touched: Touched[] = []
  const created = (kind: Writable, { id, version }: { id: string; version: number }): void =>
    void touched.push({ object: kind, id, action: 'created', version, before: null })
  const made = (kind: 'pipeline' | 'stage') => (pointer: string, given: Given) =>
    created(
      kind,
      refusedAs(pointer, `cannot become a ${kind}`, () => writes[kind].create(who, given)),
    )

  const find = recordLookups(db)
  const look = lookups(db, who, { writes, rules, onMade: created })
  const finding = match && matchers(find)[match]
  const twinsOf = twinFinder(find, who, object, writes[object])
  const makeStages = rules.makeStages ? { pipeline: made('pipeline'), stage: made('stage') } : undefined
  const stages = object === 'deal' ? pipelineReader(db, who.org, makeStages) : undefined

  /**
   * Imports a draft. Throws Problem 4xx if that is not possible. What the rules leave out of it is removed from the draft
   * first, and told to `onOmit`; a value that only the store refuses is left out by calling it again after a Problem.
   */
  function take(draft: Draft, onOmit: OnOmit): Taken {
    touched = []
    const found = finding ? matched(draft) : undefined
    const before = found === undefined ? undefined : writes[object].find(who, found)
    const path = stages && settled(draft, onOmit, () => pathFor(stages, draft, before))
    const given = linked(draft, before === undefined, onOmit)
    if (before) return change(before, given, draft, path)
    const twins = finding && finding.keys(draft.given).length === 0 ? twinsOf(given, draft) : []
    const twin = twins.find((each) => !isMoved(each, draft, path))
    if (twin) return change(twin, given, draft, undefined)
    const record = path ? createDeal(given, path) : writes[object].create(who, given)
    created(object, record)
    addNotes(record.id, draft)
    return { result: 'created', touched }
  }

  /** Whether a deal is not where a row says that it is. */
  function isMoved(deal: Stored, draft: Draft, path: StagePath | undefined): boolean {
    if (!stages || !path) return false
    try {
      return Object.keys(stages.changeOf(deal as never, path, placeOf(draft))).length > 0
    } catch (error) {
      if (error instanceof Problem) return true
      throw error
    }
  }

  /** Where a deal goes; for an existing one, only what changes. */
  function pathFor(reader: NonNullable<typeof stages>, draft: Draft, before: Stored | undefined): StagePath {
    const texts = placeOf(draft)
    const path = reader.pathOf(texts)
    return before ? reader.changeOf(before as never, path, texts) : path
  }

  /** Returns the existing record for this row; undefined if there is none, or the row has no value to match by. */
  function matched({ given }: Draft): string | undefined {
    const ids = new Set((finding?.keys(given) ?? []).flatMap((key) => finding?.find(object, who.org, key) ?? []))
    if (ids.size > 1) throw ambiguousMatch([...ids])
    return [...ids][0]
  }

  /** Leaves out of the draft what a Problem refuses; throws it if the rules do not say so. */
  function settle(draft: Draft, problem: unknown, onOmit: OnOmit): void {
    if (!(problem instanceof Problem)) throw problem
    const mayOmit = (name: string, code: string) => isOmitted(rules, fields[name]?.kind, code)
    const removed = leaveOut(draft, problem, mayOmit) ?? (rules.lenient ? withoutTaken(draft, problem) : undefined)
    if (!removed) throw problem
    for (const { name, message, item } of removed) onOmit(name, message, item)
  }

  /** Runs a job until the draft has nothing left that it refuses. The job writes nothing before it refuses. */
  function settled<T>(draft: Draft, onOmit: OnOmit, job: () => T): T {
    for (;;) {
      try {
        return job()
      } catch (problem) {
        settle(draft, problem, onOmit)
      }
    }
  }

  /**
   * Removes emails and domains that another record has, unless this is the same record, which has the same name. Returns
   * undefined then.
   */
  function withoutTaken(draft: Draft, { code, more }: Problem): Removed[] | undefined {
    const { given } = draft
    if (code !== 'duplicate' || object === 'deal' || typeof more?.duplicate_id !== 'string') return undefined
    const other = writes[object].find(who, more.duplicate_id)
    const own = object === 'company' ? given.name : [given.first_name, given.last_name].filter(Boolean).join(' ')
    if (fold(String(own ?? '')) === fold(other.name as string)) return undefined
    const name = object === 'company' ? 'domains' : 'emails'
    const { keys, find: holders } = matchers(find)[object === 'company' ? 'domain' : 'email']
    const errors = ((given[name] as Json[] | undefined) ?? []).flatMap((item, index) => {
      const [key] = keys({ [name]: [item] })
      const [holder] = key === undefined ? [] : holders(object, who.org, key)
      return holder ? [field(`/${name}/${index}`, 'duplicate', `is that of another ${object}, ${holder}`)] : []
    })
    return leaveOut(draft, invalid(...errors), () => true)
  }

  /** Returns the body with references resolved to ids. Lookups that may create records come last, after validation. */
  function linked(draft: Draft, isNew: boolean, onOmit: OnOmit): Given {
    const resolved = new Map<string, Json>()
    const body = (): Given => {
      const all = { ...draft.given }
      for (const [name, id] of resolved) if (draft.links.has(name)) put(all, name, id)
      return all
    }
    const each = (wanted: Kind, resolve: (pointer: string, texts: string[], name: string) => Json) => {
      for (const [name, { kind }] of [...draft.links]) {
        if (kind !== wanted) continue
        settled(draft, onOmit, () => {
          const texts = draft.links.get(name)?.texts
          if (texts) resolved.set(name, resolve(`/${name.replace('.', '/')}`, texts, name))
        })
      }
    }
    each('member', (pointer, [text = ''], name) => {
      if (name !== 'owner_id') return look.member(pointer, text)
      return look.owner(pointer, text, (reason) => onOmit(name, `${reason}; the record got the owner for unknown ones`))
    })
    settled(draft, onOmit, () => writes[object].check(body(), isNew))
    // HubSpot writes all associated records, with semicolons between them.
    const first = (text: string, name: string, find: (text: string) => string): string => {
      const [one = '', ...others] = text.split(/\s*;\s*/).filter(Boolean)
      const id = find(one)
      for (const other of others) onOmit(name, `takes the first ${fields[name]?.kind} only, and not "${other}"`)
      return id
    }
    each('company', (pointer, [text = ''], name) =>
      first(text, name, (one) => look.company(pointer, one, name !== 'parent_company_id')),
    )
    each('contact', (pointer, [text = ''], name) =>
      first(text, name, (one) => look.contact(pointer, one, body().company_id)),
    )
    each('tags', (pointer, texts) => look.tags(pointer, texts))
    return body()
  }

  function change(before: Stored, given: Given, draft: Draft, path: StagePath | undefined): Taken {
    for (const name of draft.added)
      if (given[name] !== undefined) given[name] = joined((before[name] ?? []) as Json[], given[name] as Json[])
    const { id } = before
    const { stage, reason_id } = path ?? {}
    const moved = writes[object].patch(who, before, stage ? { ...given, stage } : given)
    const after = reason_id ? (writes.deal.close?.(who, moved, { reason_id }) ?? moved) : moved
    if (after.version !== before.version) {
      const fields = stage || reason_id ? { ...given, stage: null } : given
      const previous = changedFields(before, after, fields)
      touched.push({ object, id, action: 'updated', version: after.version, before: previous })
    }
    const count = touched.length
    addNotes(id, draft)
    return { result: after.version === before.version && touched.length === count ? 'unchanged' : 'updated', touched }
  }

  /** Adds the notes that the record does not have yet. */
  function addNotes(id: string, { links }: Draft): void {
    for (const [name, { kind, texts }] of links) {
      if (kind !== 'note') continue
      for (const body of texts) {
        if (find.noteOf(object, who.org, id, body)) continue
        const given = { body, [`${object}_ids`]: [id] }
        created(
          'note',
          refusedAs(`/${name}`, 'cannot become a note', () => writes.note.create(who, given)),
        )
      }
    }
  }

  /** Creates a deal, then moves or closes it to reach its stage. */
  function createDeal(given: Given, { pipeline_id, stage, reason_id }: StagePath): Stored {
    const { deal } = writes
    const made = deal.create(who, { ...given, ...(pipeline_id ? { pipeline_id } : {}) })
    if (reason_id) return deal.close!(who, made, { reason_id })
    return stage ? deal.patch(who, made, { stage }) : made
  }

  function forget(): void {
    look.forget()
    stages?.forget()
  }

  return { take, settle, forget }
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
function matchers(look: ReturnType<typeof recordLookups>) {
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
      find: (object, org, key) => listed(look.ofExternalId(object, org, key)),
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
