import type { Caller } from '../../lib/caller.ts'
import type { Json } from '../../lib/json.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import { isNoValue } from '../../lib/written/no-value.ts'
import type { Deal } from '../../records/deal.ts'
import { ANY_SOURCE, externalIds } from '../../records/external-ids.ts'
import { recordLookups } from '../../records/record-lookups.ts'
import { countryOf } from '../../store/orgs/orgs.ts'
import type { Stored } from '../../store/rows/record-store.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { Taken, Touched } from '../journal/journal.ts'
import type { AllWrites, Flags, Given, RecordObject, Writable } from '../writable.ts'
import type { Draft, Link } from './cells/draft.ts'
import { joined, put } from './cells/draft-values.ts'
import { asStored, changedFields, withoutFormerPlace } from './changed.ts'
import type { Fields, Kind } from './columns/field.ts'
import type { Match } from './columns/mapping.ts'
import { leaveOut, type Removed } from './leave-out.ts'
import { lookups, refusedAs } from './lookups.ts'
import { type Found, idOf, nameIn, recordFinder } from './match.ts'
import { fieldOwner } from './own-fields.ts'
import { pipelineReader, type StagePath, type StageTexts } from './pipeline.ts'
import { isOmitted, type Rules } from './rules.ts'
import { twinFinder } from './twins.ts'

type Options = {
  object: RecordObject
  match: Match | undefined
  /** The product that the file is from; empty if it is not known. */
  source: string
  importId: string
  writes: AllWrites
  fields: Fields
  rules: Rules
}

/** Called for a value that the record gets without, or in another form; `item` is one of several. */
export type OnOmit = (name: string, reason: string, item?: Json) => void

