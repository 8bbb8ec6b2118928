import { contactStore } from '../../crm/contacts.ts'
import type { Deps } from '../../deps.ts'
import { conversationRemoval } from '../../inbox/conversations/removal.ts'
import { originalStore } from '../../inbox/messages/originals.ts'
import type { Caller } from '../../lib/caller.ts'
import { Problem } from '../../lib/problem.ts'
import { type Batch, batches } from '../../store/batches.ts'
import type { CommandStore } from '../../store/open.ts'
import { forgetWords, overwriteDeleted } from '../../store/remnants.ts'
import { referringRecords } from '../merges/referring.ts'
import { type Person, people } from './person.ts'
import { GONE, type Plan, planner } from './plan.ts'
import { type Hit, sweeper } from './sweep.ts'
import { isRecordTable, isRefusal, textStore } from './texts.ts'
import { type Traced, traceStore } from './traces.ts'
import { finder } from './traits.ts'

/** What was erased, by kind; `shared` are the records that stay since they are about others, too. */
export type Forgotten = {
  contact_ids: readonly string[]
  erased: Record<string, number>
  changed: Record<string, number>
  shared: { notes: string[]; tasks: string[]; meetings: string[]; deals: string[] }
  looked_for: {
    everywhere: readonly string[]
    /** Names, in what is linked with the person. */
    near: readonly string[]
    /** Known, but not looked for: see `Traits`. */
    not: readonly string[]
  }
}

/**
 * Erases a person from an organisation, in short transactions: other processes write in between. The contact goes last, so
 * that an interrupted erasure is done again by the same command. With `dryRun`, nothing is written.
 */
export function forget(
  store: CommandStore,
  deps: Deps,
  org: number,
  asked: string,
  { dryRun = false, batch = batches(store) } = {},
): Forgotten {
  const person = people(deps).find(org, asked)
  const plan = planner(deps)(org, person)
  const erased: Record<string, number> = Object.fromEntries(GONE.map((kind) => [kind, plan.gone[kind].length]))
  const changed: Record<string, number> = {}
  const work = { deps, batch, who: { org, member: null }, person, plan, erased, changed }
  if (person.ids.length === 0) refuseUnknown(work)
  if (!dryRun) {
    const stopOverwriting = overwriteDeleted(store.db)
    try {
      eraseAll(work)
      forgetWords(store.db, batch)
    } finally {
      stopOverwriting()
    }
  } else countHits(work)
  const { notes, tasks, meetings, deals } = plan.shared
  const { own, names, left } = person.traits
  return {
    contact_ids: person.ids,
    erased: counted(erased),
    changed: counted(changed),
    shared: { notes, tasks, meetings, deals },
    looked_for: { everywhere: own, near: names, not: left },
  }
}

/** A scan of the whole organisation each. */
const MOST_PASSES = 3

/** Throws 404 for an email that is nowhere. */
function refuseUnknown({ deps, who, person }: Pick<Work, 'deps' | 'who' | 'person'>): void {
  const own = finder(person.traits.own)
  const none = {
    person: new Set<string>(),
    gone: new Set<string>(),
    quoted: new Set<string>(),
    linked: new Set<string>(),
  }
  if (sweeper(deps).hits(who.org, none, own, own).next().done)
    throw new Problem(404, 'nobody', 'Nothing about this person was found.')
}

type Work = {
  deps: Deps
  batch: Batch
  who: Caller
  person: Person
  plan: Plan
  erased: Record<string, number>
  changed: Record<string, number>
}

const counted = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

const add = (counts: Record<string, number>, kind: string, count = 1): void =>
  void (counts[kind] = (counts[kind] ?? 0) + count)

/** Runs one item after the other, in as few transactions as may be short. */
function eachOf<Item>(batch: Batch, items: Iterable<Item>, job: (item: Item) => void): void {
  const iterator = items[Symbol.iterator]()
  for (let next = iterator.next(); !next.done; )
    batch((isFull) => {
      for (; !next.done; next = iterator.next()) {
        job(next.value as Item)
        if (!isFull()) continue
        next = iterator.next()
        return
      }
    })
}

function setUp({ deps, who, person, plan }: Work) {
  const texts = textStore(deps)
  const traces = traceStore(deps)
  const transcripts = [...plan.gone.meetings, ...plan.shared.meetings].flatMap(
    (id) => texts.transcriptOf(who.org, id) ?? [],
  )
  const gone = new Set([
    ...[person.ids, Object.values(plan.gone).flat(), plan.former, plan.shared.messages, transcripts].flat(),
  ])
  const linked = new Set([
    ...gone,
    ...[Object.values(plan.shared).flat(), plan.companies, traces.imports(who.org, [...gone])].flat(),
  ])
  const traced: Traced = { person: new Set(person.ids), gone, quoted: new Set(plan.shared.conversations), linked }
  const own = finder(person.traits.own)
  const all = finder([...person.traits.own, ...person.traits.names])
  return { texts, traces, traced, own, all }
}

