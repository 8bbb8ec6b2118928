import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { companyStore } from '../../../src/crm/companies.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { noteStore } from '../../../src/crm/notes.ts'
import { taskStore } from '../../../src/crm/tasks.ts'
import { meetingStore } from '../../../src/meetings/meetings.ts'
import { idsOfSearch } from '../../../src/store/list/search.ts'
import type { Columns } from '../../../src/store/rows/columns.ts'
import { type Kind, markOf, searchIndex } from '../../../src/store/search/search.ts'
import { pendingWords } from '../../../src/store/search/search-index.ts'
import { numbersOf } from '../../../src/store/sqlite/doc-numbers.ts'
import type { Org } from '../../support/org.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import type { Row } from '../list/model.ts'
import { checkIndex, checkIntegrity, indexAll, KINDS, PATHS, type Searched, search, who } from '../searched.ts'

let server: TestServer
let stores: ReturnType<typeof storesOf>
before(async () => {
  server = await startServer()
  stores = storesOf(server)
})
after(() => server.stop())

const storesOf = ({ deps }: TestServer) => ({
  deal: dealStore(deps),
  contact: contactStore(deps),
  company: companyStore(deps),
  note: noteStore(deps),
  task: taskStore(deps),
  meeting: meetingStore(deps),
})

const TEXTS = [
  'Ångström',
  'angstrom two',
  'Łódź GmbH',
  "d'Or O’Hara",
  'a b c',
  '日本語',
  '새벽상사',
  '🚀',
  '"a" OR b*',
  '4711',
  'x'.repeat(80),
]
const PHONES = ['+49 (0)30 1234-567', '030 1234567', '12 34 56', '+1 555 010 0199']

