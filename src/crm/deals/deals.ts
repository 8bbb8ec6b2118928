import type * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { RecordedEvent } from '../../events/outbox.ts'
import { membership } from '../../filters/membership.ts'
import { changeRoute, type Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { timeOfId } from '../../lib/id.ts'
import { change } from '../../lib/merge.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import { rfc3339 } from '../../lib/time.ts'
import { wordsOf } from '../../lib/words.ts'
import { CustomFieldsGiven, customValues } from '../../records/custom-fields/values.ts'
import { Deal, dealRecord } from '../../records/deal.ts'
import { externalIds, type IdFlags } from '../../records/external-ids.ts'
import { recordRows } from '../../records/record-rows.ts'
import { unlinking } from '../../records/unlink.ts'
import { listing } from '../../store/list/page.ts'
import { searchFilter } from '../../store/list/search.ts'
import * as c from '../../store/rows/columns.ts'
import { finder } from '../../store/rows/find.ts'
import { nextRow } from '../../store/rows/versions.ts'
import { ownerWord } from '../../store/search/search.ts'
import { binWriter } from '../binned.ts'
import { listChanges } from '../list-changes.ts'
import { dealStages } from './deal-stages.ts'

// 1. The wire form. Its fields are declared in records/deal.ts.

const DealPatch = f.patchOf({
  ...dealRecord.given,
  custom_fields: CustomFieldsGiven,
  stage: f.doc(f.id, 'An open stage. A closed deal stays in its stage: 409 `deal_closed`.'),
})
type DealPatch = v.InferOutput<typeof DealPatch>

const DealCreate = f.object({
  ...f.patchOf({ ...dealRecord.given, custom_fields: CustomFieldsGiven }).entries,
  title: dealRecord.given.title,
  pipeline_id: f.optional(
    f.doc(
      f.id,
      'Pipeline of the deal; the default one if omitted. Without a default pipeline, 409 `no_default_pipeline`.',
    ),
  ),
})
type DealCreate = v.InferOutput<typeof DealCreate>

const DealClose = f.object({ reason_id: f.doc(f.id, 'An active close reason of `GET /close-reasons`.') })
type DealClose = v.InferOutput<typeof DealClose>

const { sorts } = dealRecord
const filters = { ...dealRecord.filters, q: searchFilter('deal', 'the title') }

// 2. The row.

export const columns = c.columns<Deal>(dealRecord.columns, { title_key: (deal) => fold(deal.title) })

/** A change of the stage that is taken back: the deal as it was after it, and the times that come back. */
export type Back = { undone: Deal; times: Partial<Pick<Deal, 'stage_changed_at' | 'closed_at'>> }

// 3. The statements and the rules.

export const dealStore = once((deps: Deps) => {
  const { db, clock, announce, references, clearReferences } = deps
  const bin = binWriter(deps)
  const lists = listChanges(deps).of('deal')
  const offered = { ...filters, list_id: membership(deps, 'deal').filter }
  const { list, render, count } = listing(db, { table: 'deals', columns, filters: offered, sorts })
  const custom = customValues(db, 'deal')
  const { restore, write, wordsAfter, erase } = recordRows<Deal>(db, {
    object: 'deal',
    columns,
    custom,
    linked: { deal_tags: ['tag_id', ({ tag_ids }) => tag_ids] },
    wordsIn: (_, { title, owner_id }) => [...wordsOf([title]), ...(owner_id === null ? [] : [ownerWord(owner_id)])],
    searched: ['title', 'owner_id'],
  })
  const find = finder(db, 'deals', columns)
  const ids = externalIds(db)
  const stages = dealStages(db)
  const clearContact = unlinking(db, 'deals', columns, 'primary_contact_id', (who, deal) =>
    patch(who, deal, { primary_contact_id: null }),
  )
  const clearCompany = unlinking(db, 'deals', columns, 'company_id', (who, deal) =>
    patch(who, deal, { company_id: null }),
  )

  function create(who: Caller, given: DealCreate, flags: IdFlags = {}): Deal {
    return add(who, draft(who, given, flags))
  }

  /** Returns the new deal without writing it. Throws like `create`. */
  function draft(who: Caller, { pipeline_id, ...given }: DealCreate, flags: IdFlags = {}): Deal {
    references.check(who.org, given)
    const custom_fields = custom.start(who.org, given.custom_fields)
    const stage = stages.starting(who.org, pipeline_id)
    const id = clock.id()
    checkExternalId(who, id, given.external_id, flags)
    const now = rfc3339(timeOfId(id))
    return {
      ...dealRecord.blank,
      ...given,
      id,
      stage,
      status: 'open',
      stage_changed_at: now,
      custom_fields,
      created_at: now,
      updated_at: now,
      version: 1,
    }
  }

  function add(who: Caller, deal: Deal): Deal {
    restore(who.org, deal)
    announce(who, 'deal.created', deal)
    return deal
  }

  const patch = (who: Caller, before: Deal, given: DealPatch, flags?: IdFlags): Deal =>
    changed(who, before, given, flags)

  function changed(who: Caller, before: Deal, given: DealPatch, flags: IdFlags = {}, back?: Back): Deal {
    const custom_fields = custom.change(who.org, before.custom_fields, given.custom_fields)
    const { after, changed: names } = change(before, { ...given, custom_fields })
    if (names.length === 0) return before
    references.check(who.org, Object.fromEntries(names.map((name) => [name, after[name]])))
    const moved = names.includes('stage')
    if (moved && !stages.isOpen(who.org, after.stage)) {
      throw invalid(field('/stage', 'stage_not_open', 'must be an open stage of this organisation'))
    }
    if (names.includes('external_id')) checkExternalId(who, after.id, after.external_id, flags)
    if (moved && before.status !== 'open') throw dealClosed()
    return save(who, before, after, moved ? 'deal.stage_changed' : 'deal.updated', back)
  }

  /** Throws 409 if another deal has the external id. */
  function checkExternalId(
    { org }: Caller,
    id: string,
    externalId: Deal['external_id'] | undefined,
    flags: IdFlags,
  ): void {
    const other = externalId && !flags.other_product ? ids.otherWith(org, 'deal', externalId, id) : undefined
    if (!other) return
    throw conflict('duplicate', `Another deal, ${other}, has the external_id "${externalId}".`, { duplicate_id: other })
  }

  function close(who: Caller, before: Deal, given: DealClose, back?: Back): Deal {
    return save(who, before, { ...closed(who, before, given), ...back?.times }, 'deal.closed', back)
  }

  /** Returns the closed deal without writing it. Throws like `close`. */
  function closed(who: Caller, before: Deal, { reason_id }: DealClose): Deal {
    const outcome = stages.outcomeOf(who.org, reason_id)
    if (!outcome) {
      throw invalid(field('/reason_id', 'reason_not_active', 'must be an active close reason of this organisation'))
    }
    if (before.status !== 'open') throw dealClosed()
    return {
      ...before,
      stage: stages.closing(who.org, before.stage, outcome),
      status: outcome,
      close_reason_id: reason_id,
      closed_at: rfc3339(clock.now()),
    }
  }

  function save(
    who: Caller,
    before: Deal,
    given: Deal,
    event: 'deal.updated' | 'deal.stage_changed' | 'deal.closed',
    back?: Back,
  ): Deal {
    const after = nextRow(clock, given)
    const isMoved = after.stage !== before.stage
    if (isMoved) after.stage_changed_at = back?.times.stage_changed_at ?? after.updated_at
    write(who.org, before, after)
    if (isMoved && !(back && stages.forgetMove(who.org, back.undone))) stages.recordMove(who, after, before.stage)
    announce(who, event, after, before)
    return after
  }

  /** Reopens a closed deal in an open stage of its pipeline: only to undo that it was closed. */
  function reopen(who: Caller, before: Deal, stage: string, back?: Back): Deal {
    if (!stages.isOpen(who.org, stage)) {
      throw invalid(field('/stage', 'stage_not_open', 'must be an open stage of this organisation'))
    }
    const after: Deal = { ...before, stage, status: 'open', close_reason_id: null, closed_at: null }
    return save(who, before, after, 'deal.stage_changed', back)
  }

  /** A patch that takes a change back. Throws like `patch`. */
  const takeBack = (who: Caller, before: Deal, given: DealPatch, back: Back): Deal =>
    changed(who, before, given, {}, back)

  /** For the screens: the API cannot delete deals. Clears the references to it. */
  function remove(who: Caller, deal: Deal): void {
    const keep = bin.keeping(who, 'deal', deal)
    clearReferences(who, 'deal', deal.id)
    keep(discard(who, deal))
  }

  /** Deletes a deal, as when its import is undone. Nothing may refer to it. */
  function discard(who: Caller, deal: Deal): RecordedEvent {
    lists.leaveAll(who, deal.id)
    erase(who.org, deal.id)
    return announce(who, 'deal.deleted', deal)
  }

  return {
    Create: DealCreate,
    Patch: DealPatch,
    Close: DealClose,
    columns,
    filters: offered,
    custom: custom.offers,
    list,
    render,
    count,
    find,
    create,
    patch,
    close,
    draft,
    closed,
    add,
    restore,
    wordsAfter,
    discard,
    write,
    reopen,
    takeBack,
    removeForScreens: remove,
    clearContact,
    clearCompany,
  }
})

const dealClosed = () => conflict('deal_closed', 'This deal is closed, so its stage cannot change any more.')

// 4. The routes.

export const deals = (deps: Deps): Route[] => {
  const store = dealStore(deps)
  return [
    ...standardRoutes({ path: '/deals', scope: 'rest.crm.deals', name: 'deal', Shape: Deal, sorts, ...store }),
    changeRoute({
      method: 'post',
      path: '/deals/:id/close',
      scope: 'rest.crm.deals.write',
      name: 'deal',
      summary: 'Close a deal as won or lost',
      description:
        'Moves the deal to the won or lost stage of its pipeline, depending on the outcome of the reason. A closed deal is 409 `deal_closed`.',
      find: store.find,
      columns,
      body: store.Close,
      returns: Deal,
      status: 200,
      run: ({ who, record, body }) => store.close(who, record, body),
    }),
  ]
}