function countHits(work: Work): void {
  const { traced, own, all } = setUp(work)
  for (const { table, row } of sweeper(work.deps).hits(work.who.org, traced, own, all))
    if (!traced.gone.has(String(row.id)) && !traced.gone.has(String(row.object_id))) add(work.changed, table)
}

function eraseAll(work: Work): void {
  const { deps, batch, who, plan, erased, changed } = work
  const { org } = who
  const { texts, traces, traced, own, all } = setUp(work)
  const records = referringRecords(deps)
  const removeConversation = conversationRemoval(deps)
  const originals = originalStore(deps)
  const quietly = (job: () => void) => traces.quietly(org, traced, all, job)
  const each = <Item>(items: Iterable<Item>, job: (item: Item) => void) => eachOf(batch, items, job)

  // What was told about the person comes first: afterwards nothing would show which records were theirs.
  const history = new Set([...traced.gone, ...plan.shared.meetings, ...plan.shared.conversations])
  each(traces.eventsOf(org, history), (number) => {
    if (traces.blank(org, number, traced, all)) add(erased, 'events')
  })
  batch(() => {
    for (const [kind, count] of Object.entries(traces.remove(org, [...traced.gone]))) add(erased, kind, count)
  })
  batch(() => {
    for (const kind of traces.removeNaming(org, traced.gone)) add(erased, kind)
  })
  each(plan.shared.messages, (id) => {
    texts.unwriteMessage(who, id)
    add(erased, 'messages')
  })
  each(plan.shared.conversations, (id) => {
    originals.removeOf(org, id) // whatever answers the person quotes them
    texts.reindex(who, id)
  })
  each(plan.shared.meetings, (id) => quietly(() => texts.leaveMeeting(who, id, traced.person, all)))

  const remaining = sweeper(deps)
  const emptied = new Set(plan.shared.messages)
  const linked = new Set(traced.linked)
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const hits = [...remaining.hits(org, { ...traced, linked }, own, all)].filter(({ row }) => !isGone(row))
    if (hits.length === 0) break
    each(hits, (hit) => {
      if (!remaining.now(hit)) return
      quietly(() => cleanHit(hit))
      const left = remaining.now(hit)
      if (left) remaining.clean(left)
      dropOriginals(hit)
      if (hit.table === 'messages') texts.reindex(who, hit.row.conversation_id as string)
      add(changed, hit.table)
    })
    // What tells about these rows, such as the preview of a conversation, may have the name alone.
    for (const { row } of hits)
      for (const name of ['id', 'conversation_id', 'object_id']) if (row[name]) linked.add(row[name] as string)
  }

  /** It is removed as a whole. What the person wrote to others is only emptied: it may name them as its recipient, too. */
  function isGone({ id, message_id }: Record<string, unknown>): boolean {
    return [String(id), String(message_id)].some((each) => traced.gone.has(each) && !emptied.has(each))
  }

  /** The bytes of a mail cannot be cleaned: what names the person goes as a whole. */
  function dropOriginals({ table, row }: Hit): void {
    if (table === 'messages') originals.remove(org, row.id as string)
    if (table === 'message_headers') originals.remove(org, row.message_id as string)
    if (table === 'conversations') originals.removeOf(org, row.id as string)
  }

  function cleanHit({ table, row, find }: Hit): void {
    try {
      if (isRecordTable(table)) texts.clean(who, table, row.id as string, find)
      else if (table === 'transcript_segments') texts.unsay(who, row.transcript_id as string, traced.person, find)
      else if (table === 'transcripts') texts.unsay(who, row.id as string, traced.person, find)
    } catch (error) {
      if (!isRefusal(error)) throw error // the row is changed by itself below
    }
  }

  for (const kind of ['task', 'note', 'meeting'] as const) {
    const { find, columns, remove } = records[kind]
    each(plan.gone[`${kind}s`], (id) => quietly(() => remove(who, columns.present(find(who, id)))))
  }
  each(plan.gone.conversations, (id) => removeConversation(org, id))
  const contacts = contactStore(deps)
  each(plan.gone.contacts, (id) =>
    quietly(() => contacts.remove(who, contacts.columns.present(contacts.find(who, id)))),
  )
}
