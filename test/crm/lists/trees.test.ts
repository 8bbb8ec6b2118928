import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { companyStore } from '../../../src/crm/companies.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { smartLists } from '../../../src/filters/smart.ts'
import { NARROW } from '../../../src/store/list/page.ts'
import { idsOf } from '../../support/records.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { startServer } from '../../support/server.ts'
import { AMOUNTS, addSampleRecords, type SampleRecords, TEXTS } from './list-fixture.ts'
import { FIELDS, fieldOf, isMet, type Leaf, type Listed, operatorsOf, type Tree, valuesOf } from './naive.ts'

// Random filters compared with the naive evaluator: directly through the stores, since thousands take a while, and some
// through the API.

const SEED = seedOf(2026)
const OBJECTS = ['contact', 'company', 'deal'] as const
const PERIODS = ['yesterday', 'today', 'tomorrow', 'week', 'month', 'quarter', 'year'].flatMap((span) =>
  /day|tom/.test(span) ? [span] : [`last_${span}`, `this_${span}`, `next_${span}`],
)
const PATHS = { contact: '/contacts', company: '/companies', deal: '/deals' }

/** A server with records, and what is compared with them. */
async function start(many: number) {
  const server = await startServer()
  try {
    const sample = addSampleRecords(server, many)
    const { deps } = server
    const stores = { contact: contactStore(deps), company: companyStore(deps), deal: dealStore(deps) }
    return { server, sample, stores, smart: smartLists(deps) }
  } catch (error) {
    await server.stop()
    throw error
  }
}
type Started = Awaited<ReturnType<typeof start>>

/** Trees of up to five levels; the values are those of some records, and a few that none has. */
function trees(object: Listed, { context, records }: SampleRecords): fc.Arbitrary<Tree> {
  const own = (of: Listed) => [
    ...FIELDS[of].keys(),
    ...Object.keys(context.custom[of]).map((key) => `custom_fields.${key}`),
  ]
  const names = [...own(object), ...(object === 'company' ? [] : own('company').map((name) => `company.${name}`))]
  const leaf = fc.constantFrom(...names).chain((name): fc.Arbitrary<Leaf> => {
    const field = fieldOf(object, name, context)
    assert.ok(field, name)
    const stored = [...new Set(records[object].flatMap((record) => valuesOf(record, name, context)))]
    const others =
      field.type === 'text'
        ? TEXTS.flatMap((text) => [text, text.normalize('NFD'), text.toUpperCase(), text.slice(0, 3)])
        : field.type === 'number' && !name.includes('custom')
          ? AMOUNTS
          : field.type === 'date' || field.type === 'time'
            ? PERIODS
            : name.endsWith('owner_id')
              ? ['me']
              : []
    const values = fc.constantFrom(...(stored.length + others.length > 0 ? [...stored, ...others] : [null]))
    if (stored.length + others.length === 0)
      return fc.constantFrom('is_null', 'not_null').map((op) => ({ field: name, op }))
    return fc.constantFrom(...operatorsOf(field)).chain((op) => {
      if (op.endsWith('_null')) return fc.constant({ field: name, op })
      if (op.endsWith('_days')) return fc.nat(12).map((value) => ({ field: name, op, value }))
      const many = ['in', 'not_in', 'has_any', 'has_all'].includes(op)
      return (many ? fc.array(values, { minLength: 1, maxLength: 3 }) : values).map((value) => ({
        field: name,
        op,
        value,
      }))
    })
  })
  const levels = (depth: number): fc.Arbitrary<Tree> => {
    if (depth === 1) return leaf
    const inner = levels(depth - 1)
    const some = fc.array(inner, { minLength: 1, maxLength: 3 })
    return fc.oneof(
      { arbitrary: leaf, weight: 3 },
      { arbitrary: some.map((all) => ({ all })), weight: 2 },
      { arbitrary: some.map((any) => ({ any })), weight: 2 },
      { arbitrary: inner.map((not) => ({ not })), weight: 1 },
    )
  }
  return levels(5)
}

const wantedOf = (tree: Tree, object: Listed, { context, records }: SampleRecords): string[] =>
  idsOf(records[object].filter((record) => isMet(tree, record, object, context)))

const SORTS = [
  { column: 'id' },
  { column: 'updated_at' },
  { column: 'id' }, // twice as often
]

/** What the stores hold to meet the tree: their ids in the order of the sort, and how many they count. */
function askStores({ server, stores, smart }: Started, object: Listed, tree: Tree, sort: { column: string }) {
  const { org } = server.a
  smart.check(org, object, tree)
  const conditions = smart.conditions(org, object, tree as never, server.a.owner)
  const ask = { limit: 10_000, sort, descending: true, conditions, count: false }
  const { rows } = stores[object].list(org, ask)
  return { ids: rows.map(([id]) => id as string), count: stores[object].count(org, conditions) }
}

/** Shrinks to the smallest filter that is answered wrongly, and shows it. */
function compare(started: Started, object: Listed, numRuns: number): void {
  const { sample } = started
  fc.assert(
    fc.property(trees(object, sample), fc.constantFrom(...SORTS), (tree, sort) => {
      const { ids, count } = askStores(started, object, tree, sort)
      assert.deepEqual([...ids].sort(), wantedOf(tree, object, sample).sort())
      assert.equal(count, ids.length)
    }),
    { numRuns, seed: SEED },
  )
}

describe(`${examples(5000).toLocaleString('en')} random filters give what the naive evaluator gives`, () => {
  let started: Started
  before(async () => {
    started = await start(60)
  })
  after(() => started.server.stop())

  for (const [object, all] of [
    ['contact', 1700],
    ['company', 1600],
    ['deal', 1700],
  ] as const) {
    const runs = examples(all)
    test(`of which ${runs} over ${PATHS[object].slice(1)}`, () => compare(started, object, runs))
  }

  test('through the interface: as a list, its pages, its count, and the filter list_id', async () => {
    const { server, sample } = started
    for (const object of OBJECTS) {
      for (const [at, filter] of fc.sample(trees(object, sample), { numRuns: examples(40), seed: SEED }).entries()) {
        const wanted = wantedOf(filter, object, sample).sort().reverse()
        const made = await server.call('POST', '/lists', { name: `${at}`, object, kind: 'smart', filter })
        assert.equal(made.status, 201, JSON.stringify([filter, made.body]))
        assert.equal(made.body.member_count, wanted.length, JSON.stringify(filter))
        const { id } = made.body
        for (const path of [`/lists/${id}/members?`, `${PATHS[object]}?list_id=${id}&`]) {
          const shown: string[] = []
          for (let cursor: string | null = ''; cursor !== null; ) {
            const { body } = await server.call('GET', `${path}limit=25${cursor && `&cursor=${cursor}`}`)
            shown.push(...idsOf(body.data))
            cursor = body.next_cursor
          }
          assert.deepEqual(shown, wanted, JSON.stringify(filter))
        }
      }
    }
  })
})

// Conditions that few records meet lead to them; those that many meet are tested along a walk.
describe('so do random filters over more records than a narrow condition has', () => {
  let started: Started
  before(async () => {
    started = await start(1.5 * NARROW)
  })
  after(() => started.server.stop())

  for (const object of OBJECTS) test(PATHS[object].slice(1), () => compare(started, object, examples(12)))
})
