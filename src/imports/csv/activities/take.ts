import type { Caller } from '../../../lib/caller.ts'
import { UUID } from '../../../lib/id.ts'
import { cutBytes } from '../../../lib/mail/parse/text.ts'
import { conflict, type FieldError, field, invalid, Problem } from '../../../lib/problem.ts'
import { fold } from '../../../lib/pure/fold.ts'
import { ANY_SOURCE, externalIds } from '../../../records/external-ids.ts'
import { recordLookups } from '../../../records/record-lookups.ts'
import type { Stored } from '../../../store/rows/record-store.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import type { Taken, Touched } from '../../journal/journal.ts'
import type { ActivityObject, AllWrites, Given, History, Writable } from '../../writable.ts'
import type { Activity, Draft, Link } from '../cells/draft.ts'
import { changedFields } from '../changed.ts'
import type { Match } from '../columns/mapping.ts'
import type { Removed } from '../leave-out.ts'
import { leaveOut } from '../leave-out.ts'
import { lookups } from '../lookups.ts'
import { isOmitted, type Rules } from '../rules.ts'
import type { OnOmit } from '../take.ts'
import { LINKED, type LinkedField } from './fields.ts'
import { spellingsOfId } from './salesforce-ids.ts'

type Options = {
  match: Match | undefined
  /** The product that the file is from; empty if it is not known. */
  source: string
  importId: string
  writes: AllWrites
  rules: Rules
}

const MEMBERS = Object.keys(LINKED) as LinkedField[]

