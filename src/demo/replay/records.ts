import { resourceDeps } from '../../app/deps.ts'
import { companyStore } from '../../crm/companies.ts'
import { contactStore } from '../../crm/contacts.ts'
import { dealStore } from '../../crm/deals/deals.ts'
import { listStore } from '../../crm/lists/lists.ts'
import { columns as memberColumns } from '../../crm/members/members.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { noteStore } from '../../crm/notes.ts'
import { dealChoices } from '../../crm/stages/deal-choices.ts'
import { tagStore } from '../../crm/tags.ts'
import { type Task, taskStore } from '../../crm/tasks.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { conflict } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { customFieldStore } from '../../records/custom-fields/custom-fields.ts'
import type { Deal } from '../../records/deal.ts'
import type { CommandStore } from '../../store/open.ts'
import { rows } from '../../store/rows/rows.ts'
import type { Step } from '../story/steps.ts'
import { conversationReplayer } from './conversations.ts'
import { dueOf } from './due.ts'
import { enrollmentReplayer } from './enrollments.ts'
import { retireSequence, setSequences } from './sequences.ts'
import { setService } from './settings.ts'

/** Steps that change a deal; the others create records. */
type Changing = 'move' | 'close' | 'change'
type Making = Exclude<Step['do'], Changing>
type Of<Do extends Step['do']> = Extract<Step, { do: Do }>

/**
 * Replays a story step by step through the stores of the resources. `stepByStep`: every change of a deal is written
 * with its event; otherwise a deal is written once in its final state, when it is closed or `finish` is called. Events
 * before `eventsFrom` are not written.
 */
export function recordReplayer(
  store: CommandStore,
  clock: CommandStore['clock'],
  org: number,
  { stepByStep, eventsFrom }: { stepByStep: boolean; eventsFrom: number | undefined },
) {
  const { db, vault } = store
  const deps = resourceDeps({ db, clock, vault }, undefined, { writesEventsFrom: eventsFrom })
  const [companies, contacts, tags] = [companyStore(deps), contactStore(deps), tagStore(deps)]
  const [fields, lists, notes, tasks] = [customFieldStore(deps), listStore(deps), noteStore(deps), taskStore(deps)]
  const deals = stepByStep ? { ...dealStore(deps), add: () => undefined } : writtenOnce(deps)
  const { stages, reasons } = pipeline({ db }, org)
  const members = memberSettings(store)
  const { insert: addMember } = rows(db, 'members', memberColumns)
  const ids: Record<'member' | 'tag' | 'company' | 'contact', string[]> = {
    member: [],
    tag: [],
    company: [],
    contact: [],
  }
  // Deals and tasks that can still change; closed deals and finished tasks do not.
  const openDeals = new Map<number, Deal>()
  const openTasks = new Map<number, Task>()
  /** Deals that can be linked; of deals that are written once, the one closed last. */
  const dealIds = new Map<number, string>()
  let who: Caller = { org, member: null }

  const idOf = (kind: keyof typeof ids, ref: number | undefined): string | null =>
    ref === undefined ? null : (ids[kind][ref] as string)
  const dealId = (ref: number | undefined): string | null => (ref === undefined ? null : (dealIds.get(ref) ?? null))
  const tagIds = (refs: readonly number[]): string[] => refs.map((ref) => ids.tag[ref] as string)

  /** The actor of a change to a deal is its owner. */
  const byOwner = ({ owner_id }: Deal): Caller => ({ org, member: owner_id })

  const outreach = enrollmentReplayer(deps, org, { idOf, dealId })

  const make: { [Do in Making]: (step: Of<Do>) => void } = {
    member: ({ ref, given: { name, email, role, timezone } }) => {
      // Who has made the demo may be one of its people, to whom the deals and tasks belong.
      const known = members.all(org).find((member) => member.email === email)?.id
      const id = known ?? clock.id()
      const now = rfc3339(clock.now())
      const fields = { name, email, role, timezone, status: 'active', version: 1 } as const
      if (known === undefined) addMember(org, { id, ...fields, created_at: now, updated_at: now })
      ids.member[ref] = id
      who = { org, member: ids.member[0] as string }
    },
    field: ({ given }) => fields.create(who, given),
    list: ({ given, contacts: members }) => {
      const list = lists.create(who, given as never)
      if (members.length === 0) return
      lists.changeMembers(who, list, { add_ids: members.map((ref) => ids.contact[ref] as string) })
    },
    tag: ({ ref, given }) => {
      ids.tag[ref] = tags.create(who, given).id
    },
    company: ({ ref, given, owner, parent, tags: refs }) => {
      const links = { owner_id: idOf('member', owner), parent_company_id: idOf('company', parent) }
      ids.company[ref] = companies.create(who, { ...given, ...links, tag_ids: tagIds(refs) }).id
    },
    contact: ({ ref, given, owner, company, tags: refs }) => {
      const links = { owner_id: idOf('member', owner), company_id: idOf('company', company) }
      ids.contact[ref] = contacts.create(who, { ...given, ...links, tag_ids: tagIds(refs) }).id
    },
    deal: ({ ref, given, owner, company, contact, tags: refs }) => {
      const owner_id = idOf('member', owner)
      const links = {
        owner_id,
        company_id: idOf('company', company),
        primary_contact_id: idOf('contact', contact),
        tag_ids: tagIds(refs),
      }
      const deal = deals.create({ org, member: owner_id ?? who.member }, { ...given, ...links })
      openDeals.set(ref, deal)
      if (stepByStep) dealIds.set(ref, deal.id)
    },
    note: (step) => {
      const links = linksOf(step)
      if (Object.values(links).every((linked) => linked.length === 0)) return
      return notes.create(writer(step), { ...step.given, ...links })
    },
    task: (step) => {
      const by = writer(step)
      openTasks.set(step.ref, tasks.create(by, { ...step.given, ...linksOf(step), owner_id: by.member }))
    },
    finish: ({ task: ref, how }) => {
      const task = openTasks.get(ref) as Task
      openTasks.delete(ref)
      tasks.patch({ org, member: task.owner_id }, task, { status: how })
    },
    service: ({ holidays, keyTag }) =>
      setService(store, clock, org, { holidays, keyTag: idOf('tag', keyTag) as string }),
    sequences: () => setSequences(store, clock, org),
    retire: (step) => retireSequence(store, clock, org, step),
    ...conversationReplayer(deps, org, { idOf, dealId }),
    ...outreach.steps,
  }

  const writer = ({ by }: Of<'note' | 'task'>): Caller => ({ org, member: idOf('member', by) ?? who.member })

  /** A deal that is written only at the end cannot be linked before. */
  function linksOf({ deal, company, contact }: Of<'note' | 'task'>) {
    const all = (one: string | null): string[] => (one === null ? [] : [one])
    return {
      deal_ids: all(dealId(deal)),
      company_ids: all(idOf('company', company)),
      contact_ids: all(idOf('contact', contact)),
    }
  }

  const isChange = (step: Step): step is Of<Changing> =>
    step.do === 'move' || step.do === 'close' || step.do === 'change'

  function playStep(step: Step): void {
    if (isChange(step)) changeDeal(step)
    else make[step.do](step as never)
  }

  function changeDeal(step: Of<Changing>): void {
    const deal = openDeals.get(step.deal) as Deal
    if (step.do === 'close') {
      const choice = reasons[step.outcome]
      deals.close(byOwner(deal), deal, { reason_id: choice[step.reason % choice.length] as string })
      openDeals.delete(step.deal)
      if (!stepByStep) dealIds.clear()
      dealIds.set(step.deal, deal.id)
    } else {
      const given =
        step.do === 'move' ? { stage: stages[Math.min(step.position, stages.length - 1)] as string } : step.given
      openDeals.set(step.deal, deals.patch(byOwner(deal), deal, given))
    }
  }

  /** Writes the deals that are still open until the batch is full; returns whether none is left. */
  function finish(isFull: () => boolean): boolean {
    for (const [ref, deal] of openDeals) {
      deals.add(byOwner(deal), deal)
      openDeals.delete(ref)
      if (isFull()) break
    }
    return openDeals.size === 0
  }

  return { playStep, finish, takeBack: outreach.takeBack, due: dueOf(deps, org, outreach.step) }
}