/** Imports drafts within the caller's transaction. */
export function taker(db: Database, who: Caller, options: Options) {
  const { object, match, source, importId, writes, fields, rules } = options
  let touched: Touched[] = []
  let isNew = true
  const created = (kind: Writable, { id, version }: { id: string; version: number }): void =>
    void touched.push({ object: kind, id, action: 'created', version, before: null })
  const made = (kind: 'pipeline' | 'stage') => (pointer: string, given: Given) =>
    created(
      kind,
      refusedAs(pointer, `cannot become a ${kind}`, () => writes[kind].create(who, given)),
    )

  const find = recordLookups(db)
  const country = countryOf(db)(who.org)
  const ids = externalIds(db)
  const look = lookups(db, who, { writes, rules, ids, source, onMade: created })
  const finding = recordFinder(who, { object, match, source, find, ids, writes, country })
  const owner = fieldOwner(who, { object, match, source, ids, country })
  const twinsOf = twinFinder(find, who, object, writes[object], country)
  const make = rules.makeStages ? { pipeline: made('pipeline'), stage: made('stage') } : undefined
  const stages = object === 'deal' ? pipelineReader(db, who.org, { make, stagesAs: rules.stagesAs }) : undefined

  /**
   * Imports a draft. Throws Problem 4xx if that is not possible. What the rules leave out of it is removed from the draft
   * first, and told to `onOmit`; a value that only the store refuses is left out by calling it again after a Problem.
   */
  function take(draft: Draft, onOmit: OnOmit): Taken {
    touched = []
    const found = finding.found(draft.given)
    const before = found?.record
    isNew = before === undefined
    if (before) owner.dropKept(draft, before)
    const path = stages && settled(draft, onOmit, () => pathFor(stages, draft, before))
    if (path?.remark !== undefined) onOmit('stage', path.remark)
    const given = linked(draft, before === undefined, onOmit)
    const key = idOf(given)
    if (found && before)
      return claimed(key, found, change(before, owner.ownFields(before, given, draft.added), draft, path))
    const twins = match !== undefined && finding.keysOf(draft.given).length === 0 ? twinsOf(given, draft) : []
    const twin = twins.find((each) => !isMoved(each, draft, path))
    if (twin) return change(twin, given, draft, undefined)
    const flags = flagsFor(key, draft)
    const record = path ? createDeal(given, path, flags) : writes[object].create(who, given, flags)
    created(object, record)
    addNotes(record.id, draft)
    return claimed(key, { record }, { result: 'created', touched })
  }

  /** Throws 409 for a new record with an id that another one has. One of another product may have the same. */
  function flagsFor(key: string | undefined, { isShared = false }: Draft): Flags {
    const isKnown = key !== undefined && source !== ANY_SOURCE
    const [other] = isKnown ? ids.find(who.org, object, key, source) : []
    if (other !== undefined)
      throw conflict('duplicate', `Another ${object}, ${other.id}, has the external_id "${key}".`, {
        duplicate_id: other.id,
      })
    return { ...(isKnown ? { other_product: true } : {}), ...(isShared ? { allow_duplicate: true } : {}) }
  }

  /** Keeps of which product the id of a row is, and that a record with another id has this one, too. */
  function claimed(key: string | undefined, { record, as }: Found, taken: Taken): Taken {
    const isKnown = as !== undefined || record.external_id === null || record.external_id === key
    if (key !== undefined && (source !== ANY_SOURCE || !isKnown))
      ids.claim(who.org, object, key, source, as ?? record.id, importId)
    return taken
  }

  /** Whether a deal is not where a row says that it is. */
  function isMoved(deal: Stored, draft: Draft, path: StagePath | undefined): boolean {
    if (!stages || !path) return false
    try {
      return Object.keys(stages.changeOf(deal as Deal, path, placeOf(draft))).length > 0
    } catch (error) {
      if (error instanceof Problem) return true
      throw error
    }
  }

  /** Where a deal goes; for an existing one, only what changes. */
  function pathFor(reader: NonNullable<typeof stages>, draft: Draft, before: Stored | undefined): StagePath {
    const texts = placeOf(draft)
    const path = reader.pathOf(texts)
    return before ? reader.changeOf(before as Deal, path, texts) : path
  }

  /** Leaves out of the draft what a Problem refuses; throws it if the rules do not say so. */
  function settle(draft: Draft, problem: unknown, onOmit: OnOmit): void {
    if (!(problem instanceof Problem)) throw problem
    const saysNothing = (name: string) => isNoValue(draft.links.get(name)?.texts[0] ?? 'x')
    const mayOmit = (name: string, code: string) =>
      isOmitted(rules, fields[name]?.kind, code) ||
      (['reference_not_found', 'ambiguous'].includes(code) && saysNothing(name))
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
   * Removes emails and domains that another record has, unless this is the same record, which has the same name. What has
   * no other one is not made without it, since nobody would see that there are two: a contact shares its email with the
   * other one, and a company is refused. Returns undefined then.
   */
  function withoutTaken(draft: Draft, { code, more }: Problem): Removed[] | undefined {
    const { given } = draft
    if (code !== 'duplicate' || object === 'deal' || typeof more?.duplicate_id !== 'string') return undefined
    const other = writes[object].find(who, more.duplicate_id)
    if (fold(nameIn(given)) === fold(nameIn(other)) || draft.isShared) return undefined
    const name = object === 'company' ? 'domains' : 'emails'
    const all = (given[name] ?? []) as Json[]
    const taken = all.flatMap((item, index) => {
      const holder = finding.holderOf(name, item)
      return holder ? [{ index, item, holder }] : []
    })
    const isAll = taken.length === all.length
    if (taken.length === 0 || (isNew && isAll && (object === 'company' || nameIn(given) === ''))) return undefined
    if (isNew && isAll) {
      draft.isShared = true
      return taken.map(({ item, holder }) => ({ name, item, message: `is also that of another contact, ${holder}` }))
    }
    const errors = taken.map(({ index, holder }) =>
      field(`/${name}/${index}`, 'duplicate', `is that of another ${object}, ${holder}`),
    )
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
    const each = (wanted: Kind, resolve: (pointer: string, link: Link, name: string) => Json) => {
      for (const [name, { kind }] of [...draft.links]) {
        if (kind !== wanted) continue
        settled(draft, onOmit, () => {
          const link = draft.links.get(name)
          if (link) resolved.set(name, resolve(`/${name.replace('.', '/')}`, link, name))
        })
      }
    }
    each('member', (pointer, { texts: [text = ''] }, name) => {
      if (name !== 'owner_id') return look.member(pointer, text)
      return look.owner(pointer, text, (reason) => onOmit(name, `${reason}; the record got the owner for unknown ones`))
    })
    settled(draft, onOmit, () => writes[object].check(body(), isNew))
    // HubSpot writes all associated records, with semicolons between them. Their ids come before their names.
    const one = (
      object: 'company' | 'contact',
      pointer: string,
      { texts: [text = ''], ids = [] }: Link,
      name: string,
      find: (text: string) => string,
    ): string => {
      const names = text.split(/\s*;\s*/).filter(Boolean)
      const ofId = look.firstOf(pointer, object, ids, names.length === 0)
      const id = ofId ?? find(names[0] ?? '')
      for (const other of (ids.length > names.length ? ids : names).slice(1))
        onOmit(name, `takes the first ${object} only, and not "${other}"`)
      return id
    }
    each('company', (pointer, link, name) =>
      one('company', pointer, link, name, (text) =>
        look.company(pointer, text, name !== 'parent_company_id' && !isNoValue(text)),
      ),
    )
    each('contact', (pointer, link, name) =>
      one('contact', pointer, link, name, (text) => look.contact(pointer, text, body().company_id, !isNoValue(text))),
    )
    each('tags', (pointer, link, name) => {
      const texts = link.isDivided ? link.texts : look.tagsIn(pointer, link.texts)
      draft.links.set(name, { ...link, texts, isDivided: true }) // a name may contain a separator
      return look.tags(pointer, texts)
    })
    return body()
  }

  function change(before: Stored, given: Given, draft: Draft, path: StagePath | undefined): Taken {
    for (const name of draft.added)
      if (given[name] !== undefined)
        given[name] = joined((before[name] ?? []) as Json[], given[name] as Json[], country)
    const { id } = before
    const { stage, reason_id } = path ?? {}
    const flags = given.external_id === undefined || source === ANY_SOURCE ? {} : { other_product: true }
    const wanted = withoutFormerPlace(before, asStored(before as Json, given))
    const moved = writes[object].patch(who, before, stage ? { ...wanted, stage } : wanted, flags)
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
  function createDeal(given: Given, { pipeline_id, stage, reason_id }: StagePath, flags: Flags): Stored {
    const { deal } = writes
    const made = deal.create(who, { ...given, ...(pipeline_id ? { pipeline_id } : {}) }, flags)
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
