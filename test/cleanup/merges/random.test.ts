import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { WriteRoute } from '../../../src/http/route.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { validate } from '../../../src/lib/validate.ts'
import type { Stored } from '../../../src/store/rows/record-store.ts'
import type { Given } from '../../support/records.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { assertSound, type MergeFixture, mergeFixture } from './merge-fixture.ts'

// Whatever order records are made, changed, merged, brought back and deleted in: what stands twice stays in step, events
// tell all of it, and a merge that is undone at once was never there.

let fixture: MergeFixture
before(async () => {
  fixture = await mergeFixture()
  const options = ['red', 'blue'].map((value) => ({ value, label: value }))
  for (const object of ['contact', 'company'] as const) {
    await fixture.customField(object, 'plain')
    await fixture.customField(object, 'single', { is_unique: true })
    await fixture.customField(object, 'colors', { type: 'multi_select', options })
  }
})
after(() => fixture.stop())

type Kind =
  | 'contact'
  | 'company'
  | 'deal'
  | 'note'
  | 'task'
  | 'meeting'
  | 'conversation'
  | 'message'
  | 'tag'
  | 'list'
  | 'custom_field'
const PATHS: Record<Kind, string> = {
  contact: '/contacts',
  company: '/companies',
  deal: '/deals',
  note: '/notes',
  task: '/tasks',
  meeting: '/meetings',
  conversation: '/conversations',
  message: '/messages',
  tag: '/tags',
  list: '/lists',
  custom_field: '/custom-fields',
}
const TABLES = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  note: 'notes',
  task: 'tasks',
  meeting: 'meetings',
  conversation: 'conversations',
} as const

type Said = { conversation_id: string; direction: string; author: { id: string | null } }

/** The next step; the numbers choose among the existing records. */
type Step = [what: (typeof WHATS)[number] | (typeof MERGES)[number], one: number, two: number, three: number]
const WHATS = ['create', 'patch', 'patch', 'list', 'delete', 'close', 'archive', 'tag'] as const
const MERGES = ['merge', 'merge', 'once', 'undo', 'undo'] as const
const steps = (quiet: boolean): fc.Arbitrary<Step[]> => {
  const whats = [...WHATS, ...MERGES].filter((what) => !quiet || (what !== 'archive' && what !== 'tag'))
  const number = fc.nat(1_000_000)
  const step = (of: readonly Step[0][]) => fc.tuple(fc.constantFrom(...of), number, number, number)
  return fc
    .tuple(
      fc.array(step(['create']), { minLength: 15, maxLength: 20, size: 'max' }),
      fc.array(step(whats), { minLength: 10, maxLength: 30, size: 'max' }),
    )
    .map((parts) => parts.flat())
}

