import { dealStages } from '../../../crm/deals/deal-stages.ts'
import type { Deps } from '../../../deps.ts'
import { mailboxMoves } from '../../../inbox/conversations/mailbox-moves.ts'
import type { Caller } from '../../../lib/caller.ts'
import { field, invalid, Problem } from '../../../lib/problem.ts'
import { customValues } from '../../../records/custom-fields/values.ts'
import { missing } from '../../../store/rows/references.ts'
import { recordWrites } from '../records.ts'
import type { Change } from './journal.ts'
import { isListed, type Kind, OBJECTS } from './selection.ts'

/** Throws 422 for a change that no record of the kind can take. */
export function bulkChecks(deps: Deps): (who: Caller, kind: Kind, change: Change) => void {
  const { db, references } = deps
  const writes = recordWrites(deps)
  const stages = dealStages(db)
  const moves = mailboxMoves(deps)
  const custom = {
    deal: customValues(db, 'deal'),
    contact: customValues(db, 'contact'),
    company: customValues(db, 'company'),
  }
  const staticList = db.prepare("SELECT object FROM lists WHERE org_id = ? AND id = ? AND kind = 'static'").pluck()

  function check(who: Caller, kind: Kind, change: Change): void {
    const { patch, add_tag_ids = [], remove_tag_ids = [], list_id, from_list_id } = change
    const object = OBJECTS[kind]
    if (Object.keys(change).length === 0) throw invalid(field('', 'required', 'must have a change'))
    for (const only of ['delete', 'close', 'assign_by_load', 'mailbox_id'] as const)
      if (change[only] && Object.keys(change).length > 1)
        throw invalid(field(`/${only}`, 'contradiction', 'must be the only change'))
    if (change.close) checkClose(who, object, change.close.reason_id)
    if (change.assign_by_load && object !== 'conversation')
      throw invalid(field('/assign_by_load', 'not_supported', 'must be omitted: only conversations are given by load'))
    if (change.mailbox_id !== undefined) checkMailbox(who, object, change.mailbox_id)
    if (change.delete && object === 'conversation')
      throw invalid(field('/delete', 'not_supported', 'must be omitted: conversations are not deleted'))
    const lists = [list_id, from_list_id].filter((each) => each !== undefined)
    if (object === 'task' && add_tag_ids.length + remove_tag_ids.length > 0)
      throw invalid(field('', 'not_supported', 'must not have tags: tasks have none'))
    if (!isListed(object) && lists.length > 0)
      throw invalid(field('', 'not_supported', 'must not have lists: these records are in none'))
    for (const [name, id] of Object.entries({ to_list_id: list_id, from_list_id }))
      if (id !== undefined && staticList.get(who.org, id) !== object)
        throw invalid(field(`/${name}`, 'not_static', 'must be a static list of these records'))
    if (lists.length > 1) throw invalid(field('/from_list_id', 'contradiction', 'must not be given with to_list_id'))
    if (add_tag_ids.length > 0)
      below('/add_tag_ids', () => references.check(who.org, { tag_ids: add_tag_ids }), '/tag_ids')
    if (patch === undefined) return
    below('/patch', () => {
      writes[object].check(patch)
      references.check(who.org, patch)
      if (isListed(object) && patch.custom_fields !== undefined)
        custom[object].change(who.org, {}, patch.custom_fields as Record<string, unknown>)
      if (patch.stage !== undefined && !stages.isOpen(who.org, patch.stage as string)) throw invalid(missing('/stage'))
    })
  }

  function checkMailbox(who: Caller, object: string, mailbox: string): void {
    if (object !== 'conversation')
      throw invalid(field('/mailbox_id', 'not_supported', 'must be omitted: only conversations have a mailbox'))
    moves.checkMailbox(who, mailbox)
  }

  function checkClose({ org }: Caller, object: string, reason: string): void {
    if (object !== 'deal') throw invalid(field('/close', 'not_supported', 'must be omitted: only deals are closed'))
    if (!stages.outcomeOf(org, reason))
      throw invalid(
        field('/close/reason_id', 'reason_not_active', 'must be an active close reason of this organisation'),
      )
  }

  return check
}

/** Errors of a part of the body, at their place in it. */
function below(pointer: string, check: () => void, own = ''): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error
    throw invalid(...error.errors.map((each) => ({ ...each, pointer: pointer + each.pointer.slice(own.length) })))
  }
}