describe('the index stays in step', () => {
  const step = fc.record({
    act: fc.constantFrom('create', 'create', 'create', 'patch', 'patch', 'remove', 'rename', 'move'),
    kind: fc.constantFrom(...KINDS),
    inB: fc.boolean(),
    which: fc.nat(),
    text: fc.constantFrom(...TEXTS),
    other: fc.constantFrom(...TEXTS),
    phone: fc.constantFrom(...PHONES),
    fails: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
  })
  type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
  const live = new Map<string, Row[]>()
  const at = (org: Org, kind: Searched): Row[] => {
    const key = `${org.org} ${kind}`
    if (!live.has(key)) live.set(key, [])
    return live.get(key) as Row[]
  }

  /** Makes one write; returns what to record once it is committed. */
  function write({ act, kind, inB, which, text, other, phone }: Step): () => void {
    const org = inB ? server.b : server.a
    const firms = at(org, 'company')
    const firm = firms[which % (firms.length + 1)]?.id ?? null
    const given: Record<Searched, () => Row> = {
      deal: () => ({ title: text }),
      contact: () => ({
        last_name: text,
        emails: [{ email: `p${which % 50}.${org.org}@example.com`, label: 'work', is_primary: true }],
        phones: [{ number: phone, label: 'work', is_primary: true }],
        company_id: firm,
      }),
      company: () => ({ name: text, phone: which % 2 ? phone : null }),
      note: () => ({ title: which % 2 ? other : null, body: text }),
      task: () => ({ title: text, body: which % 2 ? other : null }),
      meeting: () => ({
        title: text,
        starts_at: '2026-12-01T09:00:00.000Z',
        ends_at: '2026-12-01T10:00:00.000Z',
        location: which % 2 ? other : null,
        participants:
          which % 3
            ? [{ email: `q${which % 50}@example.com`, name: other, role: 'attendee', response: 'pending' }]
            : [],
      }),
    }
    const on = act === 'rename' ? 'company' : act === 'move' ? 'contact' : kind
    const all = at(org, on)
    const before = all[which % (all.length + 1)]
    // biome-ignore lint/suspicious/noExplicitAny: each store takes the input of its resource
    const store = stores[on] as any
    const flags = on === 'contact' ? [{ allow_duplicate: true }] : []
    if (act === 'create') {
      const links = kind === 'note' ? { deal_ids: [stores.deal.create(who(org), { title: 'Linked' }).id] } : {}
      const made = store.create(who(org), { ...given[kind](), ...links }, ...flags)
      return () => all.push({ id: made.id })
    }
    if (!before) return () => undefined
    const current = stored(org, on, before.id)
    if (act === 'remove') {
      if (!store.remove) return () => undefined
      store.remove(who(org), current)
      return () => void all.splice(all.indexOf(before), 1)
    }
    const changes = act === 'rename' ? { name: other } : act === 'move' ? { company_id: firm } : given[kind]()
    store.patch(who(org), current, changes, ...flags)
    return () => undefined
  }

  function stored(org: Org, kind: Searched, id: string): Row {
    const route = server.routes.find((each) => each.kind === 'read' && each.path === `${PATHS[kind]}/:id`)
    assert.ok(route?.kind === 'read')
    return (route.columns as Columns<Row>).present(route.find(who(org), id))
  }

  test('with whatever is created, changed, renamed, moved, deleted, and with what was rolled back', async () => {
    const property = fc.asyncProperty(fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 6 }), async (batches) => {
      for (const batch of batches) {
        const dones = new Map<Step, () => void>()
        const written = batch.map((each) =>
          server.store.write(() => {
            dones.set(each, write(each))
            if (each.fails) throw new Error('refused after the write')
            return null
          }),
        )
        for (const [index, outcome] of (await Promise.allSettled(written)).entries()) {
          const each = batch[index] as Step
          if (outcome.status === 'fulfilled') dones.get(each)?.()
          // One write of a batch may delete the record that another changes.
          else assert.ok(each.fails || outcome.reason.status < 500, outcome.reason)
        }
      }
      await checkIndex(server, [server.a, server.b])
    })
    await fc.assert(property, { numRuns: 25 })
  })

  test('where a whole transaction is rolled back', async () => {
    const { a, store } = server
    assert.throws(() =>
      store.transaction(() => {
        stores.deal.create(who(a), { title: 'neverseen' })
        throw new Error('undone')
      }),
    )
    assert.deepEqual(await search(server, 'deal', 'neverseen'), [])
    assert.equal(store.db.prepare("SELECT count(*) FROM search_words WHERE word LIKE '%neverseen'").pluck().get(), 0)
    await checkIndex(server, [server.a, server.b])
  })

  test('and the check of it finds what is not', () => {
    const { a, store } = server
    const { db } = store
    const { id } = store.transaction(() => stores.deal.create(who(a), { title: 'Indexed' }))
    indexAll(store)
    const check = db.transaction((spoil: string) => {
      db.exec(spoil)
      assert.throws(() => checkIntegrity(db), /malformed/, spoil)
      throw new Error('undo')
    })
    for (const spoil of [
      `UPDATE search_docs SET words = words || ' more' WHERE record_id = '${id}'`,
      `DELETE FROM search_docs WHERE record_id = '${id}'`,
      "INSERT INTO search_docs (docid, org_id, kind, record_id, words) VALUES (1, 1, 0, 'x', 'word')",
    ])
      assert.throws(() => check(spoil), { message: 'undo' })
  })
})