/** Runs one history, in a transaction that is rolled back. */
function live(history: readonly Step[], isTold: boolean): void {
  const { db, store, who, a, merges, dump, advance, lastSeq, events } = fixture
  const known: Record<Kind, string[]> = {
    contact: [],
    company: [],
    deal: [],
    note: [],
    task: [],
    meeting: [],
    conversation: [],
    message: [],
    tag: [],
    list: [],
    custom_field: [],
  }
  const done: string[] = []
  const seq = lastSeq()

  const pick = <Item>(items: readonly Item[], number: number): Item | undefined => items[number % items.length]
  const bits = (items: readonly string[], number: number): string[] => items.filter((_, at) => (number >> at) & 1)
  const id = (kind: Kind, number: number): string | null =>
    number % 3 === 0 ? null : (pick(known[kind], number) ?? null)

  /** Like a request, and atomically: a rejected write leaves nothing. */
  function act(method: string, kind: Kind, record: string | undefined, body: Given, action = ''): Stored | undefined {
    const path = `${PATHS[kind]}${record === undefined ? '' : '/:id'}${action}`
    const route = fixture.routes.find((each) => each.method === method && each.path === path) as WriteRoute
    return attempt(() => {
      const stored = record === undefined ? undefined : route.find?.(who, record)
      const given = route.body ? validate(route.body, body) : undefined
      return route.run({
        who,
        record: stored as Stored,
        body: given as never,
        flags: { allow_duplicate: true },
      }) as Stored
    })
  }
  function attempt<T>(job: () => T): T | undefined {
    advance(1000)
    try {
      return store.transaction(job)
    } catch (error) {
      if (error instanceof Problem) return undefined
      throw error
    }
  }

  const shared = (one: number, two: number): Given => ({
    tag_ids: bits(known.tag, one),
    website: pick([null, 'https://a.example', 'https://b.example'], two) ?? null,
    external_id: pick([null, null, 'x1', 'x2', 'x3'], one) ?? null,
    address: pick([null, { city: 'Bonn' }, { line1: 'Weg 1', country: 'DE' }], two) ?? null,
    owner_id: one % 2 ? a.owner : null,
    custom_fields: Object.fromEntries(
      [
        ['plain', pick(['p', 'q'], two)],
        ['single', pick(['u1', 'u2', 'u3'], one)],
        ['colors', pick([['red'], ['blue', 'red']], one + two)],
      ].filter((_, at) => (two >> at) & 1),
    ),
  })
  const bodies: Partial<Record<Kind, (one: number, two: number) => Given>> = {
    contact: (one, two) => ({
      ...shared(one, two),
      first_name: pick([null, 'Ana', 'Bo'], one) ?? null,
      last_name: pick([null, 'Lind', 'Ruiz'], two) ?? null,
      emails: bits(['a@x.example', 'B@x.example', 'c@x.example'], one + two).map((email) => ({ email })),
      phones: bits(['+49 30 1234', '030 999'], two).map((number) => ({ number })),
      job_title: pick([null, 'Head'], one + two) ?? null,
      company_id: id('company', two),
      do_not_contact: one % 3 === 0,
    }),
    company: (one, two) => ({
      ...shared(one, two),
      name: pick(['Acme', 'Birch', 'Cedar'], one) ?? '',
      domains: bits(['a.example', 'b.example', 'c.example', 'd.example'], two & one),
      annual_revenue: pick([null, 0, 1000.5], two) ?? null,
      currency: pick([null, 'EUR', 'USD'], one) ?? null,
      parent_company_id: id('company', one + two),
    }),
    deal: (one, two) => ({ title: 'Deal', company_id: id('company', one), primary_contact_id: id('contact', two) }),
    note: (one, two) => ({
      body: 'Note',
      contact_ids: bits(known.contact, one),
      company_ids: bits(known.company, two),
    }),
    task: (one, two) => ({
      title: 'Task',
      contact_ids: bits(known.contact, one),
      company_ids: bits(known.company, two),
    }),
    meeting: (one, two) => ({
      title: 'Meeting',
      starts_at: '2026-12-01T09:00:00Z',
      ends_at: '2026-12-01T10:00:00Z',
      company_id: id('company', one),
      participants: [
        ...bits(known.contact, two).map((contact_id, at) => ({ contact_id, role: at ? 'attendee' : 'organizer' })),
        ...bits(['a@x.example', 'B@x.example', 'd@x.example'], one).map((email) => ({ email, response: 'accepted' })),
      ],
    }),
    conversation: (one, two) => ({
      contact_id: id('contact', one),
      company_id: id('company', two),
      tag_ids: bits(known.tag, two),
      status: pick(['open', 'pending', 'closed'], one) ?? '',
    }),
    message: (one, two) => {
      const conversation_id = id('conversation', one)
      const contact_id = id('contact', two)
      const from = { from: { email: pick(['a@x.example', 'b@x.example', 'c@x.example'], one + two) } }
      const direction = pick(['inbound', 'outbound', 'note'], conversation_id ? two : 0)
      const where = conversation_id
        ? { conversation_id, ...(direction === 'inbound' && one % 2 ? from : {}) }
        : { channel: 'chat', ...(contact_id ? { contact_id } : from) }
      return { direction, body_text: 'x', ...where }
    },
    list: (one, two) => ({
      name: 'List',
      object: pick(['contact', 'company'], one) ?? '',
      kind: 'static',
      description: String(two),
    }),
  }
  const MADE: Kind[] = [
    'contact',
    'contact',
    'contact',
    'company',
    'company',
    'company',
    'deal',
    'note',
    'task',
    'meeting',
    'meeting',
    'message',
    'message',
    'message',
    'list',
  ]

  function merge(one: number, two: number, three: number): string | undefined {
    const object = pick(['contact', 'company'] as const, one) as 'contact' | 'company'
    const [kept, merged] = [pick(known[object], two), pick(known[object], three)]
    if (!kept || !merged || kept === merged) return undefined
    const choices = bits(
      ['external_id', 'website', 'tag_ids', 'address', 'owner_id', 'custom_fields.plain', 'custom_fields.single'],
      one % 128,
    )
    const own = object === 'contact' ? ['first_name', 'emails', 'company_id'] : ['name', 'parent_company_id', 'domains']
    const made =
      attempt(() => merges.merge(who, object, kept, merged, [...choices, ...bits(own, two % 8)])) ??
      attempt(() => merges.merge(who, object, kept, merged)) // the other may have no such value
    assert.ok(made)
    known[object] = known[object].filter((each) => each !== merged)
    return made.id
  }
  /** A message may open a conversation and come from an unknown sender. */
  function meet({ conversation_id, direction, author }: Said): void {
    if (!known.conversation.includes(conversation_id)) known.conversation.push(conversation_id)
    if (direction === 'inbound' && author.id && !known.contact.includes(author.id)) known.contact.push(author.id)
  }
  function undo(merge: string): boolean {
    const undone = attempt(() => merges.undo(who, merge))
    if (!undone) return false
    known[undone.merge.object].push(undone.merge.merged_id)
    done.splice(done.indexOf(merge), 1)
    return true
  }

  const DO: Record<Step[0], (one: number, two: number, three: number) => void> = {
    create(one, two, three) {
      const kind = pick(MADE, one) as Kind
      const made = act('post', kind, undefined, bodies[kind]?.(two, three) ?? {})
      if (made) known[kind].push(made.id)
      if (made && kind === 'message') meet(made as unknown as Said)
    },
    patch(one, two, three) {
      const kinds = ['contact', 'company', 'deal', 'note', 'task', 'meeting', 'conversation'] as const
      const kind = pick(kinds, one) as Kind
      const record = pick(known[kind], two)
      const fields = Object.entries(bodies[kind]?.(two + three, three) ?? {}).filter((_, at) => (three >> at) & 1)
      if (record) act('patch', kind, record, Object.fromEntries(fields))
    },
    list(one, two, three) {
      const list = pick(known.list, one)
      const object =
        list && (db.prepare('SELECT object FROM lists WHERE id = ?').pluck().get(list) as 'contact' | 'company')
      if (!list || !object) return
      const add_ids = bits(known[object], two)
      act(
        'post',
        'list',
        list,
        { add_ids, remove_ids: bits(known[object], three).filter((each) => !add_ids.includes(each)) },
        '/members',
      )
    },
    delete(one, two) {
      const kind = pick(['contact', 'company', 'note', 'task', 'meeting', 'list'] as const, one) as Kind
      const record = pick(known[kind], two)
      if (!record) return
      act('delete', kind, record, {})
      known[kind] = known[kind].filter((each) => each !== record)
    },
    close(one) {
      const deal = pick(known.deal, one)
      if (deal) act('post', 'deal', deal, { reason_id: a.reasons.won }, '/close')
    },
    archive(one, two) {
      const fields = db.prepare("SELECT id FROM custom_fields WHERE object <> 'deal'").pluck().all() as string[]
      act('patch', 'custom_field', pick(fields, one), pick([{ is_archived: true }, { is_archived: false }], two) ?? {})
    },
    tag(one) {
      const tag = pick(known.tag, one)
      if (tag && known.tag.length > 2) {
        act('delete', 'tag', tag, {})
        known.tag = known.tag.filter((each) => each !== tag)
      }
    },
    merge(one, two, three) {
      const made = merge(one, two, three)
      if (made) done.push(made)
    },
    undo(one) {
      const merge = pick(done, one)
      if (merge) undo(merge)
    },
    once(one, two, three) {
      const before = dump()
      const made = merge(one, two, three)
      if (!made) return
      assertSound(fixture)
      done.push(made)
      assert.ok(undo(made))
      assert.deepEqual(dump(), before)
    },
  }

  db.exec('BEGIN')
  try {
    for (let at = 0; at < 4; at++)
      known.tag.push((act('post', 'tag', undefined, { name: `random ${at}` }) as Stored).id)
    for (const [what, ...numbers] of history) DO[what](...numbers)
    assertSound(fixture)
    // Undone in reverse order, every merged record is restored.
    const stuck = done.toReversed().filter((merge) => !undo(merge))
    assert.deepEqual(stuck, [])
    assertSound(fixture)
    if (isTold) assertTold(seq)
  } finally {
    db.exec('ROLLBACK')
  }

  /** The last event of each record shows its current state, or its deletion. */
  function assertTold(after: number): void {
    const told = new Map(events(after).map((event) => [event.object_id, event]))
    for (const [kind, table] of Object.entries(TABLES)) {
      const ids = new Set(db.prepare(`SELECT id FROM ${table} WHERE org_id = ?`).pluck().all(who.org) as string[])
      const find = (
        fixture.routes.find(
          ({ method, path }) => method === 'patch' && path === `${PATHS[kind as Kind]}/:id`,
        ) as WriteRoute
      ).find
      for (const [record, event] of told) {
        if (!event.type.startsWith(`${kind}.`)) continue
        assert.equal(event.type === `${kind}.deleted`, !ids.has(record), `${event.type} ${record}`)
        if (ids.has(record)) assert.deepEqual(event.object, find?.(who, record))
      }
    }
  }
}

const SEEDED = { seed: seedOf(2026), numRuns: examples(50) }

test('whatever happens, everything stays in step, and every merge can be undone', () => {
  fc.assert(
    fc.property(steps(false), (history) => live(history, false)),
    SEEDED,
  )
})

test('every record is as its last event says', () => {
  fc.assert(
    fc.property(steps(true), (history) => live(history, true)),
    SEEDED,
  )
})