/** Imports notes and tasks within the caller's transaction; the same row never becomes a second one. */
export function activityTaker(db: Database, who: Caller, { match, source, importId, writes, rules }: Options) {
  let touched: Touched[] = []
  const created = (kind: Writable, { id, version }: { id: string; version: number }): void =>
    void touched.push({ object: kind, id, action: 'created', version, before: null })
  const find = recordLookups(db)
  const ids = externalIds(db)
  const look = lookups(db, who, { writes, rules, ids, source, onMade: created })

  function take(draft: Draft, onOmit: OnOmit): Taken {
    touched = []
    const { activity, key } = draft
    if (!activity) throw new Error('The row is no note and no task')
    const { object } = activity
    const externalId = key?.id ?? key?.hash ?? ''
    const own = ownOf(object, externalId)
    const before = own ?? heldBy(object, externalId, draft)
    if (before && match === undefined) return { result: 'unchanged', touched }
    const given = linked(draft, onOmit)
    const { author, ...history } = historyOf(draft, activity)
    const whole = object === 'note' && !own ? { ...given, body: withHead(activity, author, String(given.body)) } : given
    const known = before ?? (object === 'note' ? noteAlike(given, activity.bare) : undefined)
    const taken = known ? change(object, known, whole, history) : make(object, whole, history)
    if (!own) ids.claim(who.org, object, externalId, source, taken.id, importId)
    return { result: taken.result, touched }
  }

  /** Our own export has our ids. */
  function ownOf(object: ActivityObject, id: string): Stored | undefined {
    return UUID.test(id) && ids.now(who.org, object, id) !== undefined ? writes[object].find(who, id) : undefined
  }

  type Done = { id: string; result: Taken['result'] }

  function make(object: ActivityObject, given: Given, history: History): Done {
    const { createAs } = writes[object]
    const record = createAs ? createAs(who, given, history) : writes[object].create(who, given)
    created(object, record)
    return { id: record.id, result: 'created' }
  }

  /** Links are added, since some were made here; what is done or canceled here is not opened again. */
  function change(object: ActivityObject, before: Stored, given: Given, history: History): Done {
    const rest: Given = { ...given }
    for (const member of MEMBERS)
      if (rest[member] !== undefined)
        rest[member] = [...new Set([...(before[member] as string[]), ...(rest[member] as string[])])]
    if (before.status !== undefined && before.status !== 'open') delete rest.status
    const { patchAs } = writes[object]
    const after = patchAs ? patchAs(who, before, rest, history) : writes[object].patch(who, before, rest)
    const { id, version } = after
    if (version === before.version) return { id, result: touched.length > 0 ? 'updated' : 'unchanged' }
    touched.push({ object, id, action: 'updated', version, before: changedFields(before, after, rest) })
    return { id, result: 'updated' }
  }

  /** Returns the record that came in with this id. Throws 409 if that is another one of a product that is not known. */
  function heldBy(object: ActivityObject, externalId: string, draft: Draft): Stored | undefined {
    const all = ids.claimsNow(who.org, object, externalId)
    const own = all.filter((each) => each.source === source)
    const [held] = own.length > 0 ? own : all.filter((each) => [each.source, source].includes(ANY_SOURCE))
    if (held === undefined) return undefined
    const record = writes[object].find(who, held.id)
    const isSure = draft.key?.hash !== undefined || (own.length > 0 && source !== ANY_SOURCE)
    if (isSure || isAlike(draft, record)) return record
    if (own.length === 0) return undefined // that of another product
    throw conflict(
      'other_record',
      `The id "${externalId}" is that of another ${object}, ${held.id}, with another title and text. If the file is from another product, name that with --source.`,
    )
  }

  /** A text that came in with its contact, company or deal is the same note. */
  function noteAlike(given: Given, body: string): Stored | undefined {
    for (const member of MEMBERS)
      for (const id of (given[member] ?? []) as string[]) {
        const found = find.noteOf(LINKED[member], who.org, id, body)
        if (found !== undefined && !ids.isClaimed(who.org, found)) return writes.note.find(who, found)
      }
    return undefined
  }

  function historyOf(draft: Draft, { completed_at }: Activity): History & { author?: string | undefined } {
    const name = draft.links.get('author')?.texts[0]
    if (name === undefined) return { completed_at }
    try {
      return { completed_at, author_id: look.member('/author', name) }
    } catch (error) {
      if (error instanceof Problem) return { completed_at, author: name } // who has left is named in the text
      throw error
    }
  }

  function linked(draft: Draft, onOmit: OnOmit): Given {
    const given: Given = { ...draft.given }
    const owner = draft.links.get('owner_id')
    if (owner)
      given.owner_id = look.owner('/owner_id', owner.texts[0] ?? '', (reason) =>
        onOmit('owner_id', `${reason}; the task got the owner for unknown ones`),
      )
    const errors: FieldError[] = []
    const companies: string[] = []
    for (const member of ['company_ids', 'contact_ids', 'deal_ids'] as const) {
      const link = draft.links.get(member)
      if (!link) continue
      const found = recordsOf(member, link, companies[0], onOmit, errors)
      if (found.length > 0) given[member] = found
      if (member === 'company_ids') companies.push(...found)
    }
    for (const text of draft.links.get('record_names')?.texts ?? []) {
      const [member, id] = anyNamed(text) ?? []
      if (member) given[member] = [...new Set([...((given[member] ?? []) as string[]), id as string])]
      else
        leave('record_names', text, errorOf('record_names', 'record', text).errors?.[0] as FieldError, onOmit, errors)
    }
    if (errors.length > 0) throw invalid(...errors)
    return given
  }

  /** Names count where no id leads to a record. What is not found is left out, or an error. */
  function recordsOf(
    member: LinkedField,
    { ids: wanted = [], texts }: Link,
    company: string | undefined,
    onOmit: OnOmit,
    errors: FieldError[],
  ): string[] {
    const object = LINKED[member]
    const refused: { item: string; error: FieldError }[] = []
    const each = (items: readonly string[], findOne: (text: string) => string): string[] =>
      items.flatMap((item) => {
        try {
          return findOne(item)
        } catch (problem) {
          const [error] = problem instanceof Problem ? (problem.errors ?? []) : []
          if (!error) throw problem
          refused.push({ item, error })
          return []
        }
      })
    const ofIds = each(wanted, (id) => ofId(member, object, id))
    const isNamed = ofIds.length === 0 && texts.length > 0
    if (isNamed) refused.length = 0 // the names are those of the same records
    const found = isNamed ? each(texts, (text) => ofName(member, text, company)) : ofIds
    for (const { item, error } of refused) leave(member, item, error, onOmit, errors, object)
    return [...new Set(found)]
  }

  function leave(
    name: string,
    item: string,
    error: FieldError,
    onOmit: OnOmit,
    errors: FieldError[],
    kind?: 'contact' | 'company' | 'deal',
  ): void {
    if (isOmitted(rules, kind, error.code)) onOmit(name, error.message.replace(`: "${item}"`, ''), item)
    else errors.push(error)
  }

  /** A name that only one of a company, a contact and a deal has. */
  function anyNamed(text: string): [LinkedField, string] | undefined {
    const found = MEMBERS.flatMap((member): [LinkedField, string][] => {
      try {
        if (member === 'company_ids') return [[member, look.company(`/${member}`, text, false)]]
        if (member === 'contact_ids') return [[member, look.contact(`/${member}`, text, null, false)]]
        const deal = look.deal(`/${member}`, text)
        return deal === undefined ? [] : [[member, deal]]
      } catch (error) {
        if (error instanceof Problem) return []
        throw error
      }
    })
    return found.length === 1 ? found[0] : undefined
  }

  function ofId(member: LinkedField, object: (typeof LINKED)[LinkedField], id: string): string {
    for (const spelling of spellingsOfId(id)) {
      const found = look.ofId(`/${member}`, object, spelling)
      if (found !== undefined) return found
    }
    return notFound(member, object, id)
  }

  function ofName(member: LinkedField, text: string, company: string | undefined): string {
    if (member === 'company_ids') return look.company(`/${member}`, text, rules.unknownCompanies === 'make')
    if (member === 'contact_ids') return look.contact(`/${member}`, text, company ?? null, true)
    return look.deal(`/${member}`, text) ?? notFound(member, 'deal', text)
  }

  /** Leaves out of the draft what a Problem refuses; throws it if the rules do not say so. */
  function settle(draft: Draft, problem: unknown, onOmit: OnOmit): void {
    if (!(problem instanceof Problem)) throw problem
    const cut = rules.lenient ? cutText(draft, problem) : undefined
    const removed = cut ?? leaveOut(draft, problem, (_, code) => isOmitted(rules, undefined, code))
    if (!removed) throw problem
    for (const { name, message, item } of removed) onOmit(name, message, item)
  }

  return { take, settle, forget: look.forget }
}

