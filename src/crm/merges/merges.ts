import type { Deps } from '../../deps.ts'
import { columns as conversationColumns } from '../../inbox/conversations/conversation.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { authorStore } from '../../inbox/messages/authors.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict, field, invalid, Problem } from '../../lib/problem.ts'
import { columns as meetingColumns, meetingStore } from '../../meetings/meetings.ts'
import { exported as transcriptColumns } from '../../meetings/transcript.ts'
import { transcriptStore } from '../../meetings/transcripts.ts'
import { enrollmentStore } from '../../sequences/enrollments/enrollments.ts'
import { companyStore } from '../companies/companies.ts'
import { contactStore } from '../contacts/contacts.ts'
import { dealStore } from '../deals/deals.ts'
import { columns as noteColumns, noteStore } from '../notes.ts'
import { columns as taskColumns, taskStore } from '../tasks.ts'
import { duplicates } from './duplicates.ts'
import { changesOf, checkChoices, checkRoom, combine, type Fields, giveBack } from './fields.ts'
import { type Merge, mergeJournal } from './journal.ts'
import { mergedLinks } from './links.ts'
import { mergedLists } from './lists.ts'
import { type Mergeable, wholeRecords } from './mergeable.ts'
import { parents } from './parents.ts'
import { type Left, type MergeObject, undoConflicts } from './undo-conflicts.ts'

/** What undoing a merge could not put back, and so left as it was. */
export type LeftBehind = Left & { object: string; id: string }

/**
 * Makes two contacts or two companies that are the same one record, and takes that back. What writes is for a
 * transaction of the caller's: it is all of it or nothing.
 */
export function mergeStore(deps: Deps) {
  const { db } = deps
  const [contacts, companies] = [contactStore(deps), companyStore(deps)]
  const transcripts = transcriptStore(deps)
  const referring = {
    contact: contacts,
    company: companies,
    deal: dealStore(deps),
    note: { ...noteStore(deps), columns: noteColumns },
    task: { ...taskStore(deps), columns: taskColumns },
    meeting: { ...meetingStore(deps), columns: meetingColumns, patch: meetingStore(deps).relink },
    transcript: { columns: transcriptColumns, find: transcripts.byId, patch: transcripts.relink },
    conversation: { ...conversationStore(deps), columns: conversationColumns },
    message: authorStore(deps),
    enrollment: { ...enrollmentStore(deps), patch: enrollmentStore(deps).relink },
  }
  const kinds = { contact: kind('contact', contacts), company: kind('company', companies) }
  const journal = mergeJournal(deps)
  const tree = parents(db)

  function kind(object: MergeObject, store: Mergeable) {
    const { custom, asOfNow, resolve } = undoConflicts(db, object)
    return {
      records: wholeRecords(deps, object, store, custom),
      links: mergedLinks(db, object, referring),
      lists: mergedLists(deps, object),
      asOfNow,
      settle: resolve,
    }
  }

  /**
   * Makes the kept record out of both; see `combine` for its fields, and for what `choices` do. All that refers to the
   * merged one refers to the kept one from then on, static lists included, each record with its own version and event;
   * a company takes the place of one that it stood below. Then the kept one has its `updated` event, where it changed,
   * and the merged one, which is no more, its `deleted` event.
   * Throws 404 for a record that is not there, 422 for one and the same, for a choice that is none (`/choices/0`), and
   * for more values than one record may have.
   */
  function merge(
    who: Caller,
    object: MergeObject,
    keptId: string,
    mergedId: string,
    choices: readonly string[] = [],
  ): Merge {
    const { records, links, lists } = kinds[object]
    const [kept, merged] = [records.find(who, keptId), records.find(who, mergedId)]
    if (keptId === mergedId) throw invalid(field('/merged_id', 'same_record', 'must not be the record that is kept'))
    checkChoices(merged, choices)
    const fields = combine(kept, merged, choices)
    if (object === 'company') {
      const wanted = [fields, kept, merged].map(({ parent_company_id }) => parent_company_id)
      fields.parent_company_id = tree.ofBoth(who.org, [keptId, mergedId], wanted)
    }
    checkRoom(fields)
    records.checkRoom(who.org, fields)
    records.bare(who.org, merged)
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

  /**
   * Brings the merged record back: under its id, with its `created_at` and its fields, the version after its last one,
   * and a `created` event, since its `deleted` event has told everybody that it was gone. What still refers to the kept
   * record because of the merge refers to the merged one again, and the kept one gets back the fields that nobody has
   * changed since; see `giveBack`. `left` names all else: it stays as it is. Where the kept record was deleted since,
   * the merged one comes back alone.
   * Throws 404, and 409: `undone_already`; `merged_further` where the kept record is part of a third one by now, and
   * `later_merge` where another one was merged into it since. Those have to be undone first: `merge_id` names the one.
   */
  function undo(who: Caller, id: string): { merge: Merge; left: LeftBehind[] } {
    const { object, kept_id, merged_id, undone_at } = journal.find(who, id)
    if (undone_at !== null) throw conflict('undone_already', `This merge was already undone at ${undone_at}.`)
    const { records, links, lists, asOfNow, settle } = kinds[object]
    const kept = foundOrGone(() => records.find(who, kept_id))
    checkOrder(who.org, kept !== undefined, object, kept_id, id)
    const { merged, changes, moved, lists: wereIn } = journal.undoOf(who, id)
    const given = kept && giveBack(kept, asOfNow(who.org, changes))
    // What it stands below comes last: that may be the company which is about to come back.
    const own = given && settle(who.org, kept_id, { ...given.fields, ...parentOf(kept) }, kept)
    const back = settle(who.org, merged_id, merged, {}, own && { id: kept_id, fields: own.fields })

    const complete = records.bringBack(who, back.fields)
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
    for (const each of back.left) leave(merged_id, each)
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
    const { fields, left } = kinds.company.settle(org, id, given, now)
    const parent = fields.parent_company_id as string | null | undefined
    if (!parent || !tree.isAtOrAbove(org, [id], parent)) return { fields, left }
    return { fields: parentOf(now), left: [...left, { field: 'parent_company_id', reason: 'cycle' }] }
  }

  return { merge, undo, find: journal.find, list: journal.list, duplicates: duplicates(db) }
}

/** Nothing, of a contact. */
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
