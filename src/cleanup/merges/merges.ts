import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import { anyStore } from '../../store/rows/record-store.ts'
import { duplicates } from './duplicates.ts'
import { changesOf, checkChoices, checkRoom, combine, type Fields, giveBack } from './fields.ts'
import { type Merge, mergeJournal } from './journal.ts'
import { mergedLinks } from './links.ts'
import { mergedLists } from './lists.ts'
import { type Mergeable, wholeRecords } from './mergeable.ts'
import { parents } from './parents.ts'
import { referringRecords } from './referring.ts'
import { type Left, type MergeObject, undoConflicts } from './undo-conflicts.ts'

/** Something that undoing a merge could not restore, and left unchanged. */
export type LeftBehind = Left & { object: string; id: string }

/**
 * Merges two contacts or two companies into one record, and undoes merges. Call `merge` and `undo` in a transaction.
 */
export function mergeStore(deps: Deps) {
  const { db } = deps
  const referring = referringRecords(deps)
  const [contacts, companies] = [contactStore(deps), companyStore(deps)]
  const kinds = {
    contact: kind('contact', anyStore({ ...contacts, remove: contacts.discard })),
    company: kind('company', anyStore({ ...companies, remove: companies.discard })),
  }
  const journal = mergeJournal(deps)
  const tree = parents(db)

  function kind(object: MergeObject, store: Mergeable) {
    const { custom, asOfNow, resolve } = undoConflicts(db, object)
    return {
      records: wholeRecords(deps, object, store, custom),
      links: mergedLinks(db, object, referring),
      lists: mergedLists(deps, object),
      asOfNow,
      resolve,
    }
  }

  /**
   * Merges a record into the kept one; see `combine` for the fields, `choices` and `own`. All references to the merged record,
   * including static lists, are moved to the kept one, and each referring record gets a new version and event. A kept
   * company that is below the merged one moves up to its place. The kept record has an `updated` event if it changes;
   * the merged one is deleted, with a `deleted` event.
   * Throws 404 for an unknown record, 422 if both are the same record, for an invalid choice (`/choices/0`), and if the
   * result has more values than a record may have.
   */
  function merge(
    who: Caller,
    object: MergeObject,
    keptId: string,
    mergedId: string,
    choices: readonly string[] = [],
    own: readonly string[] = [],
  ): Merge {
    const { records, links, lists } = kinds[object]
    const { kept, merged, fields } = combined(who, object, keptId, mergedId, choices, own)
    records.clearUnique(who.org, merged)
    records.save(who, kept, fields)
    const undo = {
      merged,
      changes: changesOf(kept, fields),
      moved: links.move(who, mergedId, keptId),
      lists: lists.move(who, mergedId, keptId),
    }
    records.remove(who, merged)
    return journal.add(who, { object, kept_id: keptId, merged_id: mergedId }, undo)
  }

  /** The kept record as a merge would leave it; nothing is written. Throws like `merge`. */
  function preview(
    who: Caller,
    object: MergeObject,
    keptId: string,
    mergedId: string,
    choices: readonly string[],
    own: readonly string[] = [],
  ) {
    const { fields } = combined(who, object, keptId, mergedId, choices, own)
    return kinds[object].records.present(who, fields)
  }

  function combined(
    who: Caller,
    object: MergeObject,
    keptId: string,
    mergedId: string,
    choices: readonly string[],
    own: readonly string[],
  ) {
    const { records } = kinds[object]
    const [kept, merged] = [records.find(who, keptId), records.find(who, mergedId)]
    if (keptId === mergedId) throw invalid(field('/merged_id', 'same_record', 'must not be the record that is kept'))
    checkChoices(kept, merged, choices, own)
    const fields = combine(kept, merged, choices, own)
    if (object === 'company') {
      const wanted = [fields, kept, merged].map(({ parent_company_id }) => parent_company_id)
      fields.parent_company_id = tree.ofBoth(who.org, [keptId, mergedId], wanted)
    }
    checkRoom(fields)
    records.checkRoom(who.org, fields)
    return { kept, merged, fields }
  }

  /**
   * Restores the merged record with its id, `created_at` and fields, the next version, and a `created` event, since
   * clients received a `deleted` event. References that still point to the kept record because of the merge are moved
   * back, and the fields of the kept record are reset unless they were changed since; see `giveBack`. `left` lists
   * everything else, which stays unchanged. If the kept record was deleted since, only the merged one is restored.
   * Throws 404, and 409: `undone_already`; `merged_further` if the kept record was itself merged into a third one;
   * `later_merge` if another record was merged into it since. `merge_id` is the merge to undo first.
   */
  function undo(who: Caller, id: string): { merge: Merge; left: LeftBehind[] } {
    const { object, kept_id, merged_id, undone_at } = journal.find(who, id)
    if (undone_at !== null) throw conflict('undone_already', `This merge was already undone at ${undone_at}.`)
    const { records, links, lists, asOfNow, resolve } = kinds[object]
    const kept = foundOrGone(() => records.find(who, kept_id))
    checkOrder(who.org, kept !== undefined, object, kept_id, id)
    const { merged, changes, moved, lists: wereIn } = journal.undoOf(who, id)
    const given = kept && giveBack(kept, asOfNow(who.org, changes))
    // The parent is set last: it may be the company that is being restored.
    const own = given && resolve(who.org, kept_id, { ...given.fields, ...parentOf(kept) }, kept)
    const restored = resolve(who.org, merged_id, merged, {}, own && { id: kept_id, fields: own.fields })

    const complete = records.restoreDeleted(who, restored.fields)
    const left: LeftBehind[] = [
      ...links.moveBack(who, moved, merged_id, kept_id),
      ...lists.moveBack(who, wereIn, merged_id, kept_id),
    ]
    const leave = (recordId: string, each: Left): unknown => left.push({ object, id: recordId, ...each })
    if (kept && given && own) {
      const above = resolveParent(who.org, kept_id, kept, parentOf(given.fields))
      records.save(who, kept, { ...own.fields, ...above.fields })
      for (const each of [...given.stay, ...own.left, ...above.left]) leave(kept_id, each)
    }
    complete()
    for (const each of restored.left) leave(merged_id, each)
    return { merge: journal.end(who, id), left }
  }

  function checkOrder(org: number, isThere: boolean, object: MergeObject, keptId: string, id: string): void {
    const further = isThere ? undefined : journal.awayOf(org, object, keptId)
    if (further) {
      const detail = `The ${object} ${keptId} was itself merged into another one. Undo the merge ${further} first.`
      throw conflict('merged_further', detail, { merge_id: further })
    }
    const last = isThere ? journal.lastInto(org, object, keptId) : id
    if (last === id) return
    const detail = `Another ${object} has since been merged into ${keptId}. Undo the merge ${last} first.`
    throw conflict('later_merge', detail, { merge_id: last })
  }

  function resolveParent(org: number, id: string, now: Fields, given: Fields): { fields: Fields; left: Left[] } {
    const { fields, left } = kinds.company.resolve(org, id, given, now)
    const parent = fields.parent_company_id as string | null | undefined
    if (!parent || !tree.isAtOrAbove(org, [id], parent)) return { fields, left }
    return { fields: parentOf(now), left: [...left, { field: 'parent_company_id', reason: 'cycle' }] }
  }

  return {
    merge,
    preview,
    undo,
    ofMerged: journal.ofMerged,
    find: journal.find,
    list: journal.list,
    duplicates: duplicates(db),
  }
}

/** Empty for a contact. */
const parentOf = ({ parent_company_id }: Fields): Fields =>
  parent_company_id === undefined ? {} : { parent_company_id }

function foundOrGone<Found>(find: () => Found): Found | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined
    throw error
  }
}