describe('ids of one time and counter', () => {
  const STAMP = '01a1f819-2588-7463-8'
  const idAt = (at: number) =>
    `${STAMP}${(at >> 12).toString(16).padStart(3, '0')}-${at.toString(16).padStart(12, '0')}`

  test('have numbers in the order of the ids, whenever each comes and goes', () => {
    const { db } = server.store
    const [a, b] = [server.a.org, server.b.org]
    const indexes = { deal: searchIndex(db, 'deal'), task: searchIndex(db, 'task') }
    const kinds = ['deal', 'task'] as const
    const move = fc.record({
      at: fc.nat(12),
      kind: fc.constantFrom(...kinds),
      org: fc.constantFrom(a, b),
      gone: fc.boolean(),
      /** So many documents are moved into the index afterwards. */
      indexed: fc.constantFrom(0, 0, 0, 2, 1000),
    })
    type Move = typeof move extends fc.Arbitrary<infer Value> ? Value : never
    const pending = pendingWords(db)
    const found = (org: number, kind: Kind) => {
      const word = `${markOf(org, kind)}crafted`
      const { sql, values } = idsOfSearch({ kind, match: `"${word}"`, query: [[word]] })
      return db
        .prepare(`${sql} ORDER BY found.docid`)
        .pluck()
        .all(...values)
    }
    const run = db.transaction((steps: Move[]) => {
      const held = new Set<string>()
      for (const { at, kind, org, gone, indexed } of steps) {
        if (gone) indexes[kind].remove(org, idAt(at))
        else indexes[kind].put(org, idAt(at), ['crafted', `n${at}`])
        if (gone) held.delete(`${org} ${kind} ${idAt(at)}`)
        else held.add(`${org} ${kind} ${idAt(at)}`)
        pending.index(indexed)
        for (const each of [a, b])
          for (const of of kinds) {
            const wanted = [...held].filter((key) => key.startsWith(`${each} ${of} `)).map((key) => key.slice(-36))
            assert.deepEqual(found(each, of), wanted.sort())
          }
      }
      checkIntegrity(db)
      throw new Error('undo')
    })
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (steps) => assert.throws(() => run(steps), { message: 'undo' })),
      { numRuns: 100 },
    )
  })

  test('are paged each once, both ways, also from behind one that is gone', async () => {
    const { a, b, deps, store } = server
    let next = 0
    const crafted = dealStore({ ...deps, clock: { ...deps.clock, id: () => idAt((next++ * 5) % 12) } })
    store.transaction(() => {
      for (let made = 0; made < 12; made++) crafted.create(who(made % 3 ? a : b), { title: 'Crafted' })
    })
    for (const [org, count] of [
      [a, 8],
      [b, 4],
    ] as const) {
      for (const sort of ['', '&sort=created_at']) {
        for (let limit = 1; limit < 4; limit++) {
          const shown: string[] = []
          for (let cursor: string | null = ''; cursor !== null; ) {
            const path: string = `/deals?q=craft&limit=${limit}${sort}${cursor && `&cursor=${cursor}`}`
            const { body } = await server.call('GET', path, undefined, { token: org.token })
            shown.push(...body.data.map(({ id }: Row) => id))
            cursor = body.next_cursor
          }
          const ascending = [...shown].sort()
          assert.deepEqual(shown, sort ? ascending : ascending.reverse())
          assert.equal(new Set(shown).size, count)
        }
      }
    }
    const { body: page } = await server.call('GET', '/deals?q=craft&limit=3')
    const gone = page.data[2].id
    store.transaction(() => {
      searchIndex(store.db, 'deal').remove(a.org, gone)
      store.db.prepare('DELETE FROM deals WHERE org_id = ? AND id = ?').run(a.org, gone)
    })
    const { body: rest } = await server.call('GET', `/deals?q=craft&limit=100&cursor=${page.next_cursor}`)
    assert.equal(rest.data.length, 5)
    await checkIndex(server, [server.a, server.b])
  })

  test('have numbers of their own, in the order of time', () => {
    const anId = fc
      .tuple(fc.nat(2 ** 42), fc.nat(0xfff), fc.nat(0x3f), fc.nat(0xffffff))
      .map(([ms, high, low, rest]) => {
        const time = ms.toString(16).padStart(12, '0')
        return `${time.slice(0, 8)}-${time.slice(8)}-7${high.toString(16).padStart(3, '0')}-${(0x80 | low).toString(16)}00-${rest.toString(16).padStart(12, '0')}`
      })
    fc.assert(
      fc.property(anId, anId, (one, other) => {
        const [small, great] = [one, other].sort() as [string, string]
        const [[first, end], [later]] = [numbersOf(small), numbersOf(great)]
        assert.ok(end - first === 64n && first >= 0n && end < 2n ** 63n)
        assert.ok(first === later || end <= later)
      }),
    )
    assert.ok(numbersOf('ffffffff-ffff-7fff-bfff-ffffffffffff')[1] < 2n ** 63n)
  })
})