/** Returns the stages and reasons that a story needs. Throws Problem 409 if there are none. */
function pipeline({ db }: Pick<CommandStore, 'db'>, org: number) {
  const choices = dealChoices(db, org)
  const standard = choices.pipelines.find(({ is_default }) => is_default === 1)?.id
  const stages = choices.stages
    .filter(({ pipeline_id, outcome }) => pipeline_id === standard && outcome === null)
    .map(({ id }) => id)
  const reasonsFor = (outcome: 'won' | 'lost') =>
    choices.reasons.filter((reason) => reason.outcome === outcome).map(({ id }) => id)
  const reasons = { won: reasonsFor('won'), lost: reasonsFor('lost') }
  if (stages.length === 0 || reasons.won.length === 0 || reasons.lost.length === 0) {
    throw conflict(
      'no_pipeline',
      'The seed needs a default pipeline and close reasons of both outcomes; apply settings that have them.',
    )
  }
  return { stages, reasons }
}

/**
 * Keeps open deals in memory, for the large profiles: five times fewer writes. A deal is added with a single event when
 * it is closed or when the story ends.
 */
function writtenOnce(deps: Deps) {
  const { draft, closed, add } = dealStore(deps)
  const now = () => rfc3339(deps.clock.now())

  return {
    create: draft,
    patch: (_who: Caller, deal: Deal, given: Partial<Deal>): Deal =>
      Object.assign(deal, given, { updated_at: now() }, given.stage === undefined ? {} : { stage_changed_at: now() }),
    close: (who: Caller, deal: Deal, given: { reason_id: string }): Deal =>
      add(who, { ...closed(who, deal, given), stage_changed_at: now(), updated_at: now() }),
    add,
  }
}