const errorOf = (member: string, object: string, text: string): Problem =>
  invalid(field(`/${member}`, 'reference_not_found', `does not match any ${object} of this organisation: "${text}"`))

const notFound = (member: LinkedField, object: string, text: string): never => {
  throw errorOf(member, object, text)
}

const isAlike = ({ given, activity }: Draft, record: Stored): boolean =>
  (typeof given.title === 'string' && fold(given.title) === fold(String(record.title ?? ''))) ||
  (activity !== undefined && activity.bare !== '' && String(record.body ?? '').includes(activity.bare))

/** When a note was written elsewhere, and by whom if it is no member: no field has these. */
function withHead({ when }: Activity, author: string | undefined, body: string): string {
  const head = [when, author].filter((text) => text !== undefined).join(', ')
  return head === '' ? body : `${head}\n\n${body}`
}

const MAX_BYTES = { note: 262_144, task: 65_536 } as const
/** For the lines above the text of a note. */
const ROOM = 1024

/** Cuts a text that is too long, as those of mails are. Returns undefined if that is not what is wrong. */
function cutText({ given, activity }: Draft, { errors = [] }: Problem): Removed[] | undefined {
  const error = errors.find(({ pointer, code }) => pointer === '/body' && code === 'too_long')
  if (!error || errors.length > 1 || !activity || typeof given.body !== 'string') return undefined
  given.body = cutBytes(given.body, MAX_BYTES[activity.object] - ROOM)
  return [{ name: 'body', message: `${error.message}; the rest is left out` }]
}
